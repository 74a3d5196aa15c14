import { CatalogError } from "../errors.js";
import { canonicalValue } from "../json/canonical.js";
import { SHA256 } from "../json/sha256.js";
import { Catalog, Image } from "../model.js";
import { ByteSource, CatalogReader, ReadingOptions } from "./reader.js";

/** The bytes of a text or of a buffer. */
export function bytesOf(source: string | Uint8Array | ArrayBuffer): Uint8Array {
  if (typeof source === "string") return new TextEncoder().encode(source);
  return source instanceof Uint8Array ? source : new Uint8Array(source);
}

/** Reads a whole catalog, JSON or JSON Lines, from a text or its bytes. Throws `CatalogError`. */
export function readCatalog(source: string | Uint8Array | ArrayBuffer, options: ReadingOptions = {}): Catalog {
  const reader = new CatalogReader(options);
  reader.add(bytesOf(source));
  const images: Image[] = [];
  for (let image = reader.next(); image !== undefined; image = reader.next()) images.push(image);
  reader.finish();
  return whole(reader, images);
}

/** Reads a whole catalog while it downloads: `await readCatalogStream(response.body)`. Rejects with `CatalogError`. */
export async function readCatalogStream(source: ByteSource, options: ReadingOptions = {}): Promise<Catalog> {
  const reader = new CatalogReader(options);
  const images: Image[] = [];
  for await (const image of reader.images(source)) images.push(image);
  return whole(reader, images);
}

function whole(reader: CatalogReader, images: Image[]): Catalog {
  if (reader.head === undefined) throw new CatalogError(1, 1, "", "expected a catalog");
  return { ...reader.head, images };
}

/**
 * Reads one image at a time, for a catalog that is larger than memory or still downloading. `head`, if given, receives
 * everything else before the first image, if the document has it before them, as those of a run do.
 */
export async function* readImages(
  source: ByteSource, options: ReadingOptions & { head?: (head: Catalog) => void } = {},
): AsyncGenerator<Image, void, undefined> {
  const reader = new CatalogReader(options);
  let isReported = false;
  const report = () => {
    if (isReported || reader.head === undefined) return;
    isReported = true;
    options.head?.(reader.head);
  };
  for await (const image of reader.images(source)) {
    report();
    yield image;
  }
  report();
}

/** An image with the members that the canonical form always has. */
function full(image: Image): Image {
  const hasNothing = image.status === "failed" && (image.variants ?? []).length === 0
    && Object.keys(image.slots ?? {}).length === 0;
  if (!hasNothing) return { ...image, variants: image.variants ?? [], slots: image.slots ?? {} };
  const { variants: _, slots: __, ...rest } = image;
  return rest;
}

/**
 * The catalog as canonical JSON (RFC 8785), without `digest` and `count`. Equal catalogs have equal texts, whichever
 * form they were read from. Members that this version does not know are not in a catalog that it has read.
 */
export function canonicalJSON(catalog: Catalog): string {
  const { digest: _, count: __, images, ...head } = catalog;
  return canonicalValue({ ...head, images: images.map(full) });
}

/**
 * The catalog as JSON with its `digest` and the number of its images, which come last: what an app stores of a catalog that it
 * has read or patched, so that the next patch applies to it.
 */
export function catalogJSON(catalog: Catalog): string {
  const { images, ...head } = catalog;
  const members = canonicalValue({ ...head, count: images.length });
  return `${members.slice(0, -1)},"images":${canonicalValue(images.map(full))}}`;
}

/** SHA-256 of the canonical form, in hexadecimal, as `digest` states it. */
export function digestOf(catalog: Catalog): string {
  const hash = new SHA256();
  hash.update(new TextEncoder().encode(canonicalJSON(catalog)));
  return hash.hex();
}
