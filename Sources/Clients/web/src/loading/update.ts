import { CatalogError } from "../errors.js";
import { resolve } from "../layout/entry.js";
import type { Catalog } from "../model.js";
import { applyPatch, readPatch } from "../reading/patch.js";
import { readCatalogStream } from "../reading/read.js";
import { loadCatalog } from "./load.js";

/**
 * The URL of the patch that leads from a catalog to the current one. A run writes it beside `catalog.json`; there is none for a
 * catalog that is too old, or that was never published. Undefined if the catalog has no `digest` of 64 hexadecimal digits.
 *
 * @param url of the catalog. Its query and its fragment are left out, as in the URLs of files.
 */
export function patchURL({ digest = "" }: Catalog, url: string | URL): string | undefined {
  return /^[0-9a-f]{64}$/.test(digest) ? resolve(`from-${digest}.json`, String(url)) : undefined;
}

/**
 * The catalog that a patch leads to, if that is certain: the patch is for this catalog, and the result has the digest that the
 * patch states. The same catalog, without work, if the patch states that it is the current one. Undefined if the whole catalog
 * has to be fetched: it is not a patch, or one for another catalog, or the catalog has members that this version does not know.
 *
 * @param source what `patchURL` returned.
 */
export function patched(catalog: Catalog, source: string | Uint8Array | ArrayBuffer): Catalog | undefined {
  try {
    const patch = readPatch(source) as { from?: string; to?: string };
    if (patch.from === undefined || patch.from !== catalog.digest || patch.to === undefined) return undefined;
    if (patch.to === patch.from) return catalog;
    const result = applyPatch(catalog, patch, { verify: true });
    return result.digest === patch.to ? result : undefined;
  } catch (error) {
    if (error instanceof CatalogError) return undefined;
    throw error;
  }
}

/**
 * The current catalog, from the one that the app has: by a patch if the server has one, or else as a whole, in a worker if there
 * are workers. It is verified by its digest. The same object means that nothing has changed.
 *
 * Rejects as `loadCatalog`; the app then keeps its catalog.
 *
 * @param url of the catalog.
 */
export async function updateCatalog(
  catalog: Catalog, url: string | URL, { signal }: { signal?: AbortSignal | undefined } = {},
): Promise<Catalog> {
  const patch = patchURL(catalog, url);
  if (patch !== undefined) {
    // An object store that may not be listed answers 403 for what is not there.
    const response = await get(patch, [200, 403, 404, 410], signal);
    const result = response.status === 200 ? patched(catalog, await response.arrayBuffer()) : undefined;
    if (result !== undefined) return result;
  }
  if (typeof Worker !== "undefined") return loadCatalog(url, { verify: true, signal });
  const { body } = await get(url, [200], signal);
  return readCatalogStream(body ?? [], { verify: true });
}

/** A patch and a catalog change under their names, so a cached answer is used only if the server confirms it. */
async function get(url: string | URL, expected: number[], signal: AbortSignal | undefined): Promise<Response> {
  const response = await fetch(url, { cache: "no-cache", signal: signal ?? null });
  if (!expected.includes(response.status)) throw new Error(`${url}: the server answered ${response.status}`);
  return response;
}
