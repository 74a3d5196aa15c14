import { FileRanges, type ImageSize, Missing, readSize, SizeError } from "./header.js";

/** The most that is read of one file, and the least of it that is asked for. */
const [mostRequests, mostBytes, leastBytes] = [8, 262_144, 4096];

/**
 * Reads the sizes of images that a catalog does not have yet from the first bytes of their files: 4 KiB, and what they say that
 * is needed. Calls for the same URL at the same time are one; the others wait in their order.
 */
export class SizeFetcher {
  private readonly jobs = new Map<string, { abort: AbortController; result: Promise<ImageSize>; waiting: number }>();
  /** The last used one comes last. */
  private readonly known = new Map<string, ImageSize>();
  private running = 0;
  private readonly queue: (() => void)[] = [];

  constructor(private readonly options: {
    /** The maximum number of files that are read at the same time; 4 if absent. */
    requests?: number;
    /** The time for one file, in milliseconds; 10,000 if absent. */
    timeout?: number;
    /** The number of sizes that are remembered; 1,000 if absent. A failure is not remembered. */
    remembered?: number;
  } = {}) {}

  /**
   * The size of the image at an http(s) URL, as displayed. Rejects with a `SizeError`, with what `fetch` rejects with, or with the
   * signal's reason.
   *
   * @param options `force` asks the server again. The request ends when all calls that wait for it were aborted.
   */
  async size(url: string | URL, { force = false, signal }: { force?: boolean; signal?: AbortSignal | undefined } = {}): Promise<ImageSize> {
    signal?.throwIfAborted();
    const key = absolute(url);
    const known = this.known.get(key);
    if (known !== undefined && !force) return this.remember(key, known);
    const job = this.jobs.get(key) ?? this.begin(key);
    job.waiting += 1;
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        reject(signal?.reason);
        job.waiting -= 1;
        if (job.waiting === 0) job.abort.abort(signal?.reason);
      };
      signal?.addEventListener("abort", leave);
      job.result.then(resolve, reject).finally(() => signal?.removeEventListener("abort", leave));
    });
  }

  private begin(url: string) {
    const abort = new AbortController();
    const job = { abort, result: this.run(url, abort), waiting: 0 };
    const end = (): unknown => this.jobs.get(url) === job && this.jobs.delete(url);
    // A later call is for another request.
    abort.signal.addEventListener("abort", end);
    job.result.then((size) => this.remember(url, size)).then(end, end);
    this.jobs.set(url, job);
    return job;
  }

  private async run(url: string, abort: AbortController): Promise<ImageSize> {
    const { requests = 4, timeout = 10_000 } = this.options;
    if (this.running < requests) this.running += 1;
    else await new Promise<void>((resolve) => this.queue.push(resolve));
    const timer = setTimeout(() => abort.abort(new SizeError("timeout", `${url}: no size within ${timeout / 1000} s`)), timeout);
    try {
      abort.signal.throwIfAborted();
      return await read(url, abort.signal);
    } catch (error) {
      // A stream that was aborted may end with an error of its own.
      throw abort.signal.aborted ? abort.signal.reason : error;
    } finally {
      clearTimeout(timer);
      const next = this.queue.shift();
      if (next) next();
      else this.running -= 1;
    }
  }

  private remember(url: string, size: ImageSize): ImageSize {
    this.known.delete(url);
    this.known.set(url, size);
    const [oldest] = this.known.keys();
    if (this.known.size > (this.options.remembered ?? 1000) && oldest !== undefined) this.known.delete(oldest);
    return size;
  }
}

function absolute(url: string | URL): string {
  const { location } = globalThis as { location?: { href: string } };
  try {
    const found = new URL(url, location?.href);
    if (/^https?:$/.test(found.protocol)) return found.href.replace(/#.*/, "");
  } catch { /* It is no URL. */ }
  throw new SizeError("url", `"${String(url)}" is no http(s) URL`);
}

async function read(url: string, signal: AbortSignal): Promise<ImageSize> {
  const file = new FileRanges();
  let range = new Missing(0, leastBytes);
  for (let [request, bytes] = [0, 0]; request < mostRequests && bytes < mostBytes; request += 1) {
    const { start } = range;
    const end = Math.min(Math.max(range.end, start + leastBytes), start + mostBytes - bytes);
    // Ends the response of a server that sends more than it was asked for.
    const abort = new AbortController();
    signal.addEventListener("abort", () => abort.abort(), { signal: abort.signal });
    try {
      const response = await fetch(url, { headers: { range: `bytes=${start}-${end - 1}` }, signal: abort.signal });
      const { status } = response;
      if (status === 416) throw new SizeError("cut-off", "it ends before its size");
      if (status !== 206 && status !== 200) throw new SizeError("status", `the server answered ${status}`);
      const total = /\/(\d+)$/.exec(response.headers.get("content-range") ?? "")?.[1];
      if (total !== undefined && status === 206) file.size = Number(total);
      // A server may ignore the range: the whole file is read as far as it is needed.
      const found = status === 206 ? await readBody(response, file, start, end - start, false) : await readBody(response, file, 0, mostBytes, true);
      if (!(found instanceof Missing)) return found;
      range = found;
      bytes += status === 206 ? end - start : mostBytes;
    } catch (error) {
      throw error instanceof SizeError ? new SizeError(error.code, `${url}: ${error.message}`) : error;
    } finally {
      abort.abort();
    }
  }
  throw new SizeError("too-far", `${url}: the size is not within ${mostRequests} ranges and ${mostBytes / 1024} KiB`);
}

/** Reads a response up to the image's size, or to its end. */
async function readBody(response: Response, file: FileRanges, start: number, most: number, isWhole: boolean): Promise<ImageSize | Missing> {
  const range = { start, bytes: new Uint8Array() };
  file.ranges.push(range);
  const reader = response.body?.getReader();
  for (let missing = new Missing(start, start + 1); ;) {
    const { done = true, value = [] } = await reader?.read() ?? {};
    const bytes = new Uint8Array(range.bytes.length + value.length);
    bytes.set(range.bytes);
    bytes.set(value, range.bytes.length);
    range.bytes = bytes;
    if (done && isWhole) file.size = bytes.length;
    const isEnd = done || bytes.length >= most;
    if (!isEnd && (!isWhole || bytes.length < missing.end)) continue;
    try {
      return readSize(file);
    } catch (error) {
      if (!(error instanceof Missing)) throw error;
      missing = error;
    }
    if (isEnd) return missing;
  }
}
