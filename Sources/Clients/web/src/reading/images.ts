import { CatalogError } from "../errors.js";
import type { Format, Image } from "../model.js";
import { addFiles } from "./files.js";
import { checkImage, Mismatch } from "./shape.js";

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Parses a line of a document, and checks what it is. Throws `CatalogError`. */
export function parsed(
  bytes: Uint8Array, line: number, member: string, check: (value: unknown, member: string) => void, end = "",
): unknown {
  try {
    const value = JSON.parse(utf8.decode(bytes) + end) as unknown;
    check(value, member);
    return value;
  } catch (error) {
    if (error instanceof Mismatch) throw new CatalogError(line, error.member, error.reason);
    throw new CatalogError(line, member, `expected JSON: ${(error as Error).message}`);
  }
}

/** The images of a catalog: lines of its document, each of which is parsed when it is asked for. */
export class ImageList implements Iterable<Image> {
  private positions: Map<string, number> | undefined;

  /** @param starts the offset of each line, and of the one behind the last. */
  constructor(
    private readonly bytes: Uint8Array, private readonly starts: readonly number[], private readonly formats: readonly Format[],
  ) {}

  get length(): number {
    return this.starts.length - 1;
  }

  /** The image at a position. Undefined if there is none; throws `CatalogError` if it cannot be read. */
  at(position: number): Image | undefined {
    if (!(position in this.starts) || position >= this.length) return undefined;
    return parsed(this.lines(position, position), position + 2, `images[${position}]`, (value, member) => {
      checkImage(value, member);
      addFiles(value as Image, this.formats, member);
    }) as Image;
  }

  /**
   * The position of the first image with an id, as in the manifest. The first call finds the ids of all, without parsing more
   * than these; an image whose id cannot be read has a position only.
   */
  position(id: string): number | undefined {
    this.positions ??= this.ids();
    return this.positions.get(id);
  }

  *[Symbol.iterator](): Generator<Image, void, undefined> {
    for (let position = 0; position < this.length; position += 1) yield this.at(position) as Image;
  }

  /** The bytes of consecutive lines, without the comma and the line break after the last. */
  lines(first: number, last: number): Uint8Array {
    const separator = last === this.length - 1 ? 1 : 2;
    return this.bytes.subarray(this.starts[first], (this.starts[last + 1] ?? 0) - separator);
  }

  private ids(): Map<string, number> {
    const positions = new Map<string, number>();
    for (let position = 0; position < this.length; position += 1) {
      const id = idOf(this.lines(position, position));
      if (id !== undefined && !positions.has(id)) positions.set(id, position);
    }
    return positions;
  }
}

const prefix = '{"id":"';
const quote = 0x22;
const backslash = 0x5c;

/** The id with which a line begins; undefined if it cannot be read. */
function idOf(line: Uint8Array): string | undefined {
  let end = prefix.length;
  while (end < line.length && line[end] !== quote) end += line[end] === backslash ? 2 : 1;
  try {
    const text = utf8.decode(line.subarray(0, end + 1));
    return text.startsWith(prefix) ? (JSON.parse(`${text}}`) as { id: string }).id : undefined;
  } catch {
    return undefined;
  }
}
