/** A small image: 8-bit sRGB with alpha, not premultiplied. */
export interface Pixels {
  width: number;
  height: number;
  /** Red, green, blue, alpha; rows from top to bottom. What `ImageData` takes. */
  samples: Uint8ClampedArray;
}

/** The values of cosines of low frequencies at each place along a side. */
export function cosines(length: number, count: number, shift: number): Float64Array[] {
  return Array.from({ length }, (_, place) =>
    Float64Array.from({ length: count }, (__, frequency) =>
      Math.cos((Math.PI / length) * (place + shift) * frequency)));
}
