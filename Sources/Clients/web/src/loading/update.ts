import { CatalogError } from "../errors.js";
import type { Catalog } from "../model.js";
import { applyChanges, changesURL } from "../reading/changes.js";
import { canVerify, readCatalog, verified } from "../reading/read.js";

/**
 * The current catalog, from the one that the app has: by changes if the server has them, or else as a whole. It is verified by its
 * digest where browsers compute one; elsewhere the whole is fetched. The same object means that nothing has changed.
 *
 * Rejects with a `CatalogError` for what is not a catalog, with an `Error` if it can't be fetched, and with the signal's reason; the
 * app then keeps its catalog.
 *
 * @param url of the catalog.
 */
export async function updateCatalog(
  catalog: Catalog, url: string | URL, { signal }: { signal?: AbortSignal | undefined } = {},
): Promise<Catalog> {
  if (canVerify()) {
    // An object store that may not be listed answers 403 for what is not there.
    const response = await get(changesURL(catalog, url), [200, 403, 404, 410], signal);
    const result = response.status === 200 ? await changed(catalog, await response.arrayBuffer()) : undefined;
    if (result !== undefined) return result;
  }
  const whole = readCatalog(await (await get(url, [200], signal)).arrayBuffer());
  if (canVerify()) await verified(whole);
  return whole.digest === catalog.digest ? catalog : whole;
}

/** Undefined if the changes are of no use. */
async function changed(catalog: Catalog, source: ArrayBuffer): Promise<Catalog | undefined> {
  try {
    return await applyChanges(catalog, source);
  } catch (error) {
    if (error instanceof CatalogError) return undefined;
    throw error;
  }
}

/** Changes and a catalog change under their names, so a cached response is used only if the server confirms it. */
async function get(url: string | URL, expected: number[], signal: AbortSignal | undefined): Promise<Response> {
  const response = await fetch(url, { cache: "no-cache", signal: signal ?? null });
  if (!expected.includes(response.status)) throw new Error(`${url}: the server answered ${response.status}`);
  return response;
}
