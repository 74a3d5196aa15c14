import { cosines, Pixels } from "./pixels.js";

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz#$%*+,-.:;=?@[]^_{|}~";

type Light = readonly [red: number, green: number, blue: number];

/**
 * Decodes a BlurHash (github.com/woltapp/blurhash), drawn at a size in pixels. Undefined if the text is not a BlurHash,
 * or if a side is not from 1 to 1,024.
 *
 * A BlurHash does not contain the image's shape. The app takes the shape from the catalog.
 */
export function decodeBlurHash(hash: string, width: number, height: number): Pixels | undefined {
  // Drawing costs up to 81 cosines per pixel; a blurred image needs no more than 1,024 a side.
  const isSide = (side: number) => Number.isInteger(side) && side >= 1 && side <= 1024;
  if (!isSide(width) || !isSide(height)) return undefined;
  const digits = Array.from(hash, (character) => alphabet.indexOf(character));
  const [size = 81, maximum = 0] = digits;
  const [across, down] = [(size % 9) + 1, Math.floor(size / 9) + 1];
  // There are at most nine by nine components, fewer than a digit of base 83 can state.
  if (digits.includes(-1) || size >= 81 || digits.length !== 4 + 2 * across * down) return undefined;
  const average = digits.slice(2, 6).reduce((sum, digit) => sum * 83 + digit, 0);
  // Four digits of base 83 hold numbers of more than 24 bits.
  if (average >= 2 ** 24) return undefined;
  const factors: Light[] = [[linear(average >> 16), linear((average >> 8) & 255), linear(average & 255)]];
  for (let place = 6; place < digits.length; place += 2) {
    const value = (digits[place] ?? 0) * 83 + (digits[place + 1] ?? 0);
    // 19^3 is 6,859, and two digits hold up to 6,888.
    if (value >= 19 ** 3) return undefined;
    // The format's constants: 2 x 83 for the maximum of the factors, and 19 levels per channel.
    const part = (step: number): number => factor(step) * ((maximum + 1) / 166);
    factors.push([part(Math.floor(value / 361)), part(Math.floor(value / 19) % 19), part(value % 19)]);
  }
  return { width, height, samples: draw(factors, cosines(width, across, 0), cosines(height, down, 0)) };
}

/** The encoder stored signed square roots. */
function factor(step: number): number {
  const part = (step - 9) / 9;
  return part < 0 ? -part * part : part * part;
}

/** Sums the cosines at each pixel. */
function draw(factors: readonly Light[], columns: Float64Array[], rows: Float64Array[]): Uint8ClampedArray {
  const samples = new Uint8ClampedArray(columns.length * rows.length * 4);
  let place = 0;
  for (const row of rows) {
    for (const column of columns) {
      let [red, green, blue] = [0, 0, 0];
      factors.forEach((light, index) => {
        const weight = (column[index % column.length] ?? 0) * (row[Math.floor(index / column.length)] ?? 0);
        red += light[0] * weight;
        green += light[1] * weight;
        blue += light[2] * weight;
      });
      samples.set([sample(red), sample(green), sample(blue), 255], place);
      place += 4;
    }
  }
  return samples;
}

/** An sRGB sample as linear light, 0 to 1 (IEC 61966-2-1). */
function linear(sample: number): number {
  const part = sample / 255;
  return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
}

/** Linear light as an sRGB sample. */
function sample(light: number): number {
  const value = Math.max(0, Math.min(1, light));
  return Math.floor(value <= 0.0031308
    ? value * 12.92 * 255 + 0.5 : (1.055 * value ** (1 / 2.4) - 0.055) * 255 + 0.5);
}
