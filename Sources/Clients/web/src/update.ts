import { CatalogIndex, type CatalogSource, textOf } from "./catalog.js";
import { fail, parsed, type Shape } from "./checks.js";
import { CatalogError } from "./errors.js";
import { canVerify, digestOf, get, loadCatalog, verified } from "./open.js";
import { resolve } from "./url.js";

/** What leads from one catalog to another. */
interface Changes {
  from: string;
  to: string;
  head: string;
  /** The first and the last of consecutive lines of the old catalog, or a new line. */
  lines: (string | [first: number, last: number])[];
}

const isLine = (value: any): boolean =>
  typeof value === "string" || (Array.isArray(value) && value.length === 2 && value.every(Number.isSafeInteger));
const shape: Shape = { schema: /^tessera-changes\/1$/, from: "", to: "", head: "", lines: [isLine] };

/**
 * The URL of the changes from a catalog to the current one. A run writes them beside `catalog.json`; there are none from a
 * catalog that is too old, or that was never published.
 *
 * @param url of the catalog. Its query and its fragment are left out, as in the URLs of files.
 */
export const changesURL = (digest: string, url: string | URL): string => resolve(`from-${digest}.json`, String(url));

/**
 * The catalog that changes lead to; the same one if they state that it is the current one. Rejects with a `CatalogError` if they
 * are from another catalog, or if the result has another digest than they state: then fetch the whole catalog.
 *
 * @param source what is at `changesURL`, or what `tessera diff --changes` wrote.
 */
export async function applyChanges(index: CatalogIndex, source: CatalogSource): Promise<CatalogIndex> {
  const { from, to, head, lines }: Changes = parsed(textOf(source), 1, "", shape);
  const { digest, count } = index.head;
  if (from !== digest) fail(`the changes are from the catalog ${from.slice(0, 12)}…`, "from");
  if (to === from) return index;
  const encoder = new TextEncoder();
  const parts = [encoder.encode(head)];
  let length = 0;
  lines.forEach((line, place) => {
    if (typeof line !== "string" && !(line[0] >= 0 && line[0] <= line[1] && line[1] < count)) {
      fail(`expected lines from 0 to ${count - 1}, found ${line[0]} to ${line[1]}`, `lines[${place}]`);
    }
    const part = typeof line === "string" ? encoder.encode(line) : index.lines(line[0] + 1, line[1] + 1);
    parts.push(encoder.encode(place === 0 ? "\n" : ",\n"), part);
    length += part.length;
    // Lines may come again: a small document could lead to a huge one.
    if (length >= 2 ** 30) fail(`the changes lead to a catalog of over ${length} bytes`, "lines");
  });
  parts.push(encoder.encode("\n]}\n"));
  const document = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  parts.reduce((place, part) => {
    document.set(part, place);
    return place + part.length;
  }, 0);
  const found = await digestOf(document);
  if (found !== to) fail(`the changes lead to the catalog ${found.slice(0, 12)}…, not to ${to.slice(0, 12)}…`, "to");
  const result = new CatalogIndex(document, { accepting: index.accepted, from: index.from });
  return result.head.digest === to ? result : fail(`the changes lead to the catalog ${to.slice(0, 12)}…, and state another digest`, "head");
}

/**
 * The current catalog, from the one that the app has: by changes if the server has them, or else as a whole. It is verified by its
 * digest where browsers compute one; elsewhere the whole is fetched. The same object means that nothing has changed.
 *
 * Rejects with a `CatalogError` for what is not a catalog, with an `Error` if it can't be fetched, and with the signal's reason; the
 * app then keeps its catalog.
 *
 * @param options `url` of the catalog is where it came from, unless it is said.
 */
export async function updateCatalog(
  index: CatalogIndex, { url = index.from ?? "", signal }: { url?: string | URL; signal?: AbortSignal } = {},
): Promise<CatalogIndex> {
  if (canVerify()) {
    // An object store that may not be listed answers 403 for what is not there.
    const response = await get(changesURL(index.head.digest, url), [200, 403, 404, 410], signal);
    const result = response.status === 200 && await changed(index, await response.arrayBuffer());
    if (result) return result;
  }
  const whole = await loadCatalog(url, { accepting: index.accepted, from: index.from, signal });
  if (canVerify()) await verified(whole);
  return whole.head.digest === index.head.digest ? index : whole;
}

/** Undefined if the changes are of no use. */
async function changed(index: CatalogIndex, source: ArrayBuffer): Promise<CatalogIndex | undefined> {
  try {
    return await applyChanges(index, source);
  } catch (error) {
    if (error instanceof CatalogError) return undefined;
    throw error;
  }
}
