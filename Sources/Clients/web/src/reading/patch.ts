import { CatalogError } from "../errors.js";
import { canonicalValue } from "../json/canonical.js";
import { PathPart, ScanFailure } from "../json/failure.js";
import { Scanner } from "../json/scanner.js";
import { elements, members, put, skip, uniqueMembers, value } from "../json/structure.js";
import { Catalog, Image } from "../model.js";
import { CatalogBuffer } from "./buffer.js";
import { HeadReader } from "./head.js";
import { bytesOf, digestOf } from "./read.js";
import { readImage } from "./records.js";

type Members = { [name: string]: unknown };

/** An image of the keyed form. */
interface Entry {
  image: Image;
  /** The id of the image after it. */
  next: string | undefined;
}

const isObject = (value: unknown): value is Members =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** A value in memory has no place in a document. */
const error = (member: string, reason: string) => new CatalogError(1, 1, member, reason);

/** Reads a patch from its text as strictly as a catalog; `JSON.parse` rounds integers above 2^53. */
export function readPatch(source: string | Uint8Array | ArrayBuffer): unknown {
  const buffer = new CatalogBuffer();
  buffer.append(bytesOf(source));
  return buffer.located(() => {
    const scanner = buffer.scanner();
    const patch = readMembers(scanner);
    if (!scanner.isAtEnd()) throw scanner.failure("expected nothing after the patch");
    return patch;
  });
}

function readMembers(scanner: Scanner): Members {
  const patch: Members = {};
  uniqueMembers(scanner, (name) => put(patch, name, name === "images" ? readChanges(scanner) : value(scanner)));
  for (const name of ["from", "to"]) {
    if (patch[name] !== undefined && typeof patch[name] !== "string") {
      throw new ScanFailure(0, "expected a string", name);
    }
  }
  return patch;
}

const listSchema = "tessera-catalog-patches/1";

/** The patches of a screen: from pages that an app has, of an earlier catalog, to pages of the current one. */
export interface CatalogPatches {
  /** The digest of the earlier catalog. */
  from: string;
  /** The digest of the current one. */
  to: string;
  /** By the digests of the pages that they lead to. A page that is new and has no patch is fetched as a whole. */
  patches: Map<string, unknown>;
}

/** Reads `screens/feed/from-….json` from its text or bytes. Throws `CatalogError`. */
export function readPatches(source: string | Uint8Array | ArrayBuffer): CatalogPatches {
  const buffer = new CatalogBuffer();
  buffer.append(bytesOf(source));
  const scanner = buffer.scanner();
  const found: { isOurs?: boolean; from?: string; to?: string; patches?: Map<string, unknown> } = {};
  buffer.located(() => {
    uniqueMembers(scanner, (name) => {
      if (name === "schema") {
        found.isOurs = scanner.string() === listSchema;
      } else if (name === "from" || name === "to") {
        found[name] = scanner.string();
      } else if (name === "patches") {
        const patches = new Map<string, unknown>();
        elements(scanner, () => {
          const patch = readMembers(scanner);
          if (patch["to"] !== undefined) patches.set(patch["to"] as string, patch);
        });
        found.patches = patches;
      } else {
        skip(scanner);
      }
    });
    if (!scanner.isAtEnd()) throw scanner.failure("expected nothing after the patches");
  });
  const { isOurs, from, to, patches } = found;
  if (isOurs !== true || from === undefined || to === undefined || patches === undefined) {
    throw buffer.error(`expected "${listSchema}" with from, to and patches`);
  }
  return { from, to, patches };
}

function readChanges(scanner: Scanner): Members {
  const changes: Members = {};
  // Ids are compared by their code units, unlike the names of other members.
  members(scanner, (id, offset) => {
    if (Object.prototype.hasOwnProperty.call(changes, id)) throw scanner.duplicate(id, offset);
    // An image's `extra` is two levels further down here, and may nest as deep as in a catalog.
    put(changes, id, value(scanner, -2));
  });
  return changes;
}

/**
 * Applies a patch of `tessera diff --patch`, as `readPatch` or `JSON.parse` returns it, to the catalog that it is for.
 * The patch is a JSON Merge Patch (RFC 7396) for the keyed form of a catalog, in which `images` is an object by ids and
 * each image names its successor. Do not apply it to the catalog itself: its `images` would replace the array.
 *
 * Neither argument is changed; images that the patch does not change are shared. Throws `CatalogError` if the patch is
 * not one, or for another catalog, or if the result is not a catalog. With `verify` it also computes the digest of the
 * result, which takes as long as reading it.
 */
export function applyPatch(catalog: Catalog, patch: unknown, options: { verify?: boolean } = {}): Catalog {
  if (!isObject(patch)) throw error("", "expected a patch, which is an object");
  const { from, to, images, first, ...changes } = patch;
  if (from !== undefined && catalog.digest !== undefined && from !== catalog.digest) {
    throw error("from", `the patch is for the catalog ${short(from)}, and this one is ${short(catalog.digest)}`);
  }
  const { head, count } = patchedHead(catalog, changes);
  const entries = entriesOf(catalog);
  if (images !== undefined && !isObject(images)) throw error("images", "expected an object");
  for (const [id, change] of Object.entries(images ?? {})) {
    if (change === null) entries.delete(id);
    else entries.set(id, changed(entries.get(id), change, id));
  }
  // A `first` of null means that no image is left; without `first` the order begins as before.
  const ordered = inOrder(entries, first === undefined ? catalog.images[0]?.id : first);
  if (count !== undefined && count !== ordered.length) {
    throw error("images", `${ordered.length} of ${count}; the patch is for another catalog`);
  }
  const result = { ...head, images: ordered };
  checkResult(result, to, options.verify === true);
  return result;
}

const short = (digest: unknown): string => `${String(digest).slice(0, 12)}…`;

function checkResult(result: Catalog, to: unknown, isComputed: boolean): void {
  const digest = isComputed ? digestOf(result) : result.digest;
  if (to === undefined || digest === undefined || to === digest) return;
  throw error("to", `the patch leads to the catalog ${short(to)}, and the result is ${short(digest)}`);
}

/** The new catalog without its images, and how many it must have. */
function patchedHead(catalog: Catalog, changes: Members): { head: Catalog; count: number | undefined } {
  const { images: _, count: __, ...before } = catalog;
  const reader = new HeadReader();
  const scanner = scannerOf(merge(before, changes));
  strictly(() => uniqueMembers(scanner, (name) => {
    // `HeadReader` adds the name itself.
    scanner.path.pop();
    reader.read(name, scanner);
    scanner.path.push(name);
  }));
  const { head, missing, count } = reader;
  if (head === undefined) throw error(missing ?? "", "the patch removes it");
  return { head, count };
}

function entriesOf(catalog: Catalog): Map<string, Entry> {
  const entries = new Map<string, Entry>();
  catalog.images.forEach((image, place) => {
    if (entries.has(image.id)) throw error("images", `duplicate id "${image.id}"`);
    entries.set(image.id, { image, next: catalog.images[place + 1]?.id });
  });
  return entries;
}

/** The entry after a change; it may not exist yet. */
function changed(entry: Entry | undefined, change: unknown, id: string): Entry {
  const before: Members = {};
  if (entry !== undefined) {
    const { id: _, ...image } = entry.image;
    Object.assign(before, image, entry.next === undefined ? {} : { next: entry.next });
    // A merge patch replaces an array as a whole, but cannot express a null member.
    if ("extra" in before) before["extra"] = [before["extra"]];
  }
  const merged = merge(before, change);
  if (!isObject(merged)) throw error(`images.${id}`, "expected an object");
  const { next, ...image } = merged;
  if (Array.isArray(image["extra"])) {
    if (image["extra"].length > 0) [image["extra"]] = image["extra"] as unknown[];
    else delete image["extra"];
  }
  image["id"] = id;
  const scanner = scannerOf(image, ["images", id]);
  return { image: strictly(() => readImage(scanner)), next: typeof next === "string" ? next : undefined };
}

/** The images in the order of their `next`; all of them must have a place in it. */
function inOrder(entries: Map<string, Entry>, first: unknown): Image[] {
  const images: Image[] = [];
  for (let id = typeof first === "string" ? first : undefined; id !== undefined; ) {
    const entry = entries.get(id);
    if (entry === undefined) throw error("images", `"${id}" is missing; the patch is for another catalog`);
    // Removed when it is visited, so that a cycle of `next` ends in this error.
    entries.delete(id);
    images.push(entry.image);
    id = entry.next;
  }
  if (entries.size === 0) return images;
  throw error("images", `${entries.size} have no place in the order; the patch is for another catalog`);
}

/** RFC 7396, section 2. */
function merge(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  const result: Members = {};
  const names = isObject(target) ? Object.keys(target) : [];
  for (const name of names) put(result, name, (target as Members)[name]);
  for (const [name, change] of Object.entries(patch)) {
    const isThere = Object.prototype.hasOwnProperty.call(result, name);
    if (change === null) delete result[name];
    else put(result, name, merge(isThere ? result[name] : undefined, change));
  }
  return result;
}

/** A scanner for the text of a value, so that a patched value is checked as strictly as a file. */
function scannerOf(value: unknown, path: readonly PathPart[] = []): Scanner {
  return new Scanner(new TextEncoder().encode(canonicalValue(value)), path);
}

function strictly<Value>(body: () => Value): Value {
  try {
    return body();
  } catch (failure) {
    throw failure instanceof ScanFailure ? error(failure.member, failure.reason) : failure;
  }
}
