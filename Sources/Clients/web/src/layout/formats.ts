import { Alternative, Catalog, Variant } from "../model.js";

/**
 * A file to request: in a format that the client shows, with its whole URL. Entries of a `CatalogIndex` return them, so what
 * can't be shown can't be requested.
 */
export interface ImageFile {
  /** The URL to request. */
  readonly url: string;
  /**
   * What caches know the file by, wherever the catalog came from: the URL at an image service if there is one, or else the
   * path in the catalog.
   */
  readonly reference: string;
  /** The media type. */
  readonly type: string;
  /** Pixels. */
  readonly width: number;
  /** Pixels. */
  readonly height: number;
  /** Undefined if an image service makes the file. */
  readonly bytes: number | undefined;
}

/** The size of a file, or else an estimate: a quarter of a byte for each pixel. */
export const expectedBytes = ({ bytes, width, height }: ImageFile): number =>
  Math.max(0, bytes ?? Math.floor((width * height) / 4));

/** A file of an image in one format, not yet one that is accepted. */
export interface VariantFile {
  path?: string | undefined;
  url?: string | undefined;
  type: string;
  bytes?: number | undefined;
}

/** What names a file in caches and requests: its URL at a service if it has one, or else its path. */
export const referenceOf = ({ url, path }: { url?: string | undefined; path?: string | undefined }): string => url ?? path ?? "";

/** The image at this size in all its formats, in their order of preference; without `highDynamicRangeFile`. */
export const filesOf = (variant: Variant): VariantFile[] =>
  [variant, ...(variant.also ?? []).filter(({ dynamicRange }) => dynamicRange === undefined)];

/**
 * The image at this size for screens of high dynamic range, which on all others looks like the others; undefined if
 * there is none.
 */
export const highDynamicRangeFile = (variant: Variant): Alternative | undefined =>
  variant.also?.find(({ dynamicRange }) => dynamicRange === "high");

/**
 * The media types of all files in their order of preference: the formats that the pipeline requests first, then the
 * formats that occur only as fallbacks.
 */
export function typesOf(catalog: Catalog): string[] {
  const types = new Set<string>();
  const fallbacks = new Set<string>();
  for (const image of catalog.images) {
    for (const variant of image.variants ?? []) {
      (variant.fallback === undefined ? types : fallbacks).add(variant.type);
      for (const other of variant.also ?? []) {
        if (other.dynamicRange === undefined) (other.fallback === undefined ? types : fallbacks).add(other.type);
      }
    }
  }
  return [...new Set([...types, ...fallbacks])];
}

/** What every client shows. */
export const everywhere: ReadonlySet<string> = new Set(["image/jpeg", "image/png", "image/gif"]);

/**
 * What a browser shows, by its header `Accept` (RFC 9110, section 12.5.1), for a server. Types of weight 0 are left out,
 * and ranges such as `image/*` add nothing: browsers send them whatever they support.
 */
export function supportedTypes(acceptHeader: string): Set<string> {
  const types = new Set(everywhere);
  for (const part of acceptHeader.split(",")) {
    const [type, ...fields] = part.split(";").map((field) => field.replace(/[ \t]/g, "").toLowerCase()).filter(Boolean);
    if (type === undefined || !type.startsWith("image/") || type.endsWith("*")) continue;
    if (fields.some((field) => /^q=[0-9.]+$/.test(field) && Number(field.slice(2)) === 0)) types.delete(type);
    else types.add(type);
  }
  return types;
}

/** The first versions that show a type: of iOS, iPadOS and tvOS, of macOS, and of Android by API level. */
const since: { readonly [system: string]: readonly (readonly [type: string, version: number])[] } = {
  iOS: [["image/heic", 11], ["image/webp", 14], ["image/avif", 16], ["image/jxl", 17]],
  macOS: [["image/heic", 10], ["image/webp", 11], ["image/avif", 13], ["image/jxl", 14]],
  android: [["image/webp", 18], ["image/heic", 28], ["image/avif", 31]],
};

/** What apps show on a version of a system, for a server that answers them. */
export function systemTypes(system: "iOS" | "macOS" | "android", version: number): Set<string> {
  const types = (since[system] ?? []).filter(([, first]) => version >= first).map(([type]) => type);
  return new Set([...everywhere, ...types]);
}
