import { type CatalogIndex, own } from "./catalog.js";
import type { Image, Mode, Variant, VariantFile } from "./model.js";

/** A size, in points unless the documentation says pixels. */
export interface Size {
  width: number;
  height: number;
}

/** Where an image is drawn, in points. The origin is the upper left corner of its box. */
export interface Frame extends Size {
  /** 0 or less: what is left of the box is not shown. */
  x: number;
  /** 0 or less. */
  y: number;
}

/** A place in the layout that is not a slot, in points. A side that is absent is free; at most one may be. */
export interface Box {
  width?: number | undefined;
  height?: number | undefined;
  /** "fit" if absent. */
  mode?: Mode | undefined;
}

/**
 * "moving" is the first format that the client shows. "still", for who asks for less motion and for a poster before it plays, is the
 * first one that does not move, if there is any. "auto" is "still" in a place of at most 64 points, and else "moving".
 */
export type Motion = "auto" | "still" | "moving";

/** A file to request: in a format that the client shows, with its whole URL. */
export interface ImageFile {
  /** The URL to request. */
  readonly url: string;
  /** What caches know the file by, wherever the catalog came from: its URL at an image service, or else its path. */
  readonly reference: string;
  /** The media type. */
  readonly type: string;
  /** Pixels. */
  readonly width: number;
  /** Pixels. */
  readonly height: number;
  /** Undefined if it is not known, because an image service makes the file. */
  readonly bytes: number | undefined;
  /** Whether it moves. */
  readonly isAnimated: boolean;
}

/** What names a file in caches and requests: its URL at a service if it has one, or else its path. */
export const referenceOf = ({ url, path }: VariantFile): string => url ?? path ?? "";

/** Whether a place is so small that an image does not move in it. */
export const isSmall = ({ width, height }: Size): boolean => width <= 64 && height <= 64;

/** Sides as whole numbers. A catalog is untrusted input: none is longer than `most`. */
function rounded({ width, height }: Size, most: number): Size {
  const side = (length: number): number => Math.min(most, Math.max(1, Math.round(length)));
  return { width: side(width), height: side(height) };
}

/**
 * An image of a catalog as one client sees it. It knows its place in each slot, by the slot's name, or in any box, and the file
 * to request for it.
 */
export class CatalogEntry {
  constructor(readonly index: CatalogIndex, readonly image: Image) {}

  get id(): string {
    return this.image.id;
  }

  /**
   * The size of the image's place in the layout, from 1 to 100,000 points a side; also that of a failed image, whose place in a
   * slot is a square if nothing else is known. Undefined if the image is not used in the slot, or if a side of the box is zero,
   * negative or not finite: that layout is not there yet.
   */
  box(place: string | Box): Size | undefined {
    return this.layout(place)?.box;
  }

  /** Where the image is drawn in its box: it has the box's size, or covers it with its focus in view. Undefined as for `box`. */
  frame(place: string | Box): Frame | undefined {
    const layout = this.layout(place);
    if (layout === undefined) return undefined;
    const { box, whole } = layout;
    const [x, y] = this.image.focus ?? [0.5, 0.5];
    // As CSS's `object-position`: the focus is at the same fractions of the box. `+ 0`: a product with 0 may be -0.
    return { x: (box.width - whole.width) * x + 0, y: (box.height - whole.height) * y + 0, ...whole };
  }

  /**
   * The file to request, in a format that the client shows: for a slot the one that was made for the smallest scale that is at
   * least `scale`, or for the largest scale; for a box the smallest with one pixel per device pixel, or the largest. Undefined if
   * there is none, or if the layout is not there yet.
   *
   * @param scale device pixels per point.
   */
  file(place: string | Box, scale: number, motion: Motion = "auto"): ImageFile | undefined {
    const box = this.box(place);
    const variant = box && this.variant(place, box, scale);
    if (variant === undefined) return undefined;
    const shown = variant.files.filter(({ type }) => this.index.accepted.has(type));
    const isStill = motion === "still" || (motion === "auto" && isSmall(box as Size));
    const file = (isStill ? shown.find((each) => each.isStill) : undefined) ?? shown[0];
    if (file === undefined) return undefined;
    const [reference, { width, height }] = [referenceOf(file), variant];
    return { url: this.index.url(reference), reference, type: file.type, width, height, bytes: file.bytes, isAnimated: !file.isStill };
  }

  /** The files made for a scale of a slot. */
  slotVariant(slot: string, scale: number): Variant | undefined {
    const { scales } = this.index.head;
    const enough = scales.findIndex((each) => each >= scale);
    const index = own(this.image.slots, slot)?.variants?.[enough < 0 ? scales.length - 1 : enough];
    return index === undefined ? undefined : this.image.variants?.[index];
  }

  private variant(place: string | Box, box: Size, scale: number): Variant | undefined {
    if (!(scale > 0 && scale < Infinity)) return undefined;
    if (typeof place === "string") return this.slotVariant(place, scale);
    const { variants = [] } = this.image;
    // Files that were cropped for a slot are ignored, unless all were.
    const whole = variants.filter(({ crop }) => crop === undefined);
    const candidates = whole.length === 0 ? variants : whole;
    // A file's sides are rounded, so it may be up to half a pixel smaller than computed.
    return candidates.find((each) => each.width + 0.5 >= box.width * scale && each.height + 0.5 >= box.height * scale)
      ?? candidates[candidates.length - 1];
  }

  /** The box, and the size of the whole image, which has the same size or covers it. */
  private layout(place: string | Box): { box: Size; whole: Size } | undefined {
    let box: Box;
    let whole: Size | undefined;
    if (typeof place === "string") {
      const use = own(this.image.slots, place);
      if (use === undefined) return undefined;
      whole = use.image;
      box = use.width === undefined || use.height === undefined ? own(this.index.head.slots, place) ?? {} : use;
    } else {
      const { width = 0, height = 0, mode = "fit" } = box = place;
      if ([place.width ?? 1, place.height ?? 1].some((side) => !(side > 0 && side < Infinity)) || !(width || height)) return undefined;
      const { width: across = 0, height: down = 0 } = this.image;
      if (across > 0 && down > 0) {
        // The side that decides: the other one is inside the box, or covers it.
        const byWidth = height === 0 || (width > 0 && (mode === "fit") === width * down <= height * across);
        whole = byWidth ? { width, height: (width * down) / across } : { width: (height * across) / down, height };
        if (mode === "fit" || !width || !height) box = whole;
      }
    }
    const side = box.width ?? box.height;
    if (side === undefined) return undefined;
    // Of an image whose size is unknown, a free side is as long as the other one.
    const { width = side, height = side } = box;
    return { box: rounded({ width, height }, 1e5), whole: rounded(whole ?? { width, height }, 1e9) };
  }
}
