import { Alternative, Catalog, Variant } from "../model.js";

/** What leads to a file; variants and their files are examples. */
export interface FileReference {
  /** Relative to the catalog. */
  path?: string | undefined;
  /** An image service makes the image when this URL is requested. */
  url?: string | undefined;
}

/** A file of an image in one format. */
export interface CatalogFile extends FileReference {
  /** The media type. */
  type: string;
  /** Pixels. */
  width: number;
  /** Pixels. */
  height: number;
  /** Undefined if only a service has the file. */
  bytes: number | undefined;
}

/** What names a file in caches and requests: its URL at a service if it has one, or else its path. */
export const referenceOf = ({ url, path }: FileReference): string => url ?? path ?? "";

/**
 * The image at this size in all its formats, in their order of preference; without `highDynamicRangeFile`.
 *
 * @param accepting the media types that the client supports; all formats if absent.
 */
export function filesFor(variant: Variant, accepting?: ReadonlySet<string>): CatalogFile[] {
  return [variant, ...(variant.also ?? []).filter(({ dynamicRange }) => dynamicRange === undefined)]
    .filter(({ type }) => accepting === undefined || accepting.has(type)).map((file) => fileOf(variant, file));
}

const fileOf = ({ width, height }: Variant, { path, url, type, bytes }: Variant | Alternative): CatalogFile =>
  ({ path, url, type, width, height, bytes });

/**
 * The image at this size for screens of high dynamic range, which on all others looks like the others; undefined if
 * there is none.
 */
export function highDynamicRangeFile(variant: Variant): CatalogFile | undefined {
  const file = variant.also?.find(({ dynamicRange }) => dynamicRange === "high");
  return file && fileOf(variant, file);
}

/** The first file in a format that the client supports; undefined if there is none. */
export function fileFor(variant: Variant, accepting: ReadonlySet<string>): CatalogFile | undefined {
  return filesFor(variant, accepting)[0];
}

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

/**
 * The URL of a file: its URL at a service if it has one, or else its path with the catalog's `baseURL` before it.
 *
 * @param file a variant, one of its files, or a reference: a path or a URL.
 * @param from the URL of the catalog, also a relative one such as "/feed/catalog.json", against which the result is
 *   resolved; needed if there is no `baseURL`.
 */
export function url(catalog: Catalog, file: string | FileReference, from?: string | URL): string {
  const reference = typeof file === "string" ? file : referenceOf(file);
  // A service may verify a signature of the URL, so it stays exactly as it is.
  if (/^https?:\/\//.test(reference)) return reference;
  const joined = (catalog.baseURL ?? "") + reference;
  if (from === undefined) return joined;
  const isAbsolute = (text: string): boolean => /^[a-z][a-z0-9+.-]*:/i.test(text);
  const base = String(from);
  if (isAbsolute(base)) return new URL(joined, base).href;
  return isAbsolute(joined) || joined.startsWith("/") ? joined : base.slice(0, base.lastIndexOf("/") + 1) + joined;
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
