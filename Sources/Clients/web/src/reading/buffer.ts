import { CatalogError } from "../errors.js";
import { Boundary } from "../json/boundary.js";
import { PathPart, ScanFailure } from "../json/failure.js";
import { Scanner } from "../json/scanner.js";

/** Bytes that were read stay until there are this many: removing them moves all the others. */
const mostReadBytes = 1 << 16;

/** The bytes of a document that have arrived and are not read yet. */
export class CatalogBuffer {
  /** The next byte to read. */
  offset = 0;
  private bytes: Uint8Array = new Uint8Array(0);
  private length = 0;
  /** A place that was read: its offset, its line from 1, and where that line begins, which may be before `bytes`. */
  private mark = { offset: 0, line: 1, start: 0 };
  private readonly boundary = new Boundary();

  append(added: Uint8Array): void {
    if (this.offset === this.length && this.length === 0) {
      // Nothing is copied for a document that arrives at once.
      this.bytes = added;
      this.length = added.length;
      return;
    }
    if (this.offset > mostReadBytes || this.length + added.length > this.bytes.length) this.makeRoom(added.length);
    this.bytes.set(added, this.length);
    this.length += added.length;
  }

  /** Drops the bytes that were read, and moves the others to an array with room for more. */
  private makeRoom(count: number): void {
    const dropped = this.offset;
    const left = this.bytes.subarray(dropped, this.length);
    this.markHere();
    // Twice the size that is needed, so that a long value in many parts is not copied for each of them.
    const bytes = new Uint8Array(Math.max(mostReadBytes, 2 * (left.length + count)));
    bytes.set(left);
    this.bytes = bytes;
    this.length = left.length;
    this.offset = 0;
    this.mark = { offset: 0, line: this.mark.line, start: this.mark.start - dropped };
    this.boundary.removedFirst(dropped);
  }

  /** The next byte; undefined if it has not arrived. */
  peek(): number | undefined {
    return this.offset < this.length ? this.bytes[this.offset] : undefined;
  }

  skipSpace(): void {
    for (; this.offset < this.length; this.offset += 1) {
      const byte = this.bytes[this.offset];
      if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) return;
    }
  }

  skipAll(): void {
    this.offset = this.length;
  }

  /** The end of the value that begins at or behind an offset; -1 if more bytes are needed. */
  end(start = this.offset): number {
    return this.boundary.end(start, this.bytes, this.length);
  }

  /** A scanner for the bytes up to an end. */
  scanner(end = this.length, path: readonly PathPart[] = []): Scanner {
    return new Scanner(this.bytes.subarray(this.offset, end), path);
  }

  /** An error at the next byte. */
  error(reason: string): CatalogError {
    return new CatalogError(...this.position(this.offset), "", reason);
  }

  /** Runs a body that scans from the next byte on, and gives its failure a line and a column. */
  located<Value>(body: () => Value): Value {
    try {
      return body();
    } catch (failure) {
      if (!(failure instanceof ScanFailure)) throw failure;
      const place = this.position(Math.min(this.offset + failure.offset, this.length));
      throw new CatalogError(...place, failure.member, failure.reason);
    }
  }

  /** The line and the column of an offset that is not before the next byte. */
  private position(offset: number): [line: number, column: number] {
    this.markHere();
    const { line, start } = this.passed(offset);
    return [line, offset - start + 1];
  }

  /** Lines up to the next byte are counted once. */
  private markHere(): void {
    this.mark = this.passed(this.offset);
  }

  private passed(offset: number): { offset: number; line: number; start: number } {
    let { line, start } = this.mark;
    for (let place = this.mark.offset; ; place = start) {
      const lineBreak = this.bytes.indexOf(0x0a, place);
      if (lineBreak < 0 || lineBreak >= offset) return { offset, line, start };
      line += 1;
      start = lineBreak + 1;
    }
  }
}
