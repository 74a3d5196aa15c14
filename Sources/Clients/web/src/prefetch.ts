import type { ImageFile } from "./entry.js";

/** What is on the screen and in flight. */
export interface PrefetchSituation {
  /**
   * The files of places on the screen. Those that appeared together are a group, from top to bottom; groups are in the
   * order in which they appeared.
   */
  visible: readonly (readonly ImageFile[])[];
  /** The files of places that may appear next, the nearest first. */
  upcoming: readonly ImageFile[];
  inFlight: readonly PrefetchRequest[];
  /** Whether the file with this `reference` has loaded. */
  isLoaded: (reference: string) => boolean;
  /** By reference: how often in a row a file has failed, and when it did last, in seconds. */
  failed?: ReadonlyMap<string, { count: number; time: number }> | undefined;
  /** In seconds. */
  now?: number | undefined;
}

export interface PrefetchRequest {
  file: ImageFile;
  /** Whether it is for a place on the screen: a loader's high priority. */
  isVisible: boolean;
}

/** What to do now. */
export interface PrefetchStep {
  /** Files to request, the most urgent first. */
  start: PrefetchRequest[];
  /** Requests to cancel: no place needs their files any more. */
  cancel: ImageFile[];
  /** Requests in flight whose `isVisible` has changed, by reference. */
  priorities: Map<string, boolean>;
  /** The seconds until a failed file may be requested again; undefined if none waits. */
  wait: number | undefined;
}

/**
 * Decides which files an app should request next, and which requests it should cancel. A pure function of what is on
 * the screen: no clock, no network. Call `step` whenever places appear or leave, and whenever a request ends; a `Prefetcher` does.
 *
 * Files of visible places come in the order of their distance to where the user reads: the places that appeared last before
 * those that appeared earlier, and of places that appeared together, such as a first screen, the upper before the lower. Beside
 * them files of upcoming places follow in their order. A file that has failed n times in a row waits 2^(n-1) seconds, at most 60.
 */
export class Prefetch {
  constructor(
    /** The maximum number of requests in flight for visible places. 6 is what browsers use per host over HTTP/1.1. */
    readonly requests = 6,
    /** The maximum number of requests in flight for upcoming places, beside the others. */
    readonly upcoming = 3,
  ) {}

  step({ visible, upcoming, inFlight, isLoaded, failed, now = 0 }: PrefetchSituation): PrefetchStep {
    const step: PrefetchStep = { start: [], cancel: [], priorities: new Map(), wait: undefined };
    /** Whether a file is for a visible place. */
    const needed = new Map([...upcoming, ...visible.flat()].map(({ reference }, place) => [reference, place >= upcoming.length]));
    const free = [this.upcoming, this.requests];
    const take = (isVisible: boolean): boolean => (free[+isVisible] as number)-- > 0;
    const known = new Set<string>();
    for (const { file, isVisible } of inFlight) {
      const { reference } = file;
      const isNow = needed.get(reference);
      if (isNow === undefined) step.cancel.push(file);
      else {
        known.add(reference);
        take(isNow);
        if (isNow !== isVisible) step.priorities.set(reference, isNow);
      }
    }
    for (const file of [...[...visible].reverse().flat(), ...upcoming]) {
      const { reference } = file;
      if (known.has(reference) || isLoaded(reference)) continue;
      known.add(reference);
      const failure = failed?.get(reference);
      // A clock may be set back.
      const wait = failure ? Math.min(60, 2 ** (failure.count - 1)) - Math.max(0, now - failure.time) : 0;
      const isVisible = needed.get(reference) === true;
      if (wait > 0) step.wait = Math.min(wait, step.wait ?? wait);
      else if (take(isVisible)) step.start.push({ file, isVisible });
    }
    return step;
  }
}
