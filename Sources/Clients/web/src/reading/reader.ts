import { CatalogError } from "../errors.js";
import { Catalog, Image } from "../model.js";
import { CatalogBuffer } from "./buffer.js";
import { DigestReader, HeadReader } from "./head.js";
import { readImage } from "./records.js";

/** What the next byte belongs to. */
type State =
  | { at: "beginning" | "name" | "lines" | "end" }
  /** Between the members of the document, or in the array of images. */
  | { at: "members" | "images"; isFirst: boolean }
  | { at: "colon" | "value"; name: string };

export interface ReadingOptions {
  /** Receives each image that cannot be read, which is then left out. Without it the first such image is an error. */
  skip?: (problem: CatalogError) => void;
  /**
   * Whether the catalog's digest is computed while reading, and compared with the one that the catalog states: a catalog
   * that was altered in flight is an error.
   */
  verify?: boolean;
}

/** Of one step of reading: more steps, more bytes, or the end of the image that begins at the next byte. */
type Step = "on" | "needs bytes" | number;

/**
 * Reads a catalog from bytes as they arrive, one image at a time, in both forms, JSON and JSON Lines. Ignores members
 * that this version does not know. Methods throw `CatalogError`.
 *
 *     const reader = new CatalogReader();
 *     for await (const image of reader.images(response.body)) show(image, reader.head);
 */
export class CatalogReader {
  /** Everything but the images; its `images` are empty. Undefined until it has arrived: before the first image. */
  head: Catalog | undefined;
  /** SHA-256 of the canonical form of what was read, after `finish`, if it was to be computed. */
  digest: string | undefined;

  private readonly buffer = new CatalogBuffer();
  private readonly headReader = new HeadReader();
  private readonly hashing: DigestReader | undefined;
  private state: State = { at: "beginning" };
  /** Images read so far, with those that were skipped. */
  private count = 0;

  constructor(private readonly options: ReadingOptions = {}) {
    this.hashing = options.verify === true ? new DigestReader() : undefined;
  }

  /** Reads a whole document from its parts, and yields each image as soon as it is complete. */
  async *images(parts: ByteSource): AsyncGenerator<Image, void, undefined> {
    for await (const part of chunks(parts)) {
      this.add(part);
      for (let image = this.next(); image !== undefined; image = this.next()) yield image;
    }
    this.finish();
  }

  /** Adds the next bytes of the document. The array must not be changed while the reader is in use. */
  add(bytes: Uint8Array): void {
    this.buffer.append(bytes);
  }

  /** The next image; undefined if more bytes are needed, or at the end. */
  next(): Image | undefined {
    for (let end = this.endOfImage(); end !== undefined; end = this.endOfImage()) {
      const scanner = this.buffer.scanner(end, ["images", this.count]);
      let image: Image | undefined;
      try {
        image = this.buffer.located(() => readImage(scanner));
      } catch (problem) {
        if (this.options.skip === undefined || !(problem instanceof CatalogError)) throw problem;
        this.options.skip(problem);
      }
      scanner.restart();
      this.buffer.located(() => this.hashing?.addImage(scanner));
      this.count += 1;
      this.buffer.offset = end;
      if (image !== undefined) return image;
    }
    return undefined;
  }

  /**
   * Checks that the document is complete. Call it after the last bytes, when `next` has returned undefined.
   *
   * Throws if the document is cut off, if its images are not as many as it states, or if it has another digest.
   */
  finish(): void {
    const isWhole = this.state.at === "end" || this.state.at === "lines";
    if (!isWhole || this.buffer.peek() !== undefined) {
      this.buffer.skipAll();
      throw this.buffer.error("the catalog is cut off here");
    }
    // JSON Lines has no end of its own: a document cut at the end of a line looks complete.
    const stated = this.headReader.count;
    if (stated !== undefined && stated !== this.count) {
      throw this.buffer.error(`the catalog has ${this.count} of its ${stated} images`);
    }
    this.digest = this.hashing?.end();
    const expected = this.head?.digest;
    if (this.digest !== undefined && expected !== undefined && this.digest !== expected) {
      throw this.buffer.error(
        `the catalog was altered: it states the digest ${expected.slice(0, 12)}…, and has ${this.digest.slice(0, 12)}…`);
    }
  }

  private endOfImage(): number | undefined {
    for (;;) {
      this.buffer.skipSpace();
      const byte = this.buffer.peek();
      if (byte === undefined) return undefined;
      const step = this.step(byte);
      if (typeof step === "number") return step;
      if (step === "needs bytes") return undefined;
    }
  }

  private step(byte: number): Step {
    const { buffer, state } = this;
    switch (state.at) {
      case "beginning":
        if (byte !== 0x7b) throw buffer.error("expected an object; this is not a catalog");
        return this.pass({ at: "members", isFirst: true });
      case "members": return this.members(byte, state.isFirst);
      case "name": return this.name(byte);
      case "colon":
        if (byte !== 0x3a) throw buffer.error('expected ":" after a member\'s name');
        return this.pass({ at: "value", name: state.name });
      case "value": return state.name === "images" ? this.startOfImages(byte) : this.value(state.name);
      case "images": return this.image(byte, state.isFirst);
      case "lines": {
        const end = buffer.end();
        // A bracket that nothing opened ends a value of no bytes. With one byte, each image that is skipped leads on.
        return end < 0 ? "needs bytes" : Math.max(end, buffer.offset + 1);
      }
      case "end": throw buffer.error("expected nothing after the catalog");
    }
  }

  /** Goes on behind a byte. */
  private pass(state: State): Step {
    this.buffer.offset += 1;
    this.state = state;
    return "on";
  }

  private members(byte: number, isFirst: boolean): Step {
    if (byte === 0x7d) {
      this.buffer.offset += 1;
      const { missing } = this.headReader;
      if (missing !== undefined) {
        throw this.buffer.error(`the member "${missing}" is missing; this may not be a catalog`);
      }
      this.head = this.headReader.head;
      // Without images, the object is the first line of JSON Lines.
      this.state = { at: this.headReader.hasImages ? "end" : "lines" };
      if (!this.headReader.hasImages) this.hashing?.begin();
      return "on";
    }
    if (isFirst) {
      this.state = { at: "name" };
      return "on";
    }
    if (byte !== 0x2c) throw this.buffer.error('expected "," or "}"');
    return this.pass({ at: "name" });
  }

  private name(byte: number): Step {
    if (byte !== 0x22) throw this.buffer.error("expected a member's name in quotes");
    const end = this.buffer.end();
    if (end < 0) return "needs bytes";
    this.state = { at: "colon", name: this.buffer.located(() => this.buffer.scanner(end).string()) };
    this.buffer.offset = end;
    return "on";
  }

  private value(name: string): Step {
    const end = this.buffer.end();
    if (end < 0) return "needs bytes";
    this.buffer.located(() => {
      const scanner = this.buffer.scanner(end);
      this.headReader.read(name, scanner);
      scanner.path.push(name);
      if (!scanner.isAtEnd()) throw scanner.failure('expected "," or "}"');
    });
    if (this.hashing?.isLate(name) === true) {
      throw this.buffer.error(`"${name}" comes after the images, so the digest can't be computed while reading`);
    }
    this.buffer.located(() => this.hashing?.addMember(name, this.buffer.scanner(end)));
    this.buffer.offset = end;
    this.state = { at: "members", isFirst: false };
    return "on";
  }

  private startOfImages(byte: number): Step {
    if (byte !== 0x5b || this.headReader.hasImages) throw this.buffer.error("expected one array of images");
    this.headReader.hasImages = true;
    this.head = this.headReader.head;
    this.hashing?.begin();
    return this.pass({ at: "images", isFirst: true });
  }

  private image(byte: number, isFirst: boolean): Step {
    if (byte === 0x5d) return this.pass({ at: "members", isFirst: false });
    if (!isFirst && byte !== 0x2c) throw this.buffer.error('expected "," or "]"');
    // The comma stays until the whole image has arrived, so no state is needed between the two.
    const end = this.buffer.end(this.buffer.offset + (isFirst ? 0 : 1));
    if (end < 0) return "needs bytes";
    if (!isFirst) this.buffer.offset += 1;
    this.state = { at: "images", isFirst: false };
    return end;
  }
}

/** Bytes that arrive in parts: the body of a `Response`, or a stream of Node. */
export type ByteSource = ReadableStream<Uint8Array> | AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

/** The parts of a stream. Not every browser can iterate over a `ReadableStream`. */
async function* chunks(source: ByteSource): AsyncGenerator<Uint8Array, void, undefined> {
  if (!("getReader" in source)) {
    yield* source;
    return;
  }
  const reader = source.getReader();
  let isDone = false;
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) yield part.value;
    isDone = true;
  } finally {
    // Who stops iterating early does not want the rest.
    if (!isDone) await reader.cancel().catch(() => undefined);
    reader.releaseLock();
  }
}
