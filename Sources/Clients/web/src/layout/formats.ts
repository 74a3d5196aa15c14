import { CatalogHead, VariantFile } from "../model.js";

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
  /** Undefined if it is not known, because an image service makes the file. */
  readonly bytes: number | undefined;
}

/** The size of a file, or else an estimate: a quarter of a byte for each pixel. */
export const expectedBytes = ({ bytes, width, height }: ImageFile): number =>
  Math.max(0, bytes ?? Math.floor((width * height) / 4));

/** What names a file in caches and requests: its URL at a service if it has one, or else its path. */
export const referenceOf = ({ url, path }: VariantFile): string => url ?? path ?? "";

/** The media types of the formats, in their order of preference; those that only take the place of another come last. */
export const typesOf = ({ formats }: Pick<CatalogHead, "formats">): string[] =>
  [...new Set(formats.filter(({ dynamicRange }) => dynamicRange === undefined).map(({ type }) => type))];

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
