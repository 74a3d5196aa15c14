import { FileReference, referenceOf } from "./formats.js";

/** A file that a place needs: a `Variant`, one of its files, or a path with a number of bytes. */
export interface PrefetchRequest extends FileReference {
  /** If absent, a quarter of a byte is expected for each pixel. */
  bytes?: number | undefined;
  /** Pixels. */
  width?: number | undefined;
  /** Pixels. */
  height?: number | undefined;
}

/** What is on the screen and in flight. */
export interface PrefetchSituation<Request extends PrefetchRequest> {
  /**
   * The files of places on the screen. Those that appeared together are a group, from top to bottom; groups are in the
   * order in which they appeared.
   */
  visible: readonly (readonly Request[])[];
  /** The files of places that may appear next, the nearest first. */
  upcoming: readonly Request[];
  /** The files in flight. */
  underWay: readonly Request[];
  /** Whether the file with this reference (see `referenceOf`) has loaded. */
  isLoaded: (reference: string) => boolean;
}

/** What to do now. */
export interface PrefetchStep<Request extends PrefetchRequest> {
  /** Files to request, the most urgent first. */
  start: Request[];
  /** Requests to cancel: no place needs their files any more, or a visible place has to wait for one. */
  cancel: Request[];
}

const referencesOf = (requests: readonly PrefetchRequest[]): Set<string> => new Set(requests.map(referenceOf));

/** The size of a file. If only a service has it, this is an estimate: a quarter of a byte for each pixel. */
export const expectedBytes = ({ bytes, width = 0, height = 0 }: PrefetchRequest): number =>
  Math.max(0, bytes ?? Math.floor((width * height) / 4));

/**
 * Decides which files an app should request next, and which requests it should cancel. A pure function of what is on
 * the screen: no clock, no network. Call `step` whenever places appear or leave, and whenever a request ends.
 *
 * Files of visible places come first, in the order of their distance to where the user reads: the places that appeared
 * last before those that appeared earlier, and of places that appeared together, such as a first screen, the upper
 * before the lower. Files of upcoming places follow in their order. Files that are loaded or in flight are not requested
 * again.
 */
export class Prefetch {
  constructor(
    /** The maximum number of requests in flight. The default of 6 is what browsers use per host over HTTP/1.1. */
    readonly requests = 6,
    /** The maximum number of bytes in flight for places that are not visible yet. */
    readonly bytes = 2_000_000,
  ) {}

  step<Request extends PrefetchRequest>(now: PrefetchSituation<Request>): PrefetchStep<Request> {
    const { upcoming, underWay, isLoaded } = now;
    const urgent = [...now.visible].reverse().flat();
    const urgentReferences = referencesOf(urgent);
    const isUrgent = (request: Request): boolean => urgentReferences.has(referenceOf(request));
    const upcomingReferences = referencesOf(upcoming);
    const cancel = underWay.filter((request) => !isUrgent(request) && !upcomingReferences.has(referenceOf(request)));
    const flying = referencesOf(underWay);
    for (const reference of referencesOf(cancel)) flying.delete(reference);
    const waiting = missing(urgent, flying, isLoaded);
    // A visible place does not wait for a file of one that is not: the farthest of these gives way.
    let needed = waiting.length + flying.size - this.requests;
    for (const request of [...upcoming].reverse()) {
      if (needed <= 0) break;
      if (isUrgent(request) || !flying.delete(referenceOf(request))) continue;
      cancel.push(request);
      needed -= 1;
    }
    const start = waiting.slice(0, Math.max(0, this.requests - flying.size));
    // The budget is for places that are not visible, so files of visible places use none of it.
    let budget = this.bytes;
    for (const request of underWay) {
      if (flying.has(referenceOf(request)) && !isUrgent(request)) budget -= expectedBytes(request);
    }
    const cancelled = referencesOf(cancel);
    for (const request of missing(upcoming, new Set([...flying, ...urgentReferences]), isLoaded)) {
      if (start.length + flying.size >= this.requests || cancelled.has(referenceOf(request))) continue;
      // A file that exceeds the rest of the budget waits, and so do those after it: otherwise smaller files could
      // overtake it indefinitely. A file larger than the whole budget is requested alone.
      if (expectedBytes(request) > budget && budget !== this.bytes) break;
      start.push(request);
      budget -= expectedBytes(request);
    }
    return { start, cancel };
  }
}

/** Files that are neither loaded nor known, each once. */
function missing<Request extends PrefetchRequest>(
  requests: readonly Request[], known: ReadonlySet<string>, isLoaded: (reference: string) => boolean,
): Request[] {
  const seen = new Set(known);
  return requests.filter((request) => {
    const reference = referenceOf(request);
    if (isLoaded(reference) || seen.has(reference)) return false;
    seen.add(reference);
    return true;
  });
}
