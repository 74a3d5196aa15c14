import { Failure, Image, Variant } from "../model.js";
import { PlaceholderKind } from "../placeholder/placeholder.js";
import { ImageFile } from "./formats.js";
import { Size } from "./slots.js";

/** The state of an image on the screen; "loading" also before the file is requested. */
export type ImageState = "loading" | "loaded" | "failed";

/** What to draw in an image's place. */
export type Appearance =
  | { kind: "image"; file: ImageFile }
  /** A blurred image, made from the most detailed placeholder. */
  | { kind: "placeholder"; placeholder: PlaceholderKind }
  /** Nothing is known of the image. The app draws whatever it uses for an empty place. */
  | { kind: "empty" }
  /** There is nothing to show and nothing to wait for. Without an error, the client failed to load a file. */
  | { kind: "failure"; error: Failure | undefined };

/**
 * Of what an app has of an image, the best one for a size: that size, or else the smallest larger one of the same part of the
 * image, or else the largest smaller one.
 *
 * @param cached what the app has of a variant.
 */
export function cachedVariant<Cached>(
  image: Image, { width, height }: Size, cached: (variant: Variant) => Cached | undefined,
): Cached | undefined {
  const alike = (image.variants ?? []).filter((each) => hasSameShape(each, { width, height }));
  const best = [
    ...alike.filter((each) => each.width === width && each.height === height),
    ...alike.filter((each) => each.width >= width && each.height >= height),
    ...alike.filter((each) => each.width <= width && each.height <= height).reverse(),
  ];
  for (const variant of best) {
    const found = cached(variant);
    if (found !== undefined) return found;
  }
  return undefined;
}

/**
 * Whether two files show the same part of an image: their sides are in the same proportion, up to the rounding of the
 * smaller one's shorter side.
 */
function hasSameShape(one: Size, other: Size): boolean {
  const [small, large] = one.width <= other.width ? [one, other] : [other, one];
  const { width, height } = small;
  if (width <= 0 || height <= 0) return false;
  return width >= height
    ? Math.abs((width * large.height) / large.width - height) <= 0.5 + width / large.width
    : Math.abs((height * large.width) / large.height - width) <= 0.5 + height / large.height;
}
