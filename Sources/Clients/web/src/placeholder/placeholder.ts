import { Placeholder } from "../model.js";
import { Size } from "../layout/slots.js";
import { decodeBlurHash } from "./blurhash.js";
import { Pixels } from "./pixels.js";
import { pngURL } from "./png.js";
import { decodeThumbHash } from "./thumbhash.js";

/** One kind of placeholder, with its data, as in the catalog. */
export interface PlaceholderKind {
  kind: "lqip" | "thumbhash" | "blurhash" | "color";
  data: string;
}

/** The most detailed placeholder; undefined if there is none. */
export function bestPlaceholder(placeholder: Placeholder): PlaceholderKind | undefined {
  for (const kind of ["lqip", "thumbhash", "blurhash", "color"] as const) {
    const data = placeholder[kind];
    if (data !== undefined) return { kind, data };
  }
  return undefined;
}

/** Red, green and blue of a colour such as #a1b2c3, 0 to 255; undefined if it is malformed. */
export function rgb(color: string | undefined): [red: number, green: number, blue: number] | undefined {
  if (color === undefined || !/^#[0-9a-fA-F]{6}$/.test(color)) return undefined;
  const value = parseInt(color.slice(1), 16);
  return [value >> 16, (value >> 8) & 255, value & 255];
}

/**
 * The pixels of a placeholder. Undefined if it is not valid, and for a `data:` URL ("lqip"), which the browser decodes.
 *
 * @param size the size in pixels at which to draw a BlurHash. A ThumbHash has a shape of its own, so that only the longer
 *   side of the size counts; a colour is one pixel.
 */
export function pixelsOf({ kind, data }: PlaceholderKind, size: Size = { width: 32, height: 32 }): Pixels | undefined {
  switch (kind) {
    case "lqip": return undefined;
    case "thumbhash": {
      const bytes = base64(data);
      return bytes && decodeThumbHash(bytes, Math.max(size.width, size.height));
    }
    case "blurhash": return decodeBlurHash(data, size.width, size.height);
    case "color": {
      const color = rgb(data);
      return color && { width: 1, height: 1, samples: Uint8ClampedArray.of(...color, 255) };
    }
  }
}

/** The pixels of the first valid placeholder of these: the ThumbHash, the BlurHash, the colour. */
export function placeholderPixels(placeholder: Placeholder, size?: Size): Pixels | undefined {
  for (const kind of ["thumbhash", "blurhash", "color"] as const) {
    const data = placeholder[kind];
    const pixels = data === undefined ? undefined : pixelsOf({ kind, data }, size);
    if (pixels !== undefined) return pixels;
  }
  return undefined;
}

/**
 * A `data:` URL of the most detailed placeholder: the catalog's own (`lqip`), or a PNG of about 10 x 6 pixels, 300 to 500
 * characters, which the browser scales up.
 */
export function placeholderURL(placeholder: Placeholder, size: Size = { width: 10, height: 10 }): string | undefined {
  const own = placeholder.lqip;
  // A catalog is untrusted: its text must be an image and nothing else.
  if (own !== undefined && /^data:image\/[a-z]+;base64,[A-Za-z0-9+/=]+$/.test(own)) return own;
  const pixels = placeholderPixels(placeholder, size);
  return pixels && pngURL(pixels);
}

/** The bytes of Base64 (RFC 4648, section 4), also without padding, as some tools write a ThumbHash. */
function base64(text: string): Uint8Array | undefined {
  const padded = text + "=".repeat((4 - (text.length % 4)) % 4);
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(padded)) return undefined;
  try {
    return Uint8Array.from(atob(padded), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}
