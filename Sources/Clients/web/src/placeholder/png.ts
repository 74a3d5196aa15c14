import { Pixels } from "./pixels.js";

/** CRC-32 (PNG, annex D). */
function crc(bytes: Uint8Array): number {
  let sum = 0xffffffff;
  for (const byte of bytes) {
    sum ^= byte;
    for (let bit = 0; bit < 8; bit += 1) sum = (sum >>> 1) ^ (sum & 1 ? 0xedb88320 : 0);
  }
  return ~sum >>> 0;
}

/** Adler-32 (RFC 1950, section 9). */
function adler(bytes: Uint8Array): number {
  let [a, b] = [1, 0];
  for (const byte of bytes) {
    a = (a + byte) % 65521;
    b = (b + a) % 65521;
  }
  return b * 65536 + a;
}

const word = (value: number): number[] =>
  [(value >>> 24) & 255, (value >>> 16) & 255, (value >>> 8) & 255, value & 255];

function chunk(type: string, data: readonly number[]): number[] {
  const body = [...Array.from(type, (letter) => letter.charCodeAt(0)), ...data];
  return [...word(data.length), ...body, ...word(crc(Uint8Array.from(body)))];
}

/** A zlib stream (RFC 1950) of stored blocks (RFC 1951, section 3.2.4): an image this small needs no compression. */
function stored(bytes: Uint8Array): number[] {
  const stream = [0x78, 0x01];
  const most = 65535;
  for (let place = 0; place === 0 || place < bytes.length; place += most) {
    const part = bytes.subarray(place, place + most);
    const size = [part.length & 255, part.length >> 8];
    stream.push(place + most >= bytes.length ? 1 : 0, ...size, ...size.map((byte) => byte ^ 255));
    for (const byte of part) stream.push(byte);
  }
  return [...stream, ...word(adler(bytes))];
}

/** A PNG file (ISO/IEC 15948) of the pixels, without alpha if all are opaque. */
export function encodePNG({ width, height, samples }: Pixels): Uint8Array {
  let isOpaque = true;
  for (let place = 3; place < samples.length; place += 4) isOpaque = isOpaque && samples[place] === 255;
  const channels = isOpaque ? 3 : 4;
  const rows = new Uint8Array(height * (1 + width * channels));
  let to = 0;
  for (let from = 0; from < samples.length; from += 4) {
    // Each row begins with its filter, which is none.
    if (from % (width * 4) === 0) to += 1;
    rows.set(samples.subarray(from, from + channels), to);
    to += channels;
  }
  return Uint8Array.from([
    0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a,
    // Eight bits per sample; colour type 2 is RGB, 6 has alpha.
    ...chunk("IHDR", [...word(width), ...word(height), 8, isOpaque ? 2 : 6, 0, 0, 0]),
    ...chunk("IDAT", stored(rows)),
    ...chunk("IEND", []),
  ]);
}

/** The pixels as a `data:` URL of a PNG. It needs no canvas, so it works on servers, too. */
export function pngURL(pixels: Pixels): string {
  let text = "";
  for (const byte of encodePNG(pixels)) text += String.fromCharCode(byte);
  return `data:image/png;base64,${btoa(text)}`;
}
