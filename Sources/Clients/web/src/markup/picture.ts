import { Catalog } from "../model.js";
import { CatalogEntry } from "../layout/entry.js";
import { slotOf, slotSize } from "../layout/slots.js";
import { fluidChoices, highDynamicRange, reducedData, scaledChoices, TypedFiles, typedFiles } from "./choices.js";
import { attribute } from "./escape.js";
import { classesOf, coveredBox, inlineStyle } from "./style.js";

export interface PictureOptions {
  /**
   * The value of `sizes`, such as "(min-width: 60em) 33vw, 100vw", or "slot": as wide as the page, up to the width of the
   * slot. With it the image is fluid: `srcset` has widths. While it is lazy, a browser that can takes the width from the
   * layout instead (`sizes="auto"`).
   */
  sizes?: string | undefined;
  /** The image's `alt` from the catalog if absent, or else an empty text. */
  alt?: string | undefined;
  /** "lazy" if absent. */
  loading?: "lazy" | "eager" | undefined;
  /** "async" if absent. */
  decoding?: "async" | "sync" | "auto" | undefined;
  fetchpriority?: "high" | "low" | "auto" | undefined;
  /** For the image that people see first: loaded at once, before the others. See `preload`. */
  priority?: boolean | undefined;
  /** Whether visitors who ask for less data get the file for the smallest scale, on every screen. */
  reducedData?: boolean | undefined;
  /** More classes for `img`. */
  className?: string | undefined;
  /**
   * "class" (if absent): classes of `stylesheet`, for a page whose policy forbids inline styles. "inline": a `style`
   * attribute, which can also hold the blurred placeholder. "none": neither.
   */
  style?: "class" | "inline" | "none" | undefined;
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

/** What is offered of an image in a slot. */
function files({ image, context }: CatalogEntry, slot: string, options: PictureOptions) {
  const isFluid = options.sizes !== undefined;
  const choices = isFluid ? fluidChoices(image, slot) : scaledChoices(context, image, slot);
  return { isFluid, choices, ...typedFiles(context, choices) };
}

/** The value of `sizes`; undefined for an image of a fixed size. */
function sizesOf(catalog: Pick<Catalog, "slots">, slot: string, { sizes }: PictureOptions, isLazy: boolean): string | undefined {
  if (sizes === undefined) return undefined;
  const width = slotOf(catalog, slot)?.width;
  const value = sizes !== "slot" ? sizes : width === undefined ? "100vw" : `(max-width: ${width}px) 100vw, ${width}px`;
  return isLazy && !/^auto\b/i.test(value) ? `auto, ${value}` : value;
}

/**
 * What a `picture` element for an image in a slot consists of (HTML, section 4.8): sources for visitors who ask for less
 * data, and for screens of high dynamic range if there are files for them, then one for each type except the last, and an
 * `img` with the files of the last type. Its size is that of its box in the layout, so nothing moves when it loads; for a
 * slot of mode "fill" that is the slot, which the image covers. Undefined if there is nothing to show.
 */
export function pictureParts(entry: CatalogEntry, slot: string, options: PictureOptions = {}): Picture | undefined {
  const { image, context } = entry;
  const { isFluid, choices, sources, last } = files(entry, slot, options);
  const size = coveredBox(context.head, image, slot) ?? slotSize(image, slot);
  if (last === undefined || size === undefined) return undefined;
  const loading = options.loading ?? (options.priority === true ? "eager" : "lazy");
  const fetchpriority = options.fetchpriority ?? (options.priority === true ? "high" : undefined);
  const value = sizesOf(context.head, slot, options, loading === "lazy");
  const sizes = value === undefined ? {} : { sizes: value };
  const source = ({ media, type, srcset }: TypedFiles) => ({ ...(media === undefined ? {} : { media }), type, srcset });
  const classes = [...(options.style === undefined || options.style === "class"
    ? classesOf(context.head, image, slot, isFluid) : []), options.className ?? ""].filter(Boolean);
  const style = options.style === "inline" ? inlineStyle(context.head, image, slot, isFluid) : "";
  const high = highDynamicRange(context, choices);
  return {
    // A browser takes the first source that fits. Who asks for less data gets no larger file of any kind.
    sources: [
      ...(options.reducedData === true ? reducedData(context, image, slot).map(source) : []),
      ...[...(high === undefined ? [] : [high]), ...sources].map((each) => ({ ...source(each), ...sizes })),
    ],
    img: {
      // Frameworks set attributes in this order, and a browser may request `src` as soon as it is set.
      ...size, alt: options.alt ?? image.alt ?? "", loading, decoding: options.decoding ?? "async",
      ...(fetchpriority === undefined ? {} : { fetchpriority }),
      ...(classes.length === 0 ? {} : { class: classes.join(" ") }),
      ...(style === "" ? {} : { style }),
      ...sizes, srcset: last.srcset, src: last.first,
    },
  };
}

const tag = (name: string, attributes: object): string =>
  `<${name}${Object.entries(attributes).map(([key, value]) => ` ${key}="${attribute(String(value))}"`).join("")}>`;

/** The element as HTML; an empty text if there is nothing to show. */
export function picture(entry: CatalogEntry, slot: string, options: PictureOptions = {}): string {
  const parts = pictureParts(entry, slot, options);
  if (parts === undefined) return "";
  return `<picture>${parts.sources.map((source) => tag("source", source)).join("")}${tag("img", parts.img)}</picture>`;
}

/**
 * The `link` for a page's head that loads the image of a `picture` with `priority` before the browser has met it; two if there
 * are files for screens of high dynamic range. It is for the preferred type: a browser that does not show that ignores the
 * link, and loads the image when it meets it. An empty text if there is nothing to show, and with `reducedData`: a link would
 * load more for those visitors.
 */
export function preload(entry: CatalogEntry, slot: string, options: PictureOptions = {}): string {
  const { context } = entry;
  const { choices, sources, last } = files(entry, slot, options);
  const preferred = sources[0] ?? last;
  if (preferred === undefined || options.reducedData === true) return "";
  const sizes = sizesOf(context.head, slot, options, false);
  const link = (files: TypedFiles, media?: string): string => tag("link", {
    rel: "preload", as: "image", ...(media === undefined ? {} : { media }),
    // The files of the last type may have several types.
    type: files.type || choices[0]?.variant.files[0]?.type, imagesrcset: files.srcset,
    ...(sizes === undefined ? {} : { imagesizes: sizes }), fetchpriority: "high",
  });
  const high = highDynamicRange(context, choices);
  return high === undefined ? link(preferred) : link(high, high.media) + link(preferred, `not all and ${high.media}`);
}
