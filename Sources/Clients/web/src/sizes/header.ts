/** An image's size in pixels, as displayed, and its format. */
export interface ImageSize {
  width: number;
  height: number;
  format: "jpeg" | "png" | "gif" | "webp" | "avif" | "heic" | "bmp";
}

/** Why the size of an image is not known. */
export class SizeError extends Error {
  override readonly name = "SizeError";

  /** @param code "too-far": the size is behind more bytes than are read of a file. */
  constructor(readonly code: "url" | "status" | "not-image" | "cut-off" | "too-far" | "timeout", message: string) {
    super(message);
  }
}

/** Thrown where bytes are needed that are not at hand. */
export class Missing { constructor(readonly start: number, readonly end: number) {} }

/** A file of which some ranges are at hand. */
export class FileRanges {
  readonly ranges: { start: number; bytes: Uint8Array }[] = [];
  /** Of the whole file, if it is known. */
  size: number | undefined;

  /** Throws `Missing`, or a `SizeError` if the file ends before. */
  require(start: number, end: number): { bytes: Uint8Array; place: number } {
    if (this.size !== undefined && end > this.size) throw new SizeError("cut-off", `it ends after ${this.size} bytes, before its size`);
    const range = this.ranges.find((each) => each.start <= start && end <= each.start + each.bytes.length);
    if (range === undefined) throw new Missing(start, end);
    return { bytes: range.bytes, place: start - range.start };
  }

  number(start: number, count: number, isLittle = false): number {
    const { bytes, place } = this.require(start, start + count);
    const digits = bytes.subarray(place, place + count);
    return (isLittle ? digits.slice().reverse() : digits).reduce((value, byte) => value * 256 + byte, 0);
  }

  text(start: number, count = 4): string {
    const { bytes, place } = this.require(start, start + count);
    return String.fromCharCode(...bytes.subarray(place, place + count));
  }

  has(text: string, start: number): boolean {
    return this.text(start, text.length) === text;
  }
}

const mostSteps = 4096; // What no value in a file can raise: the number of segments, boxes or stray bytes that are read.

const reject = (reason: string): never => { throw new SizeError("not-image", reason); };
/** Reads the size of an image from the first bytes of its file, and more where they say so. Throws `Missing` or a `SizeError`. */
export function readSize(file: FileRanges): ImageSize {
  if (file.size !== undefined && file.size < 12) reject(`${file.size} bytes are no image`);
  file.require(0, 12);
  const size = file.has("\xff\xd8\xff", 0) ? jpeg(file)
    : file.has("\x89PNG\r\n\x1a\n", 0) ? png(file)
    : file.has("GIF87a", 0) || file.has("GIF89a", 0) ? gif(file)
    : file.has("RIFF", 0) && file.has("WEBP", 8) ? webp(file)
    : file.has("BM", 0) ? bmp(file)
    : file.has("ftyp", 4) ? heif(file) : reject("it is no image of a known format");
  return [size.width, size.height].every((side) => side >= 1 && side <= 0x7fffffff) ? size : reject(`an image of ${size.width} x ${size.height} pixels`);
}

/** JPEG (ITU-T T.81): segments up to the frame header; their contents are skipped, but for the first Exif. */
function jpeg(file: FileRanges): ImageSize {
  let offset = 2;
  let orientation = 0;
  for (let step = 0; step < 2 * mostSteps; step += 1) {
    const marker = file.number(offset, 1) === 0xff ? file.number(offset + 1, 1) : 0;
    // Stray bytes are skipped up to the next marker, as libjpeg does, and 0xff may fill (B.1.1.2).
    if (marker === 0 || marker === 0xff) offset += 1; // TEM, RSTn and SOI have no segment.
    else if (marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8)) offset += 2;
    // EOI, SOS
    else if (marker === 0xd9 || marker === 0xda) return reject("a JPEG without a frame header");
    else {
      const length = file.number(offset + 2, 2);
      if (length < 2) return reject("a JPEG with a damaged segment");
      const [start, end] = [offset + 4, offset + 2 + length];
      // SOF0 to SOF15; DHT, JPG and DAC share their range of codes (table B.1).
      if (marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)) {
        const [height, width] = [file.number(start + 1, 2), file.number(start + 3, 2)];
        return { ...(orientation > 4 && orientation < 9 ? { width: height, height: width } : { width, height }), format: "jpeg" };
      }
      if (marker === 0xe1 && orientation === 0 && length >= 8 && file.has("Exif\0\0", start)) orientation = exif(file, start + 6, end);
      offset = end;
    }
  }
  return reject("a JPEG of too many segments");
}

/** The orientation in a block of Exif, a small TIFF file: 1 if it has none. */
function exif(file: FileRanges, start: number, end: number): number {
  if (end - start < 14) return 1;
  const isLittle = file.has("II*\0", start);
  if (!isLittle && !file.has("MM\0*", start)) return 1;
  const number = (at: number, bytes: number): number => file.number(at, bytes, isLittle);
  const directory = start + number(start + 4, 4);
  if (directory + 2 > end) return 1;
  const count = number(directory, 2);
  for (let entry = directory + 2; entry < directory + 2 + count * 12 && entry + 12 <= end; entry += 12) {
    if (number(entry, 2) !== 0x0112) continue;
    // A SHORT, but some programs write a BYTE or a LONG.
    const bytes = { 1: 1, 3: 2, 4: 4 }[number(entry + 2, 2)];
    return bytes === undefined || number(entry + 4, 4) !== 1 ? 1 : number(entry + 8, bytes);
  }
  return 1;
}

/** PNG (W3C PNG): IHDR comes first. */
function png(file: FileRanges): ImageSize {
  if (!file.has("IHDR", 12) || file.number(8, 4) !== 13) reject("a PNG that does not begin with IHDR");
  return { width: file.number(16, 4), height: file.number(20, 4), format: "png" };
}

/** GIF 87a and 89a: the screen, enlarged by the first frame, as in browsers, if that is near. */
function gif(file: FileRanges): ImageSize {
  const little = (start: number): number => file.number(start, 2, true);
  let [width, height] = [little(6), little(8)];
  const flags = file.number(10, 1);
  let offset = 13 + (flags & 0x80 ? 3 << ((flags & 7) + 1) : 0);
  try {
    for (let step = 0; step < mostSteps && file.number(offset, 1) === 0x21; step += 1) {
      // An extension: blocks of data, each with its length.
      for (offset += 2; file.number(offset, 1) > 0; step += 1) offset += 1 + file.number(offset, 1);
      offset += 1;
    }
    if (file.number(offset, 1) === 0x2c) {
      width = Math.max(width, little(offset + 1) + little(offset + 5));
      height = Math.max(height, little(offset + 3) + little(offset + 7));
    }
  } catch (error) {
    // The first frame is worth a request only if the screen has no size.
    if (width === 0 || height === 0) throw error;
  }
  return { width, height, format: "gif" };
}

/** WebP (RFC 9649): lossy, lossless, extended. */
function webp(file: FileRanges): ImageSize {
  const little = (start: number, bytes: number): number => file.number(start, bytes, true);
  const format = "webp";
  if (file.has("VP8X", 12)) return { width: little(24, 3) + 1, height: little(27, 3) + 1, format };
  if (file.has("VP8L", 12)) {
    const bits = little(21, 4);
    if (file.number(20, 1) === 0x2f) return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1, format };
  } else if (file.has("VP8 ", 12) && (file.number(20, 1) & 1) === 0 && little(23, 3) === 0x2a019d) {
    // A key frame. The upper two bits of the sides are a hint for scaling.
    return { width: little(26, 2) & 0x3fff, height: little(28, 2) & 0x3fff, format };
  }
  return reject("a WebP without an image");
}

/** BMP: of OS/2 (a header of 12 bytes), and of Windows; with a negative height its rows are stored from the top. */
function bmp(file: FileRanges): ImageSize {
  const length = file.number(14, 4, true);
  const format = "bmp";
  if (length === 12) return { width: file.number(18, 2, true), height: file.number(20, 2, true), format };
  if (length < 16 || length > 256) return reject("it is no image of a known format");
  return { width: file.number(18, 4, true) | 0, height: Math.abs(file.number(22, 4, true) | 0), format };
}

interface Box { type: string; start: number; end: number }

/** The boxes of a range (ISO/IEC 14496-12, section 4.2). */
function* boxes(file: FileRanges, from: number, to: number): Generator<Box> {
  for (let [offset, step] = [from, 0]; offset + 8 <= to && step < mostSteps; step += 1) {
    const short = file.number(offset, 4);
    const length = short === 1 ? file.number(offset + 8, 8) : short === 0 ? to - offset : short;
    const start = offset + (short === 1 ? 16 : 8);
    // Otherwise a child would be read from the bytes of other boxes.
    if (offset + length < start || offset + length > to) reject("a HEIF file with a damaged box");
    yield { type: file.text(offset + 4), start, end: offset + length };
    offset += length;
  }
}

/** AVIF and HEIC: the size of the primary item, and the properties that turn and crop it (ISO/IEC 23008-12). */
function heif(file: FileRanges): ImageSize {
  let brands = file.text(8);
  if (!/^(avi[fs]|he[iv][cxms]|mif1|msf1|miaf|1pic)$/.test(brands)) reject("it is no image of a known format");
  // A file of a general brand lists in its compatible brands what it holds.
  if (!/^(avi|he)/.test(brands)) for (let start = 16; start + 4 <= Math.min(file.number(0, 4), 256); start += 4) brands += ` ${file.text(start)}`;
  const format = /\bavi[fs]\b/.test(brands) ? "avif" : "heic";
  for (const { type, start, end } of boxes(file, 0, file.size ?? Infinity)) {
    if (type !== "meta") continue;
    // One request for all of it: the boxes in it refer to each other.
    file.require(start, Math.min(end, start + 65536));
    return { ...primarySize(file, start + 4, end), format };
  }
  return reject("a HEIF file without a meta box");
}

function primarySize(file: FileRanges, from: number, to: number): { width: number; height: number } {
  const one = (type: string, from: number, to: number): Box | undefined => [...boxes(file, from, to)].find((box) => box.type === type);
  const item = one("pitm", from, to);
  const description = one("iprp", from, to);
  const list = description && one("ipco", description.start, description.end);
  const uses = description && one("ipma", description.start, description.end);
  if (!item || !list || !uses) return reject("a HEIF file without a primary item");
  const primary = file.number(item.start + 4, file.number(item.start, 1) === 0 ? 2 : 4);
  const properties = [...boxes(file, list.start, list.end)];
  const mine = associations(file, uses, primary).flatMap((index) => properties[index - 1] ?? []);
  // The size counts wherever it stands; what transforms the image, in its order.
  const size = mine.find(({ type }) => type === "ispe");
  if (size === undefined) return reject("a HEIF file whose primary item has no size");
  let [width, height] = [file.number(size.start + 4, 4), file.number(size.start + 8, 4)];
  for (const { type, start } of mine) {
    if (type === "irot" && file.number(start, 1) & 1) [width, height] = [height, width];
    if (type === "clap") [width, height] = cropped(file, start, width, height);
  }
  return { width, height };
}

/** The numbers of an item's properties, from 1 (`ipma`). */
function associations(file: FileRanges, { start, end }: Box, primary: number): number[] {
  const idBytes = file.number(start, 1) === 0 ? 2 : 4;
  const bytes = file.number(start + 3, 1) & 1 ? 2 : 1;
  const found: number[] = [];
  let offset = start + 8;
  for (let left = Math.min(file.number(start + 4, 4), mostSteps); left > 0; left -= 1) {
    const item = file.number(offset, idBytes);
    const count = file.number(offset + idBytes, 1);
    offset += idBytes + 1;
    if (offset + count * bytes > end) reject("a HEIF file whose list of properties is longer than its box");
    for (let place = 0; place < count; place += 1, offset += bytes) {
      // The upper bit says whether the property is essential.
      if (item === primary) found.push(file.number(offset, bytes) & (bytes === 2 ? 0x7fff : 0x7f));
    }
  }
  return found;
}

/** The sides of what a clean aperture shows; those of the whole image if it reaches outside of that. */
function cropped(file: FileRanges, start: number, width: number, height: number): [number, number] {
  // Numerators are signed.
  const [across = NaN, down = NaN, right = NaN, below = NaN] = [0, 8, 16, 24].map((place) => {
    const denominator = file.number(start + place + 4, 4);
    return denominator >= 1 && denominator <= 0xffff ? (file.number(start + place, 4) | 0) / denominator : NaN;
  });
  const side = (whole: number, length: number, offset: number): number | undefined => {
    const count = Math.round(length);
    const first = Math.floor((whole - 1) / 2 + offset - (length - 1) / 2);
    return count > 0 && first >= 0 && first + count <= whole ? count : undefined;
  };
  const [shown, high] = [side(width, across, right), side(height, down, below)];
  return shown === undefined || high === undefined ? [width, height] : [shown, high];
}
