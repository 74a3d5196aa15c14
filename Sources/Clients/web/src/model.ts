// TypeScript types of a Tessera catalog, version 1. Later minor versions may add members.

/** Everything but the images: the first line of the document. */
export interface CatalogHead {
  /** SHA-256 of the document's bytes after this member. Each other document has another one. */
  digest: string;
  schema: "tessera-catalog/1";
  generator: { name: string; version: string; libvips: string };
  pipeline: { name: string; fingerprint: string };
  /** The prefix of a path. */
  baseURL?: string;
  /** In their order of preference; those that only take the place of another come last. */
  formats: Format[];
  slots: { [name: string]: Slot };
  /** Device pixels per point, ascending. */
  scales: number[];
  /** Of the first document of a screen: the paths of the others, in the order of their images. See `CatalogIndex.url`. */
  parts?: string[];
  /** The number of images. */
  count: number;
}

/** A format in which images are there. */
export interface Format {
  /** The media type. */
  type: string;
  /** Of the names of its files. Absent if an image service makes all of them, as the recipe is. */
  extension?: string;
  /** Names how its files are made: a part of their names. */
  recipe?: string;
  /** True if it only takes the place of another format that an image can't have. */
  fallback?: boolean;
  /** "high": its files have a gain map, so that they are brighter on screens of high dynamic range. */
  dynamicRange?: string;
}

export type Mode = "fit" | "fill" | "clip";

export interface Slot {
  /** Points. Free if absent. */
  width?: number;
  /** Points. Free if absent. */
  height?: number;
  mode: Mode;
}

export type Status = "ok" | "stale" | "failed" | "pending";

export interface Image {
  id: string;
  /** The manifest's URL, without secrets. */
  url?: string;
  status: Status;
  /** Pixels, as displayed. */
  width?: number;
  /** Pixels, as displayed. */
  height?: number;
  format?: string;
  alpha?: boolean;
  animated?: boolean;
  frames?: number;
  /** Why the status is failed or stale. */
  error?: Failure;
  warnings?: string[];
  placeholder?: Placeholder;
  /** Smallest first. Absent if there is nothing to show. */
  variants?: Variant[];
  /** Where the image is used, by the slot's name; of failed images, too. */
  slots?: { [name: string]: SlotUse };
  /** Names the content that the files were made from: the first part of their names. */
  source?: string;
  /** What the image shows; empty for an ornament. */
  alt?: string;
  /** The point that crops keep in view, in fractions of width and height. */
  focus?: [number, number];
  /** The manifest's extra. */
  extra?: unknown;
}

export interface Failure {
  code: string;
  message: string;
  retryable: boolean;
}

export interface Placeholder {
  /** #rrggbb */
  color?: string;
  /** In Base64. */
  thumbhash?: string;
  blurhash?: string;
  /** A data: URL. */
  /** A number of 24 bits, from which `stylesheet` draws a blurred image. */
  css?: number;
}

/** An image in one size, or a part of it. */
export interface Variant {
  /** Pixels. */
  width: number;
  /** Pixels. */
  height: number;
  /** Names the part of the image that the files show. Absent if they show all of it. */
  crop?: string | undefined;
  /** Why files are not the requested ones: `webp-size-limit`, `avif-no-animation`, `service-limit`… */
  fallback?: string | undefined;
  /** The image in each format in which it is there, in the order of preference; at the end the source itself if a service offers it. */
  files: VariantFile[];
  /** The file with a gain map, for screens of high dynamic range; it looks like the others on all other screens. */
  highDynamicRange?: VariantFile | undefined;
  /** With `highDynamicRange`: how many times as bright as white the brightest parts may become. */
  headroom?: number | undefined;
}

/** A file (`path` and `bytes`), an image that a service makes (`url`), or both: then an app requests the URL. */
export interface VariantFile {
  /** Relative to the catalog. The content behind a path never changes. */
  path?: string | undefined;
  /** An image service makes the image when this URL is requested. */
  url?: string | undefined;
  /** The media type. */
  type: string;
  /** Undefined if it is not known. */
  bytes?: number | undefined;
  /** False if the image is animated, and this file moves. */
  isStill: boolean;
}

export interface SlotUse {
  /** The box in the layout, in points. Absent if it is not known, because the image has failed. */
  width?: number;
  /** The box in the layout, in points. */
  height?: number;
  /** The size of the image, in points, if it is larger than its box: see `CatalogEntry.frame`. */
  image?: { width: number; height: number };
  /** An index into the image's variants for each of the catalog's scales. Absent if the image has no files. */
  variants?: number[];
}
