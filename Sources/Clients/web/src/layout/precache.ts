import { CatalogIndex } from "./catalogIndex.js";
import { expectedBytes } from "./formats.js";

/** A file that a service worker keeps; what precaching libraries take. */
export interface PrecacheEntry {
  url: string;
  /** The content behind the name of an own file never changes. The catalog has no digests of what a service makes. */
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
}

/** The files of a catalog's images in some slots on a screen, each once, in the order of the catalog. */
export function precacheList({ catalog, context }: CatalogIndex, options: PrecacheOptions = {}): PrecacheEntry[] {
  const { slots = Object.keys(catalog.slots), scale = 1, maximumBytes = Infinity } = options;
  const entries = new Map<string, PrecacheEntry>();
  let left = maximumBytes;
  for (const image of catalog.images) {
    for (const slot of slots) {
      const file = context.entry(image).file(slot, scale);
      if (file === undefined || entries.has(file.reference)) continue;
      left -= expectedBytes(file);
      if (left < 0) return [...entries.values()];
      entries.set(file.reference, { url: file.url, revision: null });
    }
  }
  return [...entries.values()];
}
