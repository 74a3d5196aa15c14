/** A small image: 8-bit sRGB with alpha, not premultiplied. */
export interface Pixels {
  width: number;
  height: number;
  /** Red, green, blue, alpha; rows from top to bottom. What `ImageData` takes. */
  samples: Uint8ClampedArray;
}

/** The values of cosines of low frequencies at each place along a side. */
const cosines = (length: number): number[][] => Array.from({ length }, (_, place) =>
  Array.from({ length: 7 }, (__, frequency) => Math.cos((Math.PI / length) * (place + 0.5) * frequency)));

/**
 * Decodes a ThumbHash (evanw.github.io/thumbhash): about 25 bytes for the average colour, the shape, a blurred image and
 * its alpha. Undefined if the bytes are not a ThumbHash.
 *
 * @param side the length of the longer side in pixels, 1 to 100; 32 in the reference decoder. 10 are enough for an image that is
 *   scaled up.
 */
export function decodeThumbHash(hash: Uint8Array, side = 32): Pixels | undefined {
  const byte = (place: number): number => hash[place] ?? 0;
  const head = byte(0) | (byte(1) << 8) | (byte(2) << 16);
  const shape = byte(3) | (byte(4) << 8);
  const hasAlpha = head >> 23 !== 0;
  const most = hasAlpha ? 5 : 7;
  const [across, down] = shape >> 15 !== 0 ? [most, shape & 7] : [shape & 7, most];
  // The four-bit digits follow the header, the lower half of each byte first.
  const start = hasAlpha ? 12 : 10;
  let digit = start;
  const ratio = across / down;
  const longest = Math.min(100, Math.max(1, side));
  const width = Math.max(1, Math.floor((ratio > 1 ? longest : longest * ratio) + 0.5));
  const height = Math.max(1, Math.floor((ratio > 1 ? longest / ratio : longest) + 0.5));
  const [columns, rows] = [cosines(width), cosines(height)];

  /** A plane of the image: a constant and the factors of its low-frequency cosines, of which only a triangle is stored. */
  const plane = (constant: number, scale: number, across: number, down: number): ((x: number, y: number) => number) => {
    const factors: [x: number, y: number, value: number][] = [];
    for (let y = 0; y < down; y += 1) {
      for (let x = y === 0 ? 1 : 0; x * down < across * (down - y); x += 1) {
        // Four bits, 0 to 15, stand for -1 to 1. Each cosine counts twice, as in the reference decoder.
        factors.push([x, y, (((byte(digit >> 1) >> ((digit & 1) * 4)) & 15) / 7.5 - 1) * scale * 2]);
        digit += 1;
      }
    }
    return (x, y) => factors.reduce((sum, [i, j, value]) => sum + value * (columns[x]?.[i] ?? 0) * (rows[y]?.[j] ?? 0), constant);
  };
  // A damaged hash may state 0 components, by which the shape would be divided.
  if (across === 0 || down === 0) return undefined;
  const luminance = plane((head & 63) / 63, ((head >> 18) & 31) / 31, Math.max(3, across), Math.max(3, down));
  // The reference decoder raises saturation by 1.25 to compensate for the coarse rounding.
  const yellow = plane(((head >> 6) & 63) / 31.5 - 1, (((shape >> 3) & 63) / 63) * 1.25, 3, 3);
  const red = plane(((head >> 12) & 63) / 31.5 - 1, (((shape >> 9) & 63) / 63) * 1.25, 3, 3);
  const alpha = hasAlpha ? plane((byte(5) & 15) / 15, (byte(5) >> 4) / 15, 5, 5) : () => 1;
  if (digit > hash.length * 2) return undefined;
  const samples = new Uint8ClampedArray(width * height * 4);
  for (let place = 0; place < width * height; place += 1) {
    const [x, y] = [place % width, Math.floor(place / width)];
    const [l, p, q] = [luminance(x, y), yellow(x, y), red(x, y)];
    // The inverse of the encoder: luminance is the mean of red, green and blue; yellow is the mean of red and green
    // minus blue; red is red minus green.
    const b = l - (2 / 3) * p;
    const r = (3 * l - b + q) / 2;
    samples.set([r, r - q, b, alpha(x, y)].map((value) => Math.floor(Math.max(0, 255 * Math.min(1, value)) + 0.5)), place * 4);
  }
  return { width, height, samples };
}
