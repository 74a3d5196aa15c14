import type { CatalogIndex } from "./catalog.js";
import { UnknownSlotError } from "./errors.js";

/**
 * Checks the names that an app uses, once, when it has opened the catalog. Later look-ups return undefined for a slot that
 * is unknown, as they do for an image that is not used in it. Throws `UnknownSlotError` for the first unknown name.
 */
export function requireSlots({ head }: CatalogIndex, ...names: string[]): void {
  const known = Object.keys(head.slots).sort();
  for (const name of names) {
    if (!known.includes(name)) throw new UnknownSlotError(name, known, nearest(name, known));
  }
}

/**
 * The candidate with the fewest changed, added, missing or swapped letters; undefined if that number is over a third of
 * the word's length (over one for short words).
 */
function nearest(word: string, candidates: readonly string[]): string | undefined {
  const limit = Math.max(1, Math.floor(Array.from(word).length / 3));
  let best: string | undefined;
  let least = limit + 1;
  for (const candidate of candidates) {
    const distance = distanceBetween(Array.from(word.toLowerCase()), Array.from(candidate.toLowerCase()));
    if (distance < least) [best, least] = [candidate, distance];
  }
  return best;
}

/** The optimal string alignment distance: Levenshtein's, with a swap of two neighbours as one change. */
function distanceBetween(a: readonly string[], b: readonly string[]): number {
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, place) => place)];
  const at = (i: number, j: number): number => rows[i]?.[j] ?? 0;
  for (let i = 0; i < a.length; i += 1) {
    const row = [i + 1];
    rows.push(row);
    for (let j = 0; j < b.length; j += 1) {
      let best = Math.min(at(i + 1, j) + 1, at(i, j + 1) + 1, at(i, j) + (a[i] === b[j] ? 0 : 1));
      if (i > 0 && j > 0 && a[i] === b[j - 1] && a[i - 1] === b[j]) best = Math.min(best, at(i - 1, j - 1) + 1);
      row.push(best);
    }
  }
  return at(a.length, b.length);
}
