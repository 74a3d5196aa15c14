// The first 32 bits of the fractional parts of the cube roots of the first 64 primes (FIPS 180-4, section 4.2.2).
const constants = new Int32Array(64);
for (let count = 0, number = 2; count < 64; number += 1) {
  let isPrime = true;
  for (let factor = 2; factor * factor <= number; factor += 1) isPrime = isPrime && number % factor !== 0;
  if (!isPrime) continue;
  constants[count] = Math.floor((Math.cbrt(number) % 1) * 2 ** 32);
  count += 1;
}

/**
 * SHA-256 (FIPS 180-4) of bytes that arrive in parts. `crypto.subtle` takes the whole message at once, is asynchronous,
 * and exists only on secure origins.
 */
export class SHA256 {
  private readonly state = Int32Array.of(
    0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19);
  private readonly words = new Int32Array(64);
  /** Bytes that do not fill a block yet. */
  private readonly rest = new Uint8Array(64);
  private restLength = 0;
  private length = 0;

  update(bytes: Uint8Array): void {
    this.length += bytes.length;
    let place = 0;
    if (this.restLength > 0) {
      place = Math.min(64 - this.restLength, bytes.length);
      this.rest.set(bytes.subarray(0, place), this.restLength);
      this.restLength += place;
      if (this.restLength < 64) return;
      this.block(this.rest, 0);
      this.restLength = 0;
    }
    for (; place + 64 <= bytes.length; place += 64) this.block(bytes, place);
    this.rest.set(bytes.subarray(place));
    this.restLength = bytes.length - place;
  }

  /** The digest in hexadecimal. Call it once, after the last part. */
  hex(): string {
    const bits = this.length * 8;
    const padding = new Uint8Array(((119 - this.restLength) % 64) + 9);
    padding[0] = 0x80;
    const view = new DataView(padding.buffer);
    view.setUint32(padding.length - 8, Math.floor(bits / 2 ** 32));
    view.setUint32(padding.length - 4, bits % 2 ** 32);
    this.update(padding);
    return Array.from(this.state, (word) => (word >>> 0).toString(16).padStart(8, "0")).join("");
  }

  /** Section 6.2.2. */
  private block(bytes: Uint8Array, start: number): void {
    const { state, words } = this;
    for (let t = 0, place = start; t < 16; t += 1, place += 4) {
      words[t] = (bytes[place]! << 24) | (bytes[place + 1]! << 16) | (bytes[place + 2]! << 8) | bytes[place + 3]!;
    }
    for (let t = 16; t < 64; t += 1) {
      const x = words[t - 15]!;
      const y = words[t - 2]!;
      const s0 = ((x >>> 7) | (x << 25)) ^ ((x >>> 18) | (x << 14)) ^ (x >>> 3);
      const s1 = ((y >>> 17) | (y << 15)) ^ ((y >>> 19) | (y << 13)) ^ (y >>> 10);
      words[t] = (words[t - 16]! + s0 + words[t - 7]! + s1) | 0;
    }
    let a = state[0]!, b = state[1]!, c = state[2]!, d = state[3]!;
    let e = state[4]!, f = state[5]!, g = state[6]!, h = state[7]!;
    for (let t = 0; t < 64; t += 1) {
      const s1 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7));
      const one = (h + s1 + ((e & f) ^ (~e & g)) + constants[t]! + words[t]!) | 0;
      const s0 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10));
      const two = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
      h = g; g = f; f = e; e = (d + one) | 0;
      d = c; c = b; b = a; a = (one + two) | 0;
    }
    state[0] = (state[0]! + a) | 0; state[1] = (state[1]! + b) | 0;
    state[2] = (state[2]! + c) | 0; state[3] = (state[3]! + d) | 0;
    state[4] = (state[4]! + e) | 0; state[5] = (state[5]! + f) | 0;
    state[6] = (state[6]! + g) | 0; state[7] = (state[7]! + h) | 0;
  }
}
