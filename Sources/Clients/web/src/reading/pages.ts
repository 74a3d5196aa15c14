import { elements, skip, uniqueMembers } from "../json/structure.js";
import { CatalogBuffer } from "./buffer.js";
import { bytesOf } from "./read.js";

const schema = "tessera-catalog-pages/1";

/** A part of a catalog's images: a catalog of its own, named by its digest, so it never changes. */
export interface CatalogPage {
  /** Relative to the folder of `catalog.json`. */
  path: string;
  /** The number of images. */
  count: number;
  /** The file's size. */
  bytes: number;
  /** The `digest` of the page. */
  digest: string;
}

/** The index of a catalog's pages, which a run writes with `catalog: {pages: 1000}`. */
export interface CatalogPages {
  /** The number of images of all pages. */
  count: number;
  /** The `digest` of the whole catalog. */
  digest: string;
  /** In the order of the images. */
  pages: CatalogPage[];
}

/** Reads `catalog/index.json` from its text or bytes. Throws `CatalogError`. */
export function readPages(source: string | Uint8Array | ArrayBuffer): CatalogPages {
  const buffer = new CatalogBuffer();
  buffer.append(bytesOf(source));
  const scanner = buffer.scanner();
  const found: { isOurs?: boolean; count?: number; digest?: string; pages?: CatalogPage[] } = {};
  const page = (): CatalogPage => {
    scanner.skipSpace();
    const start = scanner.offset;
    const result = { path: "", count: 0, bytes: 0, digest: "" };
    uniqueMembers(scanner, (name) => {
      if (name === "path" || name === "digest") result[name] = scanner.string();
      else if (name === "count" || name === "bytes") result[name] = scanner.int();
      else skip(scanner);
    });
    // Paths are joined to URLs, so they lead nowhere else.
    if (/^catalog\/[0-9a-f]{32}\.json$/.test(result.path)) return result;
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
