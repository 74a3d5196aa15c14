import { expectedBytes, ImageFile } from "./formats.js";

/** What is on the screen and in flight. */
export interface PrefetchSituation {
  /**
   * The files of places on the screen. Those that appeared together are a group, from top to bottom; groups are in the
   * order in which they appeared.
   */
  visible: readonly (readonly ImageFile[])[];
  /** The files of places that may appear next, the nearest first. */
  upcoming: readonly ImageFile[];
  /** The files in flight. */
  inFlight: readonly ImageFile[];
  /** Whether the file with this `reference` has loaded. */
  isLoaded: (reference: string) => boolean;
}

/** What to do now. */
export interface PrefetchStep {
  /** Files to request, the most urgent first. */
  start: ImageFile[];
  /** Requests to cancel: no place needs their files any more, or a visible place has to wait for one. */
  cancel: ImageFile[];
}

const referencesOf = (files: readonly ImageFile[]): Set<string> => new Set(files.map(({ reference }) => reference));

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

  step(now: PrefetchSituation): PrefetchStep {
    const { upcoming, inFlight, isLoaded } = now;
    const urgent = [...now.visible].reverse().flat();
    const urgentReferences = referencesOf(urgent);
    const isUrgent = (file: ImageFile): boolean => urgentReferences.has(file.reference);
    const upcomingReferences = referencesOf(upcoming);
    const cancel = inFlight.filter((file) => !isUrgent(file) && !upcomingReferences.has(file.reference));
    const flying = referencesOf(inFlight);
    for (const reference of referencesOf(cancel)) flying.delete(reference);
    const waiting = missing(urgent, flying, isLoaded);
    // A visible place does not wait for a file of one that is not: the farthest of these gives way.
    let needed = waiting.length + flying.size - this.requests;
    for (const file of [...upcoming].reverse()) {
      if (needed <= 0) break;
      if (isUrgent(file) || !flying.delete(file.reference)) continue;
      cancel.push(file);
      needed -= 1;
    }
    const start = waiting.slice(0, Math.max(0, this.requests - flying.size));
    // The budget is for places that are not visible, so files of visible places use none of it.
    let budget = this.bytes;
    for (const file of inFlight) {
      if (flying.has(file.reference) && !isUrgent(file)) budget -= expectedBytes(file);
    }
    const cancelled = referencesOf(cancel);
    for (const file of missing(upcoming, new Set([...flying, ...urgentReferences]), isLoaded)) {
      if (start.length + flying.size >= this.requests || cancelled.has(file.reference)) continue;
      // A file that exceeds the rest of the budget waits, and so do those after it: otherwise smaller files could
      // overtake it indefinitely. A file larger than the whole budget is requested alone.
      if (expectedBytes(file) > budget && budget !== this.bytes) break;
      start.push(file);
      budget -= expectedBytes(file);
    }
    return { start, cancel };
  }
}

/** Files that are neither loaded nor known, each once. */
function missing(
  files: readonly ImageFile[], known: ReadonlySet<string>, isLoaded: (reference: string) => boolean,
): ImageFile[] {
  const seen = new Set(known);
  return files.filter(({ reference }) => {
    if (isLoaded(reference) || seen.has(reference)) return false;
    seen.add(reference);
    return true;
  });
}
