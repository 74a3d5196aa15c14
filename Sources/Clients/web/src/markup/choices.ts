import { Catalog, Image, Variant } from "../model.js";
import { wholeVariants } from "../layout/boxes.js";
import { everywhere, CatalogFile, filesFor, highDynamicRangeFile, url } from "../layout/formats.js";
import { slotOf, slotUse, variantFor } from "../layout/slots.js";
import { sourceSetURL } from "./escape.js";

/** A size of an image, and what `srcset` says of it: `2x`, or `384w`. */
export interface Choice {
  variant: Variant;
  descriptor: string;
}

/**
 * The file for each scale. One that serves several is listed at each: a browser takes the nearest scale of the list, and
 * for one that is missing that may be another file.
 */
export function scaledChoices(catalog: Catalog, image: Image, slot: string): Choice[] {
  return catalog.scales.flatMap((scale) => {
    const variant = variantFor(catalog, image, slot, scale);
    return variant === undefined ? [] : [{ variant, descriptor: `${scale}x` }];
  });
}

/** All files of the image that can be shown at any width: those that were cropped for the slot, or the whole ones. */
export function fluidChoices(catalog: Catalog, image: Image, slot: string): Choice[] {
  const use = slotUse(image, slot);
  if (use === undefined) return [];
  const definition = slotOf(catalog, slot);
  const cropped = new Set(use.variants.flatMap((index) => image.variants?.[index] ?? []));
  const whole = wholeVariants(image);
  const variants = definition?.mode === "clip" || whole.length === 0 ? [...cropped] : whole;
  // An image that covers the slot may be wider than it: `sizes` states the width of the slot.
  const part = definition?.mode === "fill" && definition.width !== undefined
    ? Math.min(1, definition.width / use.width) : 1;
  const seen = new Set<string>();
  return variants.flatMap((variant) => {
    const descriptor = `${Math.max(1, Math.floor(variant.width * part))}w`;
    if (seen.has(descriptor)) return [];
    seen.add(descriptor);
    return [{ variant, descriptor }];
  });
}

/** The files of one type. */
export interface TypedFiles {
  /** Which screens they are for; all if undefined. */
  media?: string;
  type: string;
  srcset: string;
  /** The file of the first choice. */
  first: string;
}

/** For `source` elements all types but the last of each size, and that one for `img`. */
export function typedFiles(
  catalog: Catalog, choices: readonly Choice[], from: string | URL | undefined,
): { sources: TypedFiles[]; last: TypedFiles | undefined } {
  const files = choices.map(({ variant, descriptor }) => ({
    files: filesFor(variant), high: highDynamicRangeFile(variant), descriptor,
  }));
  const typed = (
    type: string, pick: (files: CatalogFile[], high: CatalogFile | undefined) => CatalogFile | undefined,
  ): TypedFiles | undefined => {
    const set: string[] = [];
    let first: string | undefined;
    for (const choice of files) {
      const file = pick(choice.files, choice.high);
      if (file === undefined) return undefined;
      const address = url(catalog, file, from);
      first ??= address;
      set.push(`${sourceSetURL(address)} ${choice.descriptor}`);
    }
    return first === undefined ? undefined : { type, srcset: set.join(", "), first };
  };
  const lastOf = (list: CatalogFile[]): CatalogFile | undefined => list[list.length - 1];
  // Sizes with more formats first: their order of preference is the fullest.
  const types = new Set([...files].sort((one, other) => other.files.length - one.files.length)
    .flatMap((choice) => choice.files.slice(0, -1).map(({ type }) => type)));
  const sources = [...types].flatMap((type) => typed(type, (list) => {
    const last = lastOf(list);
    // If a size was not made in that type, its last file takes the place, if every browser shows that, whatever the
    // `type` of a `source` says.
    return list.find((file) => file.type === type) ?? (last !== undefined && everywhere.has(last.type) ? last : undefined);
  }) ?? []);
  const high = typed("image/jpeg", (_, file) => file);
  // Before all others: a browser takes the first source that fits.
  if (high !== undefined) sources.unshift({ media: "(dynamic-range: high)", ...high });
  return { sources, last: typed("", lastOf) };
}
