import { fail, headShape, imageShape, parsed } from "./checks.js";
import { CatalogEntry } from "./entry.js";
import { addFiles } from "./files.js";
import type { CatalogHead, Image } from "./model.js";
import { resolve } from "./url.js";

/** A text, or the bytes of a response. */
export type CatalogSource = string | Uint8Array | ArrayBuffer;

/** What a client is, and where its catalog came from. */
export interface CatalogOptions {
  /** The media types that the client shows: `await detectTypes()` in a browser. */
  accepting: ReadonlySet<string>;
  /** The URL of the catalog, also a relative one such as "/feed/catalog.json"; needed if it has no `baseURL`. */
  from?: string | URL | undefined;
}

const utf8 = new TextDecoder("utf-8", { ignoreBOM: true });

/** The text of a document. Bytes that are no text are replaced; its digest is another one then. */
export const textOf = (source: CatalogSource): string => (typeof source === "string" ? source : utf8.decode(source));

/** A member by any name, such as `constructor`, which every object inherits, and `__proto__`. */
export const own = <Value>(members: { [name: string]: Value } = {}, name: string): Value | undefined =>
  (Object.hasOwn(members, name) ? members[name] : undefined);

/**
 * A catalog that was opened for one client. Its images are lines of its document: each is parsed when it is asked for, so a large
 * catalog is opened in milliseconds.
 */
export class CatalogIndex {
  /** Everything but the images. */
  readonly head: CatalogHead;
  /** The media types that the client shows. */
  readonly accepted: ReadonlySet<string>;
  /** The URL of the catalog. */
  readonly from: string | undefined;
  /** The document: what an app stores, so that changes apply to it. */
  readonly bytes: Uint8Array;
  /** The offsets of the document's lines and of its end: of the head, of each image, of the last line. */
  private readonly starts = [0];
  /** What comes before a path. */
  private readonly prefix: string;
  private readonly positions = new Map<string | undefined, number>();

  /**
   * Throws `CatalogError` for what is not a catalog, or for one that is cut off; a `TypeError` if neither the catalog nor the
   * options say where files are.
   *
   * @param source is not copied if it is bytes; it must stay as it is.
   */
  constructor(source: CatalogSource, { accepting, from }: CatalogOptions) {
    const bytes = typeof source === "string" ? new TextEncoder().encode(source) : source instanceof Uint8Array ? source : new Uint8Array(source);
    this.bytes = bytes;
    const { starts } = this;
    for (let place = 0; (place = bytes.indexOf(10, place) + 1) > 0;) starts.push(place);
    const first = textOf(this.lines(0, 0));
    if (!/^\{"digest":"[0-9a-f]{64}",.*"images":\[$/.test(first)) fail("expected a catalog, whose first line begins with its digest");
    if (textOf(bytes.subarray(-4)) !== "\n]}\n") fail("the catalog is cut off");
    const { count, baseURL } = this.head = parsed(`${first}]}`, 1, "", headShape);
    const found = starts.length - 3;
    if (found !== count) fail(`the catalog has ${found} of its ${count} images`);
    // A comma, and a line feed.
    if (starts.some((start, line) => line > 1 && line < starts.length - 1 && (bytes[start - 2] === 44) !== line <= count)) {
      fail("expected a comma after each image but the last");
    }
    if (baseURL === undefined && from === undefined) {
      throw new TypeError('the catalog has no baseURL: "from" must say its URL, such as "/feed/catalog.json"');
    }
    this.from = from && String(from);
    this.prefix = resolve(baseURL ?? "", this.from);
    this.accepted = accepting;
  }

  /** The image at a position in the catalog's order. Undefined if there is none; throws `CatalogError` if it cannot be read. */
  at(position: number): CatalogEntry | undefined {
    const { count, formats } = this.head;
    if (!(position in this.starts && position < count)) return undefined;
    const member = `images[${position}]`;
    const image: Image = parsed(textOf(this.lines(position + 1, position + 1)), position + 2, member, imageShape);
    addFiles(image, formats, member, position + 2);
    return new CatalogEntry(this, image);
  }

  /**
   * The image with an id: the first one, if there are several. The first call finds the ids of all, without parsing more than these.
   * Throws `CatalogError` if the image cannot be read.
   */
  image(id: string): CatalogEntry | undefined {
    const { bytes, starts, positions } = this;
    // In reverse order: the first one of several counts.
    for (let line = positions.size === 0 ? this.head.count : 0; line > 0; line -= 1) {
      let text = "";
      let place = (starts[line] as number) + 7;
      // A decoder takes ten times as long.
      for (let byte; (byte = bytes[place] as number) > 31 && byte < 128 && byte !== 34 && byte !== 92; place += 1) text += String.fromCharCode(byte);
      positions.set(bytes[place] === 34 ? text : idOf(textOf(this.lines(line, line))), line - 1);
    }
    const found = this.at(positions.get(id) ?? -1);
    return found?.id === id ? found : undefined;
  }

  /** All images, each parsed when the loop comes to it. */
  get images(): Iterable<CatalogEntry> {
    return { [Symbol.iterator]: () => this.all() };
  }

  private *all(): Generator<CatalogEntry, void> {
    for (let position = 0; position < this.head.count; position += 1) yield this.at(position) as CatalogEntry;
  }

  /** Consecutive lines of the document, without the comma and the line feed after the last. */
  lines(first: number, last: number): Uint8Array {
    const end = this.starts[last + 1] as number;
    return this.bytes.subarray(this.starts[first], end - (this.bytes[end - 2] === 44 ? 2 : 1));
  }

  /** The URL of a file by its reference, or of a part of a screen by its path. */
  url(reference: string): string {
    // A service may verify a signature of the URL, so it stays exactly as it is.
    return /^https?:\/\//.test(reference) ? reference : this.prefix + reference;
  }
}

/** The id with which a line begins; undefined if it cannot be read. */
function idOf(line: string): string | undefined {
  const [, id] = /^\{"id":("(?:[^"\\\0-\x1f]|\\(?:["\\/bfnrt]|u[\da-f]{4}))*")/i.exec(line) ?? [];
  return id && JSON.parse(id) as string;
}
