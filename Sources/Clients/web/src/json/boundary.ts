/**
 * Finds the end of a JSON value whose bytes arrive in parts.
 *
 * Counts brackets and quotes only. What it finds still has to be read: it may not be valid JSON. Remembers how far it
 * has looked, so a value that arrives in a thousand parts is examined once.
 */
export class Boundary {
  /** The start of the value that is being examined; -1 between values. */
  private start = -1;
  private place = 0;
  private depth = 0;
  /** Whether anything but white space has been found. */
  private hasBegun = false;
  private isInString = false;
  private isEscaped = false;

  /** Notes that the caller has removed bytes from the front of the buffer. */
  removedFirst(count: number): void {
    if (this.start >= 0) this.start -= count;
    this.place -= count;
  }

  /** The end of the value that begins at or behind an offset; -1 if more bytes are needed. */
  end(start: number, bytes: Uint8Array, length: number): number {
    if (this.start !== start) {
      this.reset();
      this.start = start;
      this.place = start;
    }
    while (this.place < length) {
      const end = this.isInString ? this.inString(bytes, length) : this.inValue(bytes[this.place] ?? 0);
      if (end >= 0) {
        this.reset();
        return end;
      }
      if (!this.isInString || this.place < length) this.place += 1;
    }
    return -1;
  }

  private reset(): void {
    this.start = -1;
    this.depth = 0;
    this.hasBegun = this.isInString = this.isEscaped = false;
  }

  /** Goes on to the end of the string, or of the bytes. */
  private inString(bytes: Uint8Array, length: number): number {
    let { place, isEscaped } = this;
    for (; place < length; place += 1) {
      const byte = bytes[place];
      if (isEscaped) {
        isEscaped = false;
      } else if (byte === 0x5c) {
        isEscaped = true;
      } else if (byte === 0x22) {
        this.isInString = false;
        break;
      }
    }
    this.place = place;
    this.isEscaped = isEscaped;
    return !this.isInString && this.depth === 0 ? place + 1 : -1;
  }

  private inValue(byte: number): number {
    switch (byte) {
      case 0x22: this.isInString = true; break;
      case 0x7b: case 0x5b: this.depth += 1; break;
      case 0x7d: case 0x5d:
        // At depth 0 the bracket belongs to whatever encloses the value.
        if (this.depth <= 1) return this.depth === 1 ? this.place + 1 : this.place;
        this.depth -= 1;
        break;
      // A number or a word ends before these.
      case 0x2c: case 0x3a:
        if (this.depth === 0) return this.place;
        break;
      case 0x20: case 0x0a: case 0x0d: case 0x09:
        return this.depth === 0 && this.hasBegun ? this.place : -1;
    }
    this.hasBegun = true;
    return -1;
  }
}
