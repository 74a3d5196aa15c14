import { Catalog } from "../model.js";
import { fileFor, filesFor, referenceOf, url } from "./formats.js";
import { expectedBytes } from "./prefetch.js";
import { variantFor } from "./slots.js";

/** A file that a service worker keeps; what precaching libraries take. */
export interface PrecacheEntry {
  url: string;
  /** The name of an own file contains the digest of its content. The catalog has no digests of what a service makes. */
  revision: null;
}

export interface PrecacheOptions {
  /** The slots whose files are listed; all of the catalog's if absent. */
  slots?: readonly string[] | undefined;
  /** Device pixels per point; 1 if absent. */
  scale?: number | undefined;
  /**
   * The first file that exceeds the rest ends the list, so a list is the first screens of the catalog. The sizes of files
   * that only a service has are estimates: a quarter of a byte for each pixel.
   */
  maximumBytes?: number | undefined;
  /** The media types that the client supports; the first format of each file if absent. */
  accepting?: ReadonlySet<string> | undefined;
  /** The URL of the catalog, if it has no `baseURL`. */
  from?: string | URL | undefined;
}

/** The files of a catalog's images in some slots on a screen, each once, in the order of the catalog. */
export function precacheList(catalog: Catalog, options: PrecacheOptions = {}): PrecacheEntry[] {
  const { slots = Object.keys(catalog.slots), scale = 1, maximumBytes = Infinity, accepting } = options;
  const entries = new Map<string, PrecacheEntry>();
  let left = maximumBytes;
  for (const image of catalog.images) {
    for (const slot of slots) {
      const variant = variantFor(catalog, image, slot, scale);
      const file = variant && (accepting === undefined ? filesFor(variant)[0] : fileFor(variant, accepting));
      if (file === undefined || entries.has(referenceOf(file))) continue;
      left -= expectedBytes(file);
      if (left < 0) return [...entries.values()];
      entries.set(referenceOf(file), { url: url(catalog, file, options.from), revision: null });
    }
  }
  return [...entries.values()];
}
