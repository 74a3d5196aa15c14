import { Image, Mode, Variant } from "../model.js";
import { Frame, frameOf, Size } from "./slots.js";

/** A place in the layout that is not a slot, in points. A side that is absent is free; at most one may be. */
export interface Box {
  width?: number | undefined;
  height?: number | undefined;
  /** "fit" if absent. */
  mode?: Mode | undefined;
}

/** A quotient as the length of a side: the nearest whole number, halves rounded up. */
function rounded(dividend: number, divisor: number): number {
  const length = Math.floor((2 * dividend + divisor) / (2 * divisor));
  // A catalog is untrusted input: no side is longer than 1e9, and none is NaN.
  return length < 1e9 ? Math.max(1, length) : 1e9;
}

/** The whole box, if every image covers it. */
function coveredBox({ width, height, mode }: Box): Size | undefined {
  if (mode === undefined || mode === "fit" || width === undefined || height === undefined) return undefined;
  return { width: rounded(width, 1), height: rounded(height, 1) };
}

/**
 * The size that the image takes in any box, in the unit of the box: the box if the image covers it, or else a size of the
 * image's shape, even if the image has fewer pixels. Sides are rounded to the nearest whole number and are at least 1.
 *
 * Undefined if the image's own size is unknown, or if both sides of the box are absent.
 */
export function boxSize(image: Image, box: Box): Size | undefined {
  const whole = wholeSize(image, box);
  return whole && (coveredBox(box) ?? whole);
}

/** Where the whole image is drawn in any box. */
export function boxFrame(image: Image, box: Box): Frame | undefined {
  const whole = wholeSize(image, box);
  return whole && frameOf(whole, coveredBox(box) ?? whole, image.focus);
}

/** The size of the whole image, which covers the box or is inside. */
function wholeSize(image: Image, { width, height, mode = "fit" }: Box): Size | undefined {
  const { width: across, height: down } = image;
  if (across === undefined || down === undefined || across <= 0 || down <= 0) return undefined;
  const byWidth = (side: number): Size => ({ width: rounded(side, 1), height: rounded(side * down, across) });
  const byHeight = (side: number): Size => ({ width: rounded(side * across, down), height: rounded(side, 1) });
  if (width === undefined) return height === undefined ? undefined : byHeight(height);
  if (height === undefined) return byWidth(width);
  return (mode === "fit") === (width * down <= height * across) ? byWidth(width) : byHeight(height);
}

/**
 * The file to fetch for any box on a screen: the smallest file with at least one pixel per device pixel, or the largest
 * file. Files that were cropped for a slot are ignored, unless all were.
 *
 * @param scale device pixels per point.
 */
export function variantForBox(image: Image, box: Box, scale: number): Variant | undefined {
  // A file of the whole image covers a box if both sides do.
  const shown = boxSize(image, box);
  if (shown === undefined) return undefined;
  const whole = wholeVariants(image);
  const candidates = whole.length === 0 ? image.variants ?? [] : whole;
  const largest = candidates[candidates.length - 1];
  // NaN and infinity come from a layout that is not there yet.
  if (!Number.isFinite(scale)) return largest;
  const [across, down] = [shown.width * scale, shown.height * scale];
  // A file's sides are rounded, so it may be up to half a pixel smaller than computed.
  return candidates.find((each) => each.width + 0.5 >= across && each.height + 0.5 >= down) ?? largest;
}

/** The files that show the whole image, smallest first. The others were cropped for a slot. */
export const wholeVariants = (image: Image): Variant[] => (image.variants ?? []).filter(({ crop }) => crop === undefined);
