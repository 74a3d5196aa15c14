import { CatalogIndex, type CatalogOptions } from "./catalog.js";
import { fail } from "./checks.js";

/** Whether digests can be computed here: browsers do so on secure origins only (https, or localhost). */
export const canVerify = (): boolean => globalThis.crypto?.subtle !== undefined;

/** The SHA-256 that a document should state, in hexadecimal: of its bytes behind `{"digest":"…",`. */
export async function digestOf(bytes: Uint8Array): Promise<string> {
  const hash = await crypto.subtle.digest("SHA-256", bytes.subarray(77));
  return Array.from(new Uint8Array(hash), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/**
 * The same catalog, once its digest has been computed. Rejects with a `CatalogError` if it was altered, and with an `Error` where
 * browsers compute no digests: on origins that are not secure.
 */
export async function verified(index: CatalogIndex): Promise<CatalogIndex> {
  if (!canVerify()) throw new Error("the digest can't be verified: this origin is not secure (https, or localhost)");
  const { digest } = index.head;
  // A task of its own: the bytes are copied for it.
  await new Promise((resolve) => setTimeout(resolve));
  const found = await digestOf(index.bytes);
  return found === digest ? index
    : fail(`the catalog was altered: it states ${digest.slice(0, 12)}…, and has ${found.slice(0, 12)}…`, "digest");
}

export interface LoadOptions extends CatalogOptions {
  signal?: AbortSignal | undefined;
}

/**
 * Fetches a catalog, and opens it.
 *
 * @param options `from` is the URL, unless it is said.
 */
export async function loadCatalog(url: string | URL, { accepting, from = url, signal }: LoadOptions): Promise<CatalogIndex> {
  return new CatalogIndex(await (await get(url, [200], signal)).arrayBuffer(), { accepting, from });
}

/** Changes and a catalog change under their names, so a cached response is used only if the server confirms it. */
export async function get(url: string | URL, expected: number[], signal: AbortSignal | undefined): Promise<Response> {
  const response = await fetch(url, { cache: "no-cache", signal: signal ?? null });
  if (!expected.includes(response.status)) throw new Error(`${url}: the server answered ${response.status}`);
  return response;
}
