import { UnknownSlotError } from "../errors.js";
import { Catalog, Image, Slot, SlotUse, Variant } from "../model.js";

/** A size, in points unless the documentation says pixels. */
export interface Size {
  width: number;
  height: number;
}

/** A member by any name, such as `constructor`, which every object inherits, and `__proto__`. */
export function own<Value>(members: { [name: string]: Value } | undefined, name: string): Value | undefined {
  return members !== undefined && Object.prototype.hasOwnProperty.call(members, name) ? members[name] : undefined;
}

/** One of the catalog's slots. */
export const slotOf = (catalog: Pick<Catalog, "slots">, slot: string): Slot | undefined => own(catalog.slots, slot);

/** How an image fills one slot; undefined if it is not used in it. */
export const slotUse = (image: Image, slot: string): SlotUse | undefined => own(image.slots, slot);

/** Where an image is drawn, in points. The origin is the upper left corner of its box. */
export interface Frame extends Size {
  /** 0 or less: what is left of the box is not shown. */
  x: number;
  /** 0 or less. */
  y: number;
}

/** An image in a box: as CSS's `object-position` does, it puts the focus at the same fractions of the box. */
export function frameOf(shown: Size, box: Size, [x, y]: readonly [number, number] = [0.5, 0.5]): Frame {
  // `+ 0`: a product with 0 may be -0.
  return { x: (box.width - shown.width) * x + 0, y: (box.height - shown.height) * y + 0, width: shown.width, height: shown.height };
}

/** Where an image is drawn in its box in a slot: it has the box's size, or covers it. Undefined as for `slotSize`. */
export function slotFrame(image: Image, slot: string): Frame | undefined {
  const box = slotSize(image, slot);
  return box && frameOf(slotUse(image, slot)?.image ?? box, box, image.focus);
}

/** The size of an image's box in a slot, in points. Undefined if it is not known, or if the image is not used in the slot. */
export function slotSize(image: Image, slot: string): Size | undefined {
  const { width, height } = slotUse(image, slot) ?? {};
  return width === undefined || height === undefined ? undefined : { width, height };
}

/**
 * The file to fetch for a slot on a screen: the one made for the smallest scale that is at least `scale`, or for the
 * largest scale. Undefined if the image is not used in the slot, or if it has no files.
 */
export function variantFor(catalog: Pick<Catalog, "scales">, image: Image, slot: string, scale: number): Variant | undefined {
  const enough = catalog.scales.findIndex((each) => each >= scale);
  const index = slotUse(image, slot)?.variants?.[enough < 0 ? catalog.scales.length - 1 : enough];
  return index === undefined ? undefined : image.variants?.[index];
}

/** Width divided by height, as displayed. Undefined if the size is unknown. */
export function aspectRatio({ width, height }: Image): number | undefined {
  return width !== undefined && height !== undefined && width > 0 && height > 0 ? width / height : undefined;
}

/**
 * Checks the names that an app uses, once, when it has read the catalog. Later lookups return undefined for a slot that
 * is unknown, as they do for an image that is not used in it. Throws `UnknownSlotError` for the first unknown name.
 */
export function requireSlots(catalog: Catalog, ...names: string[]): void {
  for (const name of names) {
    if (slotOf(catalog, name) !== undefined) continue;
    const known = Object.keys(catalog.slots).sort();
    throw new UnknownSlotError(name, known, nearest(name, known));
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
