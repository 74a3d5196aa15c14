import { Catalog } from "../model.js";
import { fileFor, filesFor, url } from "./formats.js";
import { variantFor } from "./slots.js";

/** A file that a service worker keeps; what precaching libraries take. */
export interface PrecacheEntry {
  url: string;
  /** A URL contains the digest of its content, so no revision is needed. */
  revision: null;
}

export interface PrecacheOptions {
  /** The slots whose files are listed; all of the catalog's if absent. */
  slots?: readonly string[] | undefined;
  /** Device pixels per point; 1 if absent. */
  scale?: number | undefined;
  /** The first file that exceeds the rest ends the list, so a list is the first screens of the catalog. */
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
      if (file === undefined || entries.has(file.path)) continue;
      if (file.bytes > left) return [...entries.values()];
      left -= file.bytes;
      entries.set(file.path, { url: url(catalog, file.path, options.from), revision: null });
    }
  }
  return [...entries.values()];
}
