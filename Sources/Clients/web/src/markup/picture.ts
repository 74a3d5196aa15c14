import { Catalog, Image } from "../model.js";
import { slotOf, slotSize } from "../layout/slots.js";
import { placeholderURL, rgb } from "../placeholder/placeholder.js";
import { fluidChoices, scaledChoices, typedFiles } from "./choices.js";
import { attribute, className } from "./escape.js";

export interface PictureOptions {
  /** The value of `sizes`, such as "(min-width: 60em) 33vw, 100vw". With it the image is fluid: `srcset` has widths. */
  sizes?: string | undefined;
  /** The image's `alt` from the catalog if absent, or else an empty text. */
  alt?: string | undefined;
  /** "lazy" if absent. */
  loading?: "lazy" | "eager" | undefined;
  /** "async" if absent. */
  decoding?: "async" | "sync" | "auto" | undefined;
  fetchpriority?: "high" | "low" | "auto" | undefined;
  /** More classes for `img`. */
  className?: string | undefined;
  /**
   * "class" (if absent): classes of `stylesheet`, for a page whose policy forbids inline styles. "inline": a `style`
   * attribute, which can also hold the blurred placeholder. "none": neither.
   */
  style?: "class" | "inline" | "none" | undefined;
  /** The URL of the catalog, if it has no `baseURL`. */
  from?: string | URL | undefined;
}

/** The attributes of a `picture` element's parts, for frameworks. */
export interface Picture {
  /** For `source` elements. */
  sources: { media?: string; type: string; srcset: string; sizes?: string }[];
  /** For the `img` element. */
  img: {
    src: string; srcset: string; sizes?: string; width: number; height: number; alt: string; loading: "lazy" | "eager";
    decoding: "async" | "sync" | "auto"; fetchpriority?: "high" | "low" | "auto"; class?: string; style?: string;
  };
}

/**
 * What a `picture` element for an image in a slot consists of (HTML, section 4.8): a source for screens of high dynamic
 * range if there are files for them, one for each type except the last, and an `img` with the files of the last type. Its size is that in the layout, so nothing moves when it loads; for
 * a slot of mode "fill" that is the slot, which the image covers. Undefined if there is nothing to show.
 */
export function pictureParts(
  catalog: Catalog, image: Image, slot: string, options: PictureOptions = {},
): Picture | undefined {
  const choices = options.sizes === undefined
    ? scaledChoices(catalog, image, slot) : fluidChoices(catalog, image, slot);
  const { sources, last } = typedFiles(catalog, choices, options.from);
  const size = shownSize(catalog, image, slot);
  if (last === undefined || size === undefined) return undefined;
  const sizes = options.sizes === undefined ? {} : { sizes: options.sizes };
  const classes = [...(options.style === undefined || options.style === "class"
    ? classesOf(catalog, image, slot, options.sizes !== undefined) : []), options.className ?? ""].filter(Boolean);
  const style = options.style === "inline" ? inlineStyle(catalog, image, slot, options.sizes !== undefined) : "";
  return {
    sources: sources.map(({ media, type, srcset }) => ({ ...(media === undefined ? {} : { media }), type, srcset, ...sizes })),
    img: {
      src: last.first, srcset: last.srcset, ...sizes, ...size, alt: options.alt ?? image.alt ?? "",
      loading: options.loading ?? "lazy", decoding: options.decoding ?? "async",
      ...(options.fetchpriority === undefined ? {} : { fetchpriority: options.fetchpriority }),
      ...(classes.length === 0 ? {} : { class: classes.join(" ") }),
      ...(style === "" ? {} : { style }),
    },
  };
}

/** The element as HTML; an empty text if there is nothing to show. */
export function picture(catalog: Catalog, image: Image, slot: string, options: PictureOptions = {}): string {
  const parts = pictureParts(catalog, image, slot, options);
  if (parts === undefined) return "";
  const tag = (name: string, attributes: object): string =>
    `<${name}${Object.entries(attributes).map(([key, value]) => ` ${key}="${attribute(String(value))}"`).join("")}>`;
  return `<picture>${parts.sources.map((source) => tag("source", source)).join("")}${tag("img", parts.img)}</picture>`;
}

/** The box that the image covers, for a slot of mode "fill" with two sides. */
function filledBox(catalog: Catalog, slot: string): { width: number; height: number } | undefined {
  const definition = slotOf(catalog, slot);
  if (definition === undefined || definition.mode === "fit" || definition.width === undefined || definition.height === undefined) return undefined;
  return { width: definition.width, height: definition.height };
}

const shownSize = (catalog: Catalog, image: Image, slot: string) => {
  const size = slotSize(image, slot);
  return size && (filledBox(catalog, slot) ?? size);
};

/** A background would show through an image that is not opaque. */
const backgroundOf = (image: Image) => (image.alpha === true ? undefined : rgb(image.placeholder?.color));

const percent = (fraction: number): number => Math.round(fraction * 1000) / 10;

function classesOf(catalog: Catalog, image: Image, slot: string, isFluid: boolean): string[] {
  const classes: string[] = [];
  if (isFluid) classes.push("tessera-fluid");
  if (filledBox(catalog, slot) !== undefined) {
    classes.push("tessera-fill");
    if (isFluid) classes.push(`tessera-slot-${className(slot)}`);
    const [x, y] = image.focus ?? [0.5, 0.5];
    if (x !== 0.5) classes.push(`tessera-x${Math.round(x * 10)}`);
    if (y !== 0.5) classes.push(`tessera-y${Math.round(y * 10)}`);
  }
  const color = backgroundOf(image);
  if (color !== undefined) classes.push(colorClass(color));
  return classes;
}

const hex = (color: readonly number[]): string => color.map((part) => part.toString(16).padStart(2, "0")).join("");

const colorClass = (color: readonly number[]): string => `tessera-${hex(color)}`;

function inlineStyle(catalog: Catalog, image: Image, slot: string, isFluid: boolean): string {
  const rules: string[] = [];
  const box = filledBox(catalog, slot);
  if (isFluid) rules.push("width:100%;height:auto");
  if (box !== undefined) {
    if (isFluid) rules.push(`aspect-ratio:${box.width}/${box.height}`);
    const [x, y] = image.focus ?? [0.5, 0.5];
    rules.push(`object-fit:cover;object-position:${percent(x)}% ${percent(y)}%`);
  }
  const color = backgroundOf(image);
  if (color !== undefined) {
    rules.push(`background-color:#${hex(color)}`);
    const blurred = image.placeholder && placeholderURL(image.placeholder);
    const hasMore = image.placeholder?.thumbhash ?? image.placeholder?.blurhash ?? image.placeholder?.lqip;
    if (blurred !== undefined && hasMore !== undefined) rules.push(`background-image:url(${blurred});background-size:cover`);
  }
  return rules.join(";");
}

/**
 * The rules behind the classes of `picture`: for slots that images cover, for the points that they keep in view, and for
 * the colours of placeholders.
 *
 * @param images those whose colours are included; all if absent.
 */
export function stylesheet(catalog: Catalog, images: readonly Image[] = catalog.images): string {
  const rules = [
    ".tessera-fluid{width:100%;height:auto}",
    ".tessera-fill{object-fit:cover;object-position:var(--tessera-x,50%) var(--tessera-y,50%)}",
  ];
  for (const slot of Object.keys(catalog.slots).sort()) {
    const box = filledBox(catalog, slot);
    if (box !== undefined) rules.push(`.tessera-slot-${className(slot)}{aspect-ratio:${box.width}/${box.height}}`);
  }
  for (const axis of ["x", "y"]) {
    for (let part = 0; part <= 10; part += 1) rules.push(`.tessera-${axis}${part}{--tessera-${axis}:${part * 10}%}`);
  }
  const colors = new Set(images.flatMap((image) => {
    const color = backgroundOf(image);
    return color === undefined ? [] : [hex(color)];
  }));
  for (const color of [...colors].sort()) rules.push(`.tessera-${color}{background-color:#${color}}`);
  return `${rules.join("\n")}\n`;
}
