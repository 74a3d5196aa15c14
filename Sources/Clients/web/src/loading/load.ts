import { CatalogError } from "../errors.js";
import type { Catalog, Image } from "../model.js";
import type { WorkerAnswer, WorkerRequest } from "./worker.js";

/** How a catalog is loaded. */
export interface LoadingOptions {
  /** Whether the digest is computed while reading. */
  verify?: boolean | undefined;
  /** Ends the loading. */
  signal?: AbortSignal | undefined;
}

/**
 * Fetches and reads a catalog, JSON or JSON Lines, in a worker, so that the page stays responsive whatever its size. A
 * bundler that knows `new Worker(new URL(…, import.meta.url))` includes the worker.
 *
 * Rejects with a `CatalogError` for what is not a catalog, with an `Error` if it can't be fetched, and with the signal's reason.
 */
export async function loadCatalog(url: string | URL, { verify = false, signal }: LoadingOptions = {}): Promise<Catalog> {
  signal?.throwIfAborted();
  const worker = new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
  const images: Image[] = [];
  let head: Catalog | undefined;
  let stop = (): void => undefined;
  try {
    return await new Promise<Catalog>((resolve, reject) => {
      stop = () => reject(signal?.reason);
      signal?.addEventListener("abort", stop);
      worker.onerror = (event) => reject(new Error(`the worker of tessera-catalog: ${event.message || "can't be loaded"}`));
      worker.onmessage = ({ data }: { data: WorkerAnswer }) => {
        head = data.head ?? head;
        for (const image of data.images ?? []) images.push(image);
        const { failure } = data;
        if (typeof failure === "string") reject(new Error(failure));
        else if (failure !== undefined) reject(new CatalogError(failure.line, failure.column, failure.member, failure.reason));
        else if (data.isWhole === true && head !== undefined) resolve({ ...head, images });
      };
      const request: WorkerRequest = { url: new URL(url, location.href).href, verify };
      worker.postMessage(request);
    });
  } finally {
    signal?.removeEventListener("abort", stop);
    worker.terminate();
  }
}
