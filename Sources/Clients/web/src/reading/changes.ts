import { CatalogError } from "../errors.js";
import { resolve } from "../layout/entry.js";
import type { Catalog } from "../model.js";
import { parsed } from "./images.js";
import { bytesOf, digestOf, readCatalog, Source } from "./read.js";
import { checkChanges } from "./shape.js";

/** What leads from one catalog to another. */
interface Changes {
  from: string;
  to: string;
  head: string;
  /** The first and the last of consecutive lines of the old catalog, or a new line. */
  lines: (string | [first: number, last: number])[];
}

/**
 * The URL of the changes from a catalog to the current one. A run writes them beside `catalog.json`; there are none from a
 * catalog that is too old, or that was never published.
 *
 * @param url of the catalog. Its query and its fragment are left out, as in the URLs of files.
 */
export const changesURL = ({ digest }: Catalog, url: string | URL): string => resolve(`from-${digest}.json`, String(url));

/**
 * The catalog that changes lead to; the same one if they state that it is the current one. Rejects with a `CatalogError` if they
 * are from another catalog, or if the result has another digest than they state: then fetch the whole catalog.
 *
 * @param source what is at `changesURL`, or what `tessera diff --changes` wrote.
 */
export async function applyChanges(catalog: Catalog, source: Source): Promise<Catalog> {
  const { from, to, head, lines } = parsed(bytesOf(source), 1, "", checkChanges) as Changes;
  if (from !== catalog.digest) throw new CatalogError(1, "from", `the changes are from the catalog ${from.slice(0, 12)}…`);
  if (to === from) return catalog;
  const encoder = new TextEncoder();
  const parts = [encoder.encode(head)];
  lines.forEach((line, index) => {
    parts.push(encoder.encode(index === 0 ? "\n" : ",\n"));
    if (typeof line === "string") return parts.push(encoder.encode(line));
    const [first, last] = line;
    if (first < 0 || last < first || last >= catalog.count) {
      throw new CatalogError(1, `lines[${index}]`, `expected lines from 0 to ${catalog.count - 1}, found ${first} to ${last}`);
    }
    return parts.push(catalog.images.lines(first, last));
  });
  parts.push(encoder.encode("\n]}\n"));
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  // Lines may come again: a small document could lead to a huge one.
  if (length >= 2 ** 31) throw new CatalogError(1, "lines", `the changes lead to a catalog of ${length} bytes`);
  const bytes = new Uint8Array(length);
  let place = 0;
  for (const part of parts) {
    bytes.set(part, place);
    place += part.length;
  }
  const found = await digestOf(bytes);
  if (found !== to) {
    throw new CatalogError(1, "to", `the changes lead to the catalog ${found.slice(0, 12)}…, not to ${to.slice(0, 12)}…`);
  }
  const result = readCatalog(bytes);
  if (result.digest === to) return result;
  throw new CatalogError(1, "head", `the changes lead to the catalog ${to.slice(0, 12)}…, and state another digest`);
}
