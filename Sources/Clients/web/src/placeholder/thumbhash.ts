import { cosines, Pixels } from "./pixels.js";

/** The four-bit digits of a hash, the lower half of each byte first. */
class Digits {
  isShort = false;
  private isHigh = false;

  constructor(private readonly bytes: Uint8Array, private place: number) {}

  next(): number {
    const byte = this.bytes[this.place];
    if (byte === undefined) {
      this.isShort = true;
      return 0;
    }
    this.isHigh = !this.isHigh;
    if (this.isHigh) return byte & 15;
    this.place += 1;
    return byte >> 4;
  }
}

/** One plane of the image: a constant and the factors of its low-frequency cosines. */
class Channel {
  /** Each with the frequencies of its cosines. */
  private readonly factors: { x: number; y: number; value: number }[] = [];

  constructor(private readonly constant: number, scale: number, across: number, down: number, digits: Digits) {
    for (let y = 0; y < down; y += 1) {
      // Only the triangle of low frequencies is stored.
      for (let x = y === 0 ? 1 : 0; x * down < across * (down - y); x += 1) {
        // Four bits, 0 to 15, stand for -1 to 1.
        this.factors.push({ x, y, value: (digits.next() / 7.5 - 1) * scale });
      }
    }
  }

  value(column: Float64Array, row: Float64Array): number {
    let sum = this.constant;
    // Each cosine counts twice, as in the reference decoder.
    for (const { x, y, value } of this.factors) sum += value * (column[x] ?? 0) * (row[y] ?? 0) * 2;
    return sum;
  }
}

/** The fields of the header, and the planes. */
interface Parts {
  /** The shape, as the number of cosines in each direction. */
  across: number;
  down: number;
  luminance: Channel;
  yellow: Channel;
  red: Channel;
  alpha: Channel | undefined;
}

function partsOf(hash: Uint8Array): Parts | undefined {
  // The header has five bytes; a sixth follows if there is alpha.
  const [one = 0, two = 0, three = 0, four = 0, five = 0, sixth = 0] = hash;
  if (hash.length < 5) return undefined;
  const head = one | (two << 8) | (three << 16);
  const shape = four | (five << 8);
  const hasAlpha = head >> 23 !== 0;
  const most = hasAlpha ? 5 : 7;
  const [across, down] = shape >> 15 !== 0 ? [most, shape & 7] : [shape & 7, most];
  // A damaged hash may state 0 components, by which the shape would be divided.
  if (across === 0 || down === 0 || (hasAlpha && hash.length < 6)) return undefined;
  const digits = new Digits(hash, hasAlpha ? 6 : 5);
  const luminance = new Channel(
    (head & 63) / 63, ((head >> 18) & 31) / 31, Math.max(3, across), Math.max(3, down), digits);
  // The reference decoder raises saturation by 1.25 to compensate for the coarse rounding.
  const yellow = new Channel(((head >> 6) & 63) / 31.5 - 1, (((shape >> 3) & 63) / 63) * 1.25, 3, 3, digits);
  const red = new Channel(((head >> 12) & 63) / 31.5 - 1, (((shape >> 9) & 63) / 63) * 1.25, 3, 3, digits);
  const alpha = hasAlpha ? new Channel((sixth & 15) / 15, (sixth >> 4) / 15, 5, 5, digits) : undefined;
  return digits.isShort ? undefined : { across, down, luminance, yellow, red, alpha };
}

/**
 * Decodes a ThumbHash (evanw.github.io/thumbhash): about 25 bytes for the average colour, the shape, a blurred image and
 * its alpha. Undefined if the bytes are not a ThumbHash.
 *
 * @param side the length of the longer side in pixels, 1 to 1000; 32 in the reference decoder. 10 are enough for an image that
 *   is scaled up.
 */
export function decodeThumbHash(hash: Uint8Array, side = 32): Pixels | undefined {
  const parts = partsOf(hash);
  if (parts === undefined) return undefined;
  const longest = Math.min(1000, Math.max(1, side));
  const ratio = parts.across / parts.down;
  const width = Math.max(1, Math.floor((ratio > 1 ? longest : longest * ratio) + 0.5));
  const height = Math.max(1, Math.floor((ratio > 1 ? longest / ratio : longest) + 0.5));
  const samples = new Uint8ClampedArray(width * height * 4);
  const columns = cosines(width, 7, 0.5);
  let place = 0;
  for (const row of cosines(height, 7, 0.5)) {
    for (const column of columns) {
      const luminance = parts.luminance.value(column, row);
      const yellow = parts.yellow.value(column, row);
      const red = parts.red.value(column, row);
      // The inverse of the encoder: luminance is the mean of red, green and blue; yellow is the mean of red and green
      // minus blue; red is red minus green.
      const b = luminance - (2 / 3) * yellow;
      const r = (3 * luminance - b + red) / 2;
      for (const value of [r, r - red, b, parts.alpha?.value(column, row) ?? 1]) {
        samples[place] = Math.floor(Math.max(0, 255 * Math.min(1, value)) + 0.5);
        place += 1;
      }
    }
  }
  return { width, height, samples };
}
