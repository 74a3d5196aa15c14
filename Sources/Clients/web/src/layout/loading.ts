import { Failure, Image, Variant } from "../model.js";
import { bestPlaceholder, PlaceholderKind } from "../placeholder/placeholder.js";
import { filesFor, referenceOf } from "./formats.js";

/** The state of an image on the screen; "loading" also before the file is requested. */
export type ImageState = "loading" | "loaded" | "failed";

/** What to draw in an image's place. */
export type Appearance =
  | { kind: "image"; variant: Variant }
  /** A blurred image, made from the most detailed placeholder. */
  | { kind: "placeholder"; placeholder: PlaceholderKind }
  /** Nothing is known of the image. The app draws whatever it uses for an empty place. */
  | { kind: "empty" }
  /** There is nothing to show and nothing to wait for. Without an error, the client failed to load a file. */
  | { kind: "failure"; error: Failure | undefined };

/**
 * What to draw for the image in a state. The size of its place does not depend on the state.
 *
 * @param variant the file chosen for the place; undefined if the catalog has none.
 */
export function appearance(image: Image, state: ImageState, variant: Variant | undefined): Appearance {
  // A layout-only run makes no files, so a pending image is still expected to arrive.
  if (variant === undefined) return image.status === "failed" ? { kind: "failure", error: image.error } : waiting(image);
  if (state === "loaded") return { kind: "image", variant };
  return state === "failed" ? { kind: "failure", error: undefined } : waiting(image);
}

function waiting(image: Image): Appearance {
  const placeholder = image.placeholder && bestPlaceholder(image.placeholder);
  return placeholder === undefined ? { kind: "empty" } : { kind: "placeholder", placeholder };
}

/**
 * The best file that an app has already, to show at once while the wanted one loads: the wanted file, or else the
 * smallest larger one of the same part of the image, or else the largest smaller one. Undefined if it has none of these.
 *
 * @param wanted the file chosen for the place.
 * @param isCached whether the file with this reference (see `referenceOf`) is at hand.
 */
export function cachedVariant(
  image: Image, wanted: Variant, isCached: (reference: string) => boolean,
): Variant | undefined {
  const has = (variant: Variant): boolean => filesFor(variant).some((file) => isCached(referenceOf(file)));
  if (has(wanted)) return wanted;
  const reference = referenceOf(wanted);
  const alike = (image.variants ?? []).filter((each) => hasSameShape(each, wanted) && referenceOf(each) !== reference);
  return alike.filter((each) => each.width >= wanted.width && each.height >= wanted.height).find(has)
    ?? alike.filter((each) => each.width <= wanted.width && each.height <= wanted.height).reverse().find(has);
}

/**
 * Whether two files show the same part of an image: their sides are in the same proportion, up to the rounding of the
 * smaller one's shorter side.
 */
function hasSameShape(one: Variant, other: Variant): boolean {
  const [small, large] = one.width <= other.width ? [one, other] : [other, one];
  const { width, height } = small;
  if (width <= 0 || height <= 0) return false;
  return width >= height
    ? Math.abs((width * large.height) / large.width - height) <= 0.5 + width / large.width
    : Math.abs((height * large.width) / large.height - width) <= 0.5 + height / large.height;
}
