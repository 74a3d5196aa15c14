// Reads a catalog in a worker, for `loadCatalog`.
import { readImages } from "../reading/read.js";
import type { Catalog, Image } from "../model.js";

/** What the page asks of the worker. */
export interface WorkerRequest {
  /** Absolute: a worker has another base URL. */
  url: string;
  verify: boolean;
}

/** What the worker answers: the head, images in parts, and the end or an error. */
export interface WorkerAnswer {
  head?: Catalog;
  images?: Image[];
  isWhole?: true;
  failure?: WorkerFailure;
}

/** The arguments of a `CatalogError`, or the message of another one. */
export type WorkerFailure = { line: number; column: number; member: string; reason: string } | string;

/** The page takes as long for a part as for a frame or two. */
const partSize = 500;

// The types of a page and of a worker exclude one another.
const scope = globalThis as unknown as {
  onmessage: (event: { data: WorkerRequest }) => void;
  postMessage(answer: WorkerAnswer): void;
};

scope.onmessage = ({ data }) => {
  read(data).then(() => scope.postMessage({ isWhole: true }), (error) => scope.postMessage({ failure: failureOf(error) }));
};

async function read({ url, verify }: WorkerRequest): Promise<void> {
  // A catalog changes under its name.
  const response = await fetch(url, { cache: "no-cache" });
  if (!response.ok || response.body === null) throw new Error(`${url}: the server answered ${response.status}`);
  const head = (found: Catalog): void => scope.postMessage({ head: found });
  let images: Image[] = [];
  for await (const image of readImages(response.body, { verify, head })) {
    images.push(image);
    if (images.length < partSize) continue;
    scope.postMessage({ images });
    images = [];
  }
  scope.postMessage({ images });
}

function failureOf(error: unknown): WorkerFailure {
  if (error instanceof Error && "reason" in error) {
    const { line, column, member, reason } = error as unknown as { line: number; column: number; member: string; reason: string };
    return { line, column, member, reason };
  }
  return error instanceof Error ? error.message : String(error);
}
