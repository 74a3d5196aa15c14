import { Catalog, Variant } from "../model.js";

/** A file of an image in one format. */
export interface CatalogFile {
  /** Relative to the catalog. */
  path: string;
  /** The media type. */
  type: string;
  bytes: number;
}

/**
 * The image at this size in all its formats, in their order of preference.
 *
 * @param accepting the media types that the client supports; all formats if absent.
 */
export function filesFor(variant: Variant, accepting?: ReadonlySet<string>): CatalogFile[] {
  return [variant, ...(variant.also ?? [])]
    .filter(({ type }) => accepting === undefined || accepting.has(type))
    .map(({ path, type, bytes }) => ({ path, type, bytes }));
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
      for (const other of variant.also ?? []) (other.fallback === undefined ? types : fallbacks).add(other.type);
    }
  }
  return [...new Set([...types, ...fallbacks])];
}

/**
 * The URL of a file: its path with the catalog's `baseURL` before it.
 *
 * @param from the URL of the catalog, also a relative one such as "/feed/catalog.json", against which the result is
 *   resolved; needed if there is no `baseURL`.
 */
export function url(catalog: Catalog, path: string, from?: string | URL): string {
  const joined = (catalog.baseURL ?? "") + path;
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
