import type { ImageFile } from "./entry.js";
import { Prefetch, type PrefetchRequest } from "./prefetch.js";

/** Loads a file; rejects if that fails. The signal ends it when no place needs the file any more. */
export type Load = (file: ImageFile, options: { signal: AbortSignal; isVisible: boolean }) => Promise<unknown>;

export interface PrefetcherOptions {
  prefetch?: Prefetch;
  /** `loadImage` if absent. */
  load?: Load;
  /** Called when a file has loaded or failed. */
  onChange?: (file: ImageFile, state: "loaded" | "failed") => void;
}

/**
 * Loads a file as an image of the page does: without a server's permission, and into the cache that the page's images are read
 * from. Two requests for the same file at the same time are one.
 */
export const loadImage: Load = ({ url }, { signal, isVisible }) => new Promise((resolve, reject) => {
  const image = new Image();
  image.onload = () => resolve(image);
  image.onerror = () => reject(new Error(`${url} can't be loaded`));
  signal.onabort = () => { image.src = ""; };
  image.setAttribute("fetchpriority", isVisible ? "high" : "low");
  image.src = url;
});

/** Fetches the files that a `Prefetch` decides on, retries those that fail, and cancels those that no place needs any more. */
export class Prefetcher {
  /**
   * Call it whenever places appear or leave. A failed file of a place that becomes visible is requested at once.
   *
   * @param visible by groups that appeared together, in the order in which they did.
   * @param upcoming the nearest first.
   */
  readonly update: (visible: readonly (readonly ImageFile[])[], upcoming?: readonly ImageFile[]) => void;
  /** Requests a file that has failed at once: the user has asked for it. */
  readonly retry: (reference: string) => void;
  /** Requests all files that have failed and that a place needs: the network has returned. In a browser, its event does it, too. */
  readonly reconnect: () => void;
  /** Undefined if the file waits, or is not needed. */
  readonly state: (reference: string) => "loading" | "loaded" | "failed" | undefined;

  constructor({ prefetch = new Prefetch(), load = loadImage, onChange }: PrefetcherOptions = {}) {
    let visible: readonly (readonly ImageFile[])[] = [];
    let upcoming: readonly ImageFile[] = [];
    let timer: ReturnType<typeof setTimeout> | undefined;
    const inFlight = new Map<string, PrefetchRequest & { abort: AbortController }>();
    /** The images of places: while they are here, a browser does not request them again. */
    const loaded = new Map<string, unknown>();
    const failed = new Map<string, { count: number; time: number }>();
    const now = (): number => performance.now() / 1000;

    const step = (): void => {
      clearTimeout(timer);
      const { start, cancel, priorities, wait } = prefetch.step({
        visible, upcoming, inFlight: [...inFlight.values()], isLoaded: (reference) => loaded.has(reference), failed, now: now(),
      });
      for (const { reference } of cancel) {
        inFlight.get(reference)?.abort.abort();
        inFlight.delete(reference);
      }
      priorities.forEach((isVisible, reference) => Object.assign(inFlight.get(reference) ?? {}, { isVisible }));
      for (const request of start) {
        const { file, isVisible } = request;
        const { reference } = file;
        const abort = new AbortController();
        const { signal } = abort;
        inFlight.set(reference, { ...request, abort });
        load(file, { signal, isVisible }).then((image) => [image], () => undefined).then((result) => {
          // What was cancelled is no failure.
          if (signal.aborted) return;
          inFlight.delete(reference);
          if (result) loaded.set(reference, result[0]);
          else failed.set(reference, { count: (failed.get(reference)?.count ?? 0) + 1, time: now() });
          onChange?.(file, result ? "loaded" : "failed");
          step();
        });
      }
      if (wait !== undefined) timer = setTimeout(step, wait * 1000);
    };

    /** Failed files need not wait any longer. */
    const release = (references: Iterable<string>): void => {
      for (const reference of references) Object.assign(failed.get(reference) ?? {}, { time: -Infinity });
      step();
    };
    this.update = (next, later = []) => {
      const before = visible.flat().map(({ reference }) => reference);
      [visible, upcoming] = [next, later];
      release(next.flat().map(({ reference }) => reference).filter((reference) => !before.includes(reference)));
    };
    this.retry = (reference) => release([reference]);
    this.reconnect = () => release(failed.keys());
    this.state = (reference) => (loaded.has(reference) ? "loaded" : inFlight.has(reference) ? "loading" : failed.has(reference) ? "failed" : undefined);
    globalThis.addEventListener?.("online", this.reconnect);
  }
}
