import { own } from "./catalog.js";
import { type CatalogEntry, isSmall, referenceOf } from "./entry.js";
import type { Variant, VariantFile } from "./model.js";
import { layoutClasses, placeholderClasses } from "./style.js";
import { everywhere, typesOf } from "./types.js";

export interface PictureOptions {
  /**
   * The value of `sizes`, such as "(min-width: 60em) 33vw, 100vw", or "slot": as wide as the page, up to the width of the
   * slot. With it the image is fluid: `srcset` has widths. While it is lazy, a browser that can takes the width from the
   * layout instead (`sizes="auto"`).
   */
  sizes?: string | undefined;
  /** The image's `alt` from the catalog if absent, or else an empty text. */
  alt?: string | undefined;
  /** For the image that people see first: loaded at once, before the others. */
  priority?: boolean | undefined;
  /** More classes for `img`. */
  className?: string | undefined;
}

/** The attributes of a `picture` element's parts, for frameworks. */
export interface Picture {
  /** For `source` elements. */
  sources: { media?: string; type: string; srcset: string; sizes?: string }[];
  /** For the `img` element. */
  img: {
    src: string; srcset: string; sizes?: string; width: number; height: number; alt: string; loading: "lazy" | "eager";
    decoding: "async"; fetchpriority?: "high"; class: string;
  };
}

/** A size of an image, and what `srcset` says of it: `2x`, or `384w`. */
interface Choice {
  variant: Variant;
  descriptor: string;
}

/**
 * Each file once, though it may serve several scales. Browsers take the first file whose scale is at least their own, or
 * the nearest one: with the highest of its scales for each file, and the lowest for the last, both come to the file that
 * was made for the scale.
 */
function scaledChoices(entry: CatalogEntry, slot: string): Choice[] {
  const served = new Map<Variant, { lowest: number; highest: number }>();
  for (const scale of entry.index.head.scales) {
    const variant = entry.slotVariant(slot, scale);
    if (variant !== undefined) served.set(variant, { lowest: served.get(variant)?.lowest ?? scale, highest: scale });
  }
  return [...served].map(([variant, { lowest, highest }], place) =>
    ({ variant, descriptor: `${place === served.size - 1 ? lowest : highest}x` }));
}

/** All files of the image that can be shown at any width: those that were cropped for the slot, or the whole ones. */
function fluidChoices({ image }: CatalogEntry, slot: string): Choice[] {
  const use = own(image.slots, slot);
  const mine = [...new Set(use?.variants?.flatMap((index) => image.variants?.[index] ?? []))];
  const isWhole = ({ crop }: Variant): boolean => crop === undefined;
  const variants = mine.length > 0 && mine.every(isWhole) ? (image.variants ?? []).filter(isWhole) : mine;
  // An image that covers its box may be wider than it: `sizes` states the width of the box.
  const part = use?.image === undefined ? 1 : Math.min(1, (use.width ?? 1) / use.image.width);
  const choices = new Map<string, Choice>();
  for (const variant of variants) {
    const descriptor = `${Math.max(1, Math.floor(variant.width * part))}w`;
    if (!choices.has(descriptor)) choices.set(descriptor, { variant, descriptor });
  }
  return [...choices.values()];
}

/** The files of one type. */
type Source = Picture["sources"][number];

/**
 * A URL in `srcset`, which ends at a space, and neither begins nor ends with a comma (HTML, section 4.8.4.2.1). Commas
 * within it stay: a service may verify a signature of the URL.
 */
const sourceSetURL = (url: string): string =>
  url.replace(/ /g, "%20").replace(/^,+|,+$/g, (commas) => "%2C".repeat(commas.length));

const lastOf = (files: readonly VariantFile[]): VariantFile | undefined => files[files.length - 1];

/**
 * What a `picture` element for an image in a slot consists of (HTML, section 4.8): sources for visitors who ask for less
 * motion, and for screens of high dynamic range if there are files for them, then one for each type except the last, and an
 * `img` with the files of the last type. Its size is that of its box in the layout, so nothing moves when it loads. In a small
 * slot an animation is a still. Undefined if there is nothing to show.
 */
export function pictureParts(entry: CatalogEntry, slot: string, options: PictureOptions = {}): Picture | undefined {
  const { image, index } = entry;
  const { sizes, alt = image.alt ?? "", priority = false, className = "" } = options;
  const isFluid = sizes !== undefined;
  const choices = isFluid ? fluidChoices(entry, slot) : scaledChoices(entry, slot);
  const width = own(index.head.slots, slot)?.width;
  let value = sizes === "slot" ? (width === undefined ? "100vw" : `(max-width: ${width}px) 100vw, ${width}px`) : sizes;
  if (value && !priority && !/^auto\b/i.test(value)) value = `auto, ${value}`;
  const fluid = value ? { sizes: value } : {};

  /** One file of each choice; none if a choice has none. */
  const source = (pick: (variant: Variant) => VariantFile | undefined, type = "", media = ""): Source[] => {
    const set = choices.map(({ variant, descriptor }) => {
      const file = pick(variant);
      return file && `${sourceSetURL(index.url(referenceOf(file)))} ${descriptor}`;
    });
    return set.length === 0 || set.includes(undefined) ? [] : [{ ...(media ? { media } : {}), type, srcset: set.join(", "), ...fluid }];
  };
  const ofTypes = (files: (variant: Variant) => readonly VariantFile[], offered = files, media = ""): Source[] => {
    const types = choices.flatMap(({ variant }) => offered(variant).map(({ type }) => type));
    return typesOf(index.head).filter((type) => types.includes(type)).flatMap((type) => source((variant) => {
      // If a size was not made in that type, its last file takes the place, if every browser shows that, whatever the
      // `type` of a `source` says.
      const last = lastOf(files(variant));
      return files(variant).find((file) => file.type === type || (file === last && everywhere.has(file.type)));
    }, type, media));
  };

  const stillsOf = ({ files }: Variant): VariantFile[] => files.filter((file) => image.animated && file.isStill);
  const box = entry.box(slot);
  const isStill = box && isSmall(box);
  let sources = [
    ...ofTypes(stillsOf, stillsOf, isStill ? "" : "(prefers-reduced-motion: reduce)"),
    ...source(({ highDynamicRange }) => highDynamicRange, "image/jpeg", "(dynamic-range: high)"),
    ...ofTypes(({ files }) => files, ({ files }) => files.slice(0, -1)),
  ];
  let [last] = source(({ files }) => lastOf(files));
  const [still] = source((variant) => stillsOf(variant).find(({ type }) => everywhere.has(type)));
  if (isStill && still) {
    sources = ofTypes(stillsOf).filter(({ srcset }) => srcset !== still.srcset);
    last = still;
  }
  return box && last && {
    // A browser takes the first source that fits.
    sources,
    img: {
      // Frameworks set attributes in this order, and a browser may request `src` as soon as it is set.
      ...box, alt, loading: priority ? "eager" : "lazy", decoding: "async",
      ...(priority ? { fetchpriority: "high" } : {}), class: [...layoutClasses(entry, slot, isFluid), className].join(" ").trim(),
      ...fluid, srcset: last.srcset, src: last.srcset.split(" ", 1)[0] ?? "",
    },
  };
}

/** A text as the value of an attribute in quotes. */
function attribute(text: string): string {
  // A parser turns a plain CR into LF (HTML, section 13.2.3.5); other control characters are not allowed in any
  // document, not even as references (section 13.1.4).
  return text
    .replace(/[\x00-\x08\x0b\x0e-\x1f\x7f-\x9f]/g, "\ufffd")
    .replace(/[&"<>\r]/g, (character) => `&#${character.charCodeAt(0)};`);
}

const tag = (name: string, attributes: object): string =>
  `<${name}${Object.entries(attributes).map(([key, value]) => ` ${key}="${attribute(String(value))}"`).join("")}>`;

/** The element as HTML, with the classes of its placeholder; an empty text if there is nothing to show. */
export function picture(entry: CatalogEntry, slot: string, options: PictureOptions = {}): string {
  const className = [...placeholderClasses(entry.image), options.className ?? ""].join(" ").trim();
  const parts = pictureParts(entry, slot, { ...options, className });
  return parts ? `<picture>${parts.sources.map((each) => tag("source", each)).join("")}${tag("img", parts.img)}</picture>` : "";
}
