import { Image, Variant, VariantFile } from "../model.js";
import { wholeVariants } from "../layout/boxes.js";
import { CatalogContext } from "../layout/entry.js";
import { everywhere, referenceOf, typesOf } from "../layout/formats.js";
import { slotUse, variantFor } from "../layout/slots.js";
import { sourceSetURL } from "./escape.js";

/** A size of an image, and what `srcset` says of it: `2x`, or `384w`. */
export interface Choice {
  variant: Variant;
  descriptor: string;
}

/**
 * Each file once, though it may serve several scales. Browsers take the first file whose scale is at least their own, or
 * the nearest one: with the highest of its scales for each file, and the lowest for the last, both come to the file that
 * was made for the scale.
 */
export function scaledChoices({ head }: CatalogContext, image: Image, slot: string): Choice[] {
  const served: { variant: Variant; lowest: number; highest: number }[] = [];
  for (const scale of head.scales) {
    const variant = variantFor(head, image, slot, scale);
    const last = served[served.length - 1];
    if (variant === undefined) continue;
    if (last?.variant === variant) last.highest = scale;
    else if (!served.some((each) => each.variant === variant)) served.push({ variant, lowest: scale, highest: scale });
  }
  return served.map(({ variant, lowest, highest }, index) =>
    ({ variant, descriptor: `${index === served.length - 1 ? lowest : highest}x` }));
}

/** All files of the image that can be shown at any width: those that were cropped for the slot, or the whole ones. */
export function fluidChoices(image: Image, slot: string): Choice[] {
  const use = slotUse(image, slot);
  const own = [...new Set(use?.variants?.flatMap((index) => image.variants?.[index] ?? []))];
  const variants = own.length > 0 && own.every(({ crop }) => crop === undefined) ? wholeVariants(image) : own;
  // An image that covers its box may be wider than it: `sizes` states the width of the box.
  const part = use?.image === undefined ? 1 : Math.min(1, (use.width ?? 1) / use.image.width);
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

type Pick = (variant: Variant) => VariantFile | undefined;

/** One file of each choice; undefined if a choice has none. */
function typed(
  context: CatalogContext, choices: readonly Choice[], type: string, pick: Pick,
): TypedFiles | undefined {
  const set: string[] = [];
  let first: string | undefined;
  for (const { variant, descriptor } of choices) {
    const file = pick(variant);
    if (file === undefined) return undefined;
    const address = context.url(referenceOf(file));
    first ??= address;
    set.push(`${sourceSetURL(address)} ${descriptor}`);
  }
  return first === undefined ? undefined : { type, srcset: set.join(", "), first };
}

/** For `source` elements all types but the last of each size, and that one for `img`. */
export function typedFiles(
  context: CatalogContext, choices: readonly Choice[],
): { sources: TypedFiles[]; last: TypedFiles | undefined } {
  const lastOf = ({ files }: Variant): VariantFile | undefined => files[files.length - 1];
  const offered = new Set(choices.flatMap(({ variant }) => variant.files.slice(0, -1).map(({ type }) => type)));
  const types = typesOf(context.head).filter((type) => offered.has(type));
  const sources = types.flatMap((type) => typed(context, choices, type, (variant) => {
    const last = lastOf(variant);
    // If a size was not made in that type, its last file takes the place, if every browser shows that, whatever the
    // `type` of a `source` says.
    return variant.files.find((file) => file.type === type) ?? (last !== undefined && everywhere.has(last.type) ? last : undefined);
  }) ?? []);
  return { sources, last: typed(context, choices, "", lastOf) };
}

/** For screens of high dynamic range, if every size has such a file. */
export function highDynamicRange(context: CatalogContext, choices: readonly Choice[]): TypedFiles | undefined {
  const files = typed(context, choices, "image/jpeg", ({ highDynamicRange }) => highDynamicRange);
  return files && { media: "(dynamic-range: high)", ...files };
}

/** For visitors who ask for less data: the file for the smallest scale, in each type. */
export function reducedData(context: CatalogContext, image: Image, slot: string): TypedFiles[] {
  return (variantFor(context.head, image, slot, 0)?.files ?? []).map((file) => {
    const first = context.url(referenceOf(file));
    return { media: "(prefers-reduced-data: reduce)", type: file.type, srcset: sourceSetURL(first), first };
  });
}
