import { SHA256 } from "../json/sha256.js";
import { elements, skip, uniqueMembers } from "../json/structure.js";
import { CatalogBuffer } from "./buffer.js";
import { bytesOf } from "./read.js";

const schema = "tessera-catalog-pages/1";

/** A part of a catalog's images: a catalog of its own, named by its bytes, so it never changes. */
export interface CatalogPage {
  /** Relative to the folder of `catalog.json`. */
  path: string;
  /** The number of images. */
  count: number;
  /** The file's size. */
  bytes: number;
  /** The `digest` of the page. */
  digest: string;
  /** In `lookup.json`: the leading bits, `0` and `1`, of the SHA-256 of each id that the page has. */
  prefix?: string;
}

/** The index of a catalog's pages (`catalog: {pages: 1000}`), or of a screen's (`catalog: {screens: …}`). */
export interface CatalogPages {
  /** The number of images of all pages. */
  count: number;
  /** The `digest` of the whole catalog. */
  digest: string;
  /** In the order of the images; in `lookup.json` in that of the hashes of their ids. */
  pages: CatalogPage[];
}

/** Reads `catalog/index.json`, or `index.json` or `lookup.json` of a screen, from its text or bytes. Throws `CatalogError`. */
export function readPages(source: string | Uint8Array | ArrayBuffer): CatalogPages {
  const buffer = new CatalogBuffer();
  buffer.append(bytesOf(source));
  const scanner = buffer.scanner();
  const found: { isOurs?: boolean; count?: number; digest?: string; pages?: CatalogPage[] } = {};
  const page = (): CatalogPage => {
    scanner.skipSpace();
    const start = scanner.offset;
    const result: CatalogPage = { path: "", count: 0, bytes: 0, digest: "" };
    uniqueMembers(scanner, (name) => {
      if (name === "path" || name === "digest" || name === "prefix") result[name] = scanner.string();
      else if (name === "count" || name === "bytes") result[name] = scanner.int();
      else skip(scanner);
    });
    // Paths are joined to URLs, so they lead nowhere else.
    if (/^(catalog|screens\/[A-Za-z0-9][A-Za-z0-9_-]*)\/[0-9a-f]{32}\.json$/.test(result.path)) return result;
    const path = Array.from(result.path).slice(0, 80).join("");
    throw scanner.failure(`expected a path such as catalog/3f9c….json, found "${path}"`, start);
  };
  buffer.located(() => uniqueMembers(scanner, (name) => {
    if (name === "schema") {
      found.isOurs = scanner.string() === schema;
    } else if (name === "count") {
      found.count = scanner.int();
    } else if (name === "digest") {
      found.digest = scanner.string();
    } else if (name === "pages") {
      const pages: CatalogPage[] = [];
      elements(scanner, () => pages.push(page()));
      found.pages = pages;
    } else {
      skip(scanner);
    }
  }));
  const { isOurs, count, digest, pages } = found;
  if (isOurs !== true || count === undefined || digest === undefined || pages === undefined) {
    throw buffer.error(`expected "${schema}" with count, digest and pages`);
  }
  return { count, digest, pages };
}

/** The pages that are not in an older index: what an app with that one has to fetch. */
export function newPages(pages: CatalogPages, old: CatalogPages): CatalogPage[] {
  const known = new Set(old.pages.map(({ path }) => path));
  return pages.pages.filter(({ path }) => !known.has(path));
}

/** The one page of `lookup.json` that has an image, if the catalog has it; undefined in an index without prefixes. */
export function pageOf(pages: CatalogPages, id: string): CatalogPage | undefined {
  const hash = new SHA256();
  hash.update(new TextEncoder().encode(id));
  const bits = Array.from(hash.hex(), (digit) => parseInt(digit, 16).toString(2).padStart(4, "0")).join("");
  return pages.pages.find(({ prefix }) => prefix !== undefined && bits.startsWith(prefix));
}
