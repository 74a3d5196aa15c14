import type { Placeholder } from "./model.js";
import { decodeThumbHash, type Pixels } from "./thumbhash.js";

/** Red, green and blue of a colour such as #a1b2c3, 0 to 255; undefined if it is malformed. */
export function rgb(color: string | undefined): [red: number, green: number, blue: number] | undefined {
  if (color === undefined || !/^#[0-9a-f]{6}$/i.test(color)) return undefined;
  const value = parseInt(color.slice(1), 16);
  return [value >> 16, (value >> 8) & 255, value & 255];
}

/**
 * The pixels of a placeholder: of its ThumbHash, or one pixel of its colour. Undefined if it has neither, or only malformed ones.
 *
 * @param side the longer one, in pixels: 1 to 100.
 */
export function placeholderPixels({ thumbhash, color }: Placeholder, side = 32): Pixels | undefined {
  const bytes = thumbhash === undefined ? undefined : base64(thumbhash);
  const parts = rgb(color);
  return (bytes && decodeThumbHash(bytes, side)) ?? (parts && { width: 1, height: 1, samples: Uint8ClampedArray.of(...parts, 255) });
}

/**
 * A `data:` URL of a placeholder: a BMP of about 10 x 6 pixels, some 500 characters, which the browser scales up. Made without
 * a canvas, so it works on servers, too.
 */
export function placeholderURL(placeholder: Placeholder, side = 10): string | undefined {
  const pixels = placeholderPixels(placeholder, side);
  return pixels && `data:image/bmp;base64,${btoa(String.fromCharCode(...encodeBMP(pixels)))}`;
}

/** The bytes of Base64 (RFC 4648, section 4), also without padding, as some tools write a ThumbHash. */
function base64(text: string): Uint8Array | undefined {
  try {
    // `atob` also takes blanks.
    return /\s/.test(text) ? undefined : Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}

/** A BMP file: an uncompressed format of version 4, with the samples as they are and rows from top to bottom. */
function encodeBMP({ width, height, samples }: Pixels): number[] {
  const header = [
    // The file's size, where the pixels begin, the header's size; a plane of 32 bits; masks of red, green, blue and alpha; sRGB.
    122 + samples.length, 0, 122, 108, width, -height, 0x200001, 3, 0, 0, 0, 0, 0, 255, 0xff00, 0xff0000, 0xff000000, 0x73524742,
    ...Array(12).fill(0) as number[]];
  return [0x42, 0x4d, ...header.flatMap((word) => [0, 8, 16, 24].map((shift) => (word >>> shift) & 255)), ...samples];
}
