// TypeScript types of a Tessera catalog, version 1. Later minor versions may add members.

import type { Table } from "./layout/atlas.js";

export interface Catalog {
  schema: "tessera-catalog/1";
  generator: { name: string; version: string; libvips: string };
  pipeline: { name: string; fingerprint: string };
  /** The prefix of a path. */
  baseURL?: string;
  slots: { [name: string]: Slot };
  /** Device pixels per point, ascending. */
  scales: number[];
  /** Ready pixels of small slots, and atlases, by the slot's name. */
  tables?: { [slot: string]: Table[] };
  /** The number of images: with others, the catalog is cut off. A reader checks it, and does not return it. */
  count?: number;
  /** SHA-256 of the catalog's canonical form without `digest` and `count`. */
  digest?: string;
  /** In the order of the manifest. */
  images: Image[];
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
  /** Absent if there is nothing to show. */
  slots?: { [name: string]: SlotUse };
  /** Only in catalogs of the full profile. */
  source?: Source;
  /** What the image shows; empty for an ornament. */
  alt?: string;
  /** The point that crops keep in view, in fractions of width and height. */
  focus?: [number, number];
  /** The manifest's extra. A whole number above 2^53 of at most 64 bits is a `bigint`, so that it keeps its digits. */
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
  lqip?: string;
  /** A number of 24 bits, from which `stylesheet` draws a blurred image. */
  css?: number;
}

/** A file (`path` and `bytes`), an image that a service makes (`url`), or both: then an app requests the URL. */
export interface Variant {
  /** Relative to the catalog. The content behind a path never changes. */
  path?: string;
  /** An image service makes the image when this URL is requested. */
  url?: string;
  /** The media type. */
  type: string;
  /** Pixels. */
  width: number;
  /** Pixels. */
  height: number;
  /** The file's size; of an `original` the source's, if it is known. */
  bytes?: number;
  /** True if the URL is the source's own, because the image service can't make the image: all of it, in its own size. */
  original?: boolean;
  sha256?: string;
  /** Only in catalogs of the full profile: the quality that was found for the image, and its score, at most 100. */
  quality?: number;
  score?: number;
  /** Why the file is not the requested one: `webp-size-limit`, `avif-no-animation`, `service-limit`… */
  fallback?: string;
  /** The same image in the other formats, in their order of preference, and with a gain map. */
  also?: Alternative[];
}

export interface Alternative {
  path?: string;
  url?: string;
  type: string;
  bytes?: number;
  sha256?: string;
  quality?: number;
  score?: number;
  fallback?: string;
  /** "high": the file has a gain map, so that it is brighter on screens of high dynamic range. */
  dynamicRange?: string;
  /** With `dynamicRange`: how many times as bright as white the brightest parts may become. */
  headroom?: number;
}

export interface SlotUse {
  /** The box in the layout, in points. */
  width: number;
  /** The box in the layout, in points. */
  height: number;
  /** The size of the image, in points, if it is larger than its box: see `slotFrame`. */
  image?: { width: number; height: number };
  /** True if the files show only a part of the image, because the slot bounds its shape. */
  cropped?: boolean;
  /** An index into the image's variants for each of the catalog's scales. */
  variants: number[];
}

export interface Source {
  url?: string;
  bytes?: number;
  sha256: string;
  width?: number;
  height?: number;
  /** Exif's, 1 to 8. */
  orientation?: number;
  colourSpace?: "rgb" | "grey" | "cmyk" | "lab" | "other";
  profile?: string;
  etag?: string;
  lastModified?: string;
  robots?: string;
}
