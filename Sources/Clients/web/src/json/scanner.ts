import { memberPath, PathPart, ScanFailure } from "./failure.js";
import { isDigit, number as numberOf } from "./numbers.js";

/** What the next value is. */
export type Kind = "object" | "array" | "string" | "number" | "true" | "false" | "null";

/** The deepest nesting that is read: texts of 100,000 brackets exist to exhaust a recursive reader's stack. */
export const maximumDepth = 64;

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const lossy = new TextDecoder("utf-8", { ignoreBOM: true });
// One character per byte. It is not Latin-1 in every engine, so only characters below 0x80 are taken from it.
const single = new TextDecoder("windows-1252", { ignoreBOM: true });

const escapes: { readonly [letter: string]: string } = {
  '"': '"', "\\": "\\", "/": "/", b: "\b", f: "\f", n: "\n", r: "\r", t: "\t",
};

/** Short texts that were read: most are words that come again with each image, such as a media type. */
const words = new Map<string, string>();

/**
 * The text between two quotes, without what is around it. A part of a text that an engine makes with `slice` keeps the whole
 * text alive; `JSON.parse` makes one of its own.
 */
function copyOf(text: string, start: number, end: number): string {
  const part = text.slice(start + 1, end - 1);
  if (part.length >= 24) return JSON.parse(text.slice(start, end)) as string;
  const known = words.get(part);
  if (known !== undefined) return known;
  const own = part.length > 12 ? JSON.parse(text.slice(start, end)) as string : part;
  if (words.size < 256) words.set(own, own);
  return own;
}

/**
 * Reads JSON (RFC 8259) from bytes straight into the caller's values, as strictly as the Swift library: UTF-8 only, no
 * duplicate member, no lone surrogate. `JSON.parse` accepts those, and rounds integers above 2^53.
 *
 * Each call reads one value, or one piece of punctuation, and skips the white space before it. Throws `ScanFailure`.
 */
export class Scanner {
  offset = 0;
  /** Where the last member's name begins. */
  nameOffset = 0;
  readonly end: number;
  /** The names and indices that lead to the current value. */
  readonly path: PathPart[];
  /** One character per byte, so that an offset is one in bytes. */
  readonly text: string;

  constructor(private readonly bytes: Uint8Array, path: readonly PathPart[] = []) {
    const text = lossy.decode(bytes);
    // As many characters as bytes are ASCII only.
    this.text = text.length === bytes.length ? text : single.decode(bytes);
    this.end = this.text.length;
    this.path = [...path];
  }

  /** Begins again at the first byte. */
  restart(): void {
    this.offset = 0;
    this.path.length = 0;
  }

  failure(reason: string, offset = this.offset): ScanFailure {
    return new ScanFailure(offset, reason, memberPath(this.path));
  }

  /** A failure of syntax: names the byte that does not fit. */
  unexpected(expected: string): ScanFailure {
    return this.failure(`expected ${expected}, found ${this.foundByte()}`);
  }

  /** A failure of type: names the whole value that was found instead. */
  mismatch(expected: string, start = this.offset): ScanFailure {
    return this.failure(`expected ${expected}, found ${this.foundValue(start)}`, start);
  }

  duplicate(name: string, offset: number): ScanFailure {
    return this.failure(`duplicate member "${name}"`, offset);
  }

  private foundByte(): string {
    const byte = this.bytes[this.offset];
    if (byte === undefined) return "the end of the text";
    return byte > 0x20 && byte < 0x7f ? `"${String.fromCharCode(byte)}"` : `the byte 0x${byte.toString(16)}`;
  }

  /** The first bytes of the value, up to the next punctuation or white space. */
  private foundValue(start: number): string {
    if (start >= this.end) return "the end of the text";
    // Longer values are cut off: a message is one line.
    const most = Math.min(this.end, start + 20);
    let end = start;
    while (end < most && this.text.charCodeAt(end) > 0x20 && !",:{}[]".includes(this.text.charAt(end))) end += 1;
    return lossy.decode(this.bytes.subarray(start, Math.max(end, start + 1)));
  }

  skipSpace(): void {
    for (;;) {
      const code = this.text.charCodeAt(this.offset);
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return;
      this.offset += 1;
    }
  }

  isAtEnd(): boolean {
    this.skipSpace();
    return this.offset === this.end;
  }

  take(code: number): boolean {
    if (this.text.charCodeAt(this.offset) !== code) return false;
    this.offset += 1;
    return true;
  }

  private takeWord(word: string): boolean {
    if (!this.text.startsWith(word, this.offset)) return false;
    this.offset += word.length;
    return true;
  }

  /** What the next value is. A word is consumed when it is recognized. */
  kind(depth: number): Kind {
    this.skipSpace();
    if (depth >= maximumDepth) throw this.failure(`nested more than ${maximumDepth} levels deep`);
    const code = this.text.charCodeAt(this.offset);
    if (code === 0x22) return "string";
    if (code === 0x2d || isDigit(code)) return "number";
    if (code === 0x7b) return "object";
    if (code === 0x5b) return "array";
    for (const word of ["true", "false", "null"] as const) if (this.takeWord(word)) return word;
    throw this.unexpected("a value");
  }

  /** Reads a `null` and returns true, or reads nothing. */
  null(): boolean {
    this.skipSpace();
    return this.takeWord("null");
  }

  bool(): boolean {
    this.skipSpace();
    if (this.takeWord("true")) return true;
    if (this.takeWord("false")) return false;
    throw this.mismatch("true or false");
  }

  /** Reads a string. */
  string(): string {
    this.skipSpace();
    const { text } = this;
    const start = this.offset;
    if (text.charCodeAt(start) !== 0x22) throw this.mismatch("a string");
    let isASCII = true;
    for (let place = start + 1; place < this.end; place += 1) {
      const code = text.charCodeAt(place);
      if (code === 0x22) {
        this.offset = place + 1;
        return isASCII ? copyOf(text, start, place + 1) : this.decoded(start + 1, place, start);
      }
      if (code === 0x5c) return this.stringWithEscapes(start, place);
      if (code < 0x20) throw this.controlCharacter(place);
      if (code >= 0x80) isASCII = false;
    }
    throw this.failure("the string has no closing quote", start);
  }

  /** Reads the rest of a string from its first backslash on. */
  private stringWithEscapes(start: number, backslash: number): string {
    let content = this.decoded(start + 1, backslash, start);
    this.offset = backslash;
    for (let from = backslash; this.offset < this.end; ) {
      const code = this.text.charCodeAt(this.offset);
      if (code === 0x22 || code === 0x5c) content += this.decoded(from, this.offset, start);
      else if (code < 0x20) throw this.controlCharacter(this.offset);
      this.offset += 1;
      if (code === 0x22) return content;
      if (code === 0x5c) {
        content += this.escape();
        from = this.offset;
      }
    }
    throw this.failure("the string has no closing quote", start);
  }

  private controlCharacter(place: number): ScanFailure {
    this.offset = place;
    return this.failure(`a control character in a string must be escaped, found ${this.foundByte()}`);
  }

  private decoded(from: number, to: number, start: number): string {
    try {
      return utf8.decode(this.bytes.subarray(from, to));
    } catch {
      throw this.failure("the string is not valid UTF-8", start);
    }
  }

  private escape(): string {
    if (this.offset >= this.end) throw this.failure("the text ends inside an escape");
    const letter = this.text.charAt(this.offset);
    if (letter === "u") {
      this.offset += 1;
      return this.escapedCharacter();
    }
    const character = Object.prototype.hasOwnProperty.call(escapes, letter) ? escapes[letter] : undefined;
    if (character === undefined) throw this.failure(`unknown escape ${this.foundByte()}`);
    this.offset += 1;
    return character;
  }

  /** Four hexadecimal digits, or two groups of four that are a surrogate pair (RFC 8259, section 7). */
  private escapedCharacter(): string {
    const first = this.hexadecimal();
    if (first < 0xd800 || first > 0xdfff) return String.fromCharCode(first);
    const alone = "a surrogate without its other half";
    if (first > 0xdbff || !this.take(0x5c) || !this.take(0x75)) throw this.failure(alone);
    const second = this.hexadecimal();
    if (second < 0xdc00 || second > 0xdfff) throw this.failure(alone);
    return String.fromCharCode(first, second);
  }

  private hexadecimal(): number {
    let value = 0;
    for (let count = 0; count < 4; count += 1) {
      const digit = this.text.charAt(this.offset);
      if (!/^[0-9a-fA-F]$/.test(digit)) throw this.unexpected("four hexadecimal digits");
      value = value * 16 + parseInt(digit, 16);
      this.offset += 1;
    }
    return value;
  }

  private takeDigits(): number {
    const start = this.offset;
    while (isDigit(this.text.charCodeAt(this.offset))) this.offset += 1;
    return this.offset - start;
  }

  /** Reads a number (RFC 8259, section 6) and returns its own spelling. */
  numberText(): string {
    this.skipSpace();
    const start = this.offset;
    this.take(0x2d);
    // A leading zero ends the integer part: "01" is not a number.
    if (!this.take(0x30) && this.takeDigits() === 0) throw this.unexpected("a digit");
    if (this.take(0x2e) && this.takeDigits() === 0) throw this.unexpected('a digit after "."');
    if (this.take(0x65) || this.take(0x45)) {
      if (!this.take(0x2b)) this.take(0x2d);
      if (this.takeDigits() === 0) throw this.unexpected("a digit in the exponent");
    }
    return this.text.slice(start, this.offset);
  }

  /** Reads a number; a whole number that a `number` cannot hold exactly is a `bigint`, if it has at most 64 bits. */
  number(): number | bigint {
    return numberOf(this.numberText());
  }

  /** Reads a whole number of at most 64 bits without a fraction or an exponent. */
  int(): number {
    this.skipSpace();
    const start = this.offset;
    const isNegative = this.take(0x2d);
    const first = this.offset;
    const count = this.takeDigits();
    const text = this.text.slice(first, this.offset);
    const hasLeadingZero = count > 1 && text.startsWith("0");
    if (count > 18 && !hasLeadingZero && (count > 19 || BigInt(text) > 0x7fffffffffffffffn)) {
      throw this.mismatch("a whole number that fits", start);
    }
    if (count === 0 || hasLeadingZero || ".eE".includes(this.text.charAt(this.offset) || " ")) {
      throw this.mismatch("a whole number", start);
    }
    return (isNegative ? -1 : 1) * Number(text) + 0;
  }
}
