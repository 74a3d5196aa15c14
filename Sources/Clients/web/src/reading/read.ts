import { CatalogError } from "../errors.js";
import type { Catalog, CatalogHead } from "../model.js";
import { ImageList, parsed } from "./images.js";
import { checkHead } from "./shape.js";

/** A text, or the bytes of a response. */
export type Source = string | Uint8Array | ArrayBuffer;

export function bytesOf(source: Source): Uint8Array {
  if (typeof source === "string") return new TextEncoder().encode(source);
  return source instanceof Uint8Array ? source : new Uint8Array(source);
}

const lineBreak = 0x0a;
const comma = 0x2c;

/**
 * Reads a catalog: its head, and where its images are. An image is parsed when it is asked for, so a large catalog is read in
 * milliseconds. Throws `CatalogError` for what is not a catalog, or for one that is cut off.
 *
 * @param source is not copied if it is bytes; it must stay as it is.
 */
export function readCatalog(source: Source): Catalog {
  const bytes = bytesOf(source);
  const ascii = (start: number, end?: number): string => String.fromCharCode(...bytes.subarray(start, end));
  if (!/^\{"digest":"[0-9a-f]{64}",$/.test(ascii(0, digestedFrom))) {
    throw new CatalogError(1, "", 'expected a catalog, which begins with {"digest":" and 64 hexadecimal digits');
  }
  if (ascii(-4) !== "\n]}\n") throw new CatalogError(1, "", "the catalog is cut off");
  const first = bytes.indexOf(lineBreak);
  if (!ascii(Math.max(0, first - 10), first).endsWith('"images":[')) {
    throw new CatalogError(1, "", 'expected "images":[ at the end of the first line, and an image on each other line');
  }
  const head = parsed(bytes.subarray(0, first), 1, "", checkHead, "]}") as CatalogHead;
  const starts = [first + 1];
  for (let place = first + 1; place < bytes.length - 3; starts.push(place)) place = bytes.indexOf(lineBreak, place) + 1;
  const images = new ImageList(bytes, starts, head.formats);
  if (images.length !== head.count) throw new CatalogError(1, "", `the catalog has ${images.length} of its ${head.count} images`);
  for (let line = 1; line <= head.count; line += 1) {
    const hasComma = bytes[(starts[line] ?? 0) - 2] === comma;
    if (hasComma !== line < head.count) throw new CatalogError(line + 1, "", "expected a comma after each image but the last");
  }
  return { ...head, images, bytes };
}

/** `digest` is of the bytes from here on: behind `{"digest":"…",`. */
const digestedFrom = 77;

/** Whether digests can be computed here: browsers do so on secure origins only (https, or localhost). */
export const canVerify = (): boolean => globalThis.crypto?.subtle !== undefined;

/** The SHA-256 that a document should state, in hexadecimal. */
export async function digestOf(bytes: Uint8Array): Promise<string> {
  const hash = await crypto.subtle.digest("SHA-256", bytes.subarray(digestedFrom));
  return Array.from(new Uint8Array(hash), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/**
 * The same catalog, once its digest has been computed: `await verified(readCatalog(bytes))`. Rejects with a `CatalogError` if it
 * was altered, and with an `Error` where browsers compute no digests: on origins that are not secure.
 */
export async function verified(catalog: Catalog): Promise<Catalog> {
  if (!canVerify()) throw new Error("the digest can't be verified: this origin is not secure (https, or localhost)");
  const found = await digestOf(catalog.bytes);
  if (found === catalog.digest) return catalog;
  throw new CatalogError(
    1, "digest", `the catalog was altered: it states ${catalog.digest.slice(0, 12)}…, and has ${found.slice(0, 12)}…`);
}
