/** A failure at a byte of a text. A reader gives it a line and a column. */
export class ScanFailure extends Error {
  constructor(
    /** Bytes from the start of the scanned text. */
    readonly offset: number,
    /** What was expected and what was found: a clause. */
    readonly reason: string,
    /** `images[3].width`, as far as the scanner knows it. */
    readonly member: string,
  ) {
    super(reason);
  }
}

/** A name in an object, or an index in an array. */
export type PathPart = string | number;

/** The path to a member as one text: `images[3].variants[0].width`. */
export function memberPath(parts: readonly PathPart[]): string {
  let path = "";
  for (const part of parts) {
    if (typeof part === "number") path += `[${part}]`;
    else path += path === "" || part.startsWith("[") ? part : `.${part}`;
  }
  return path;
}
