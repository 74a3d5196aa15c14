/** Why a catalog, or a document of changes, cannot be read, and where. */
export class CatalogError extends Error {
  override readonly name = "CatalogError";

  constructor(
    /** The line in the document, from 1. An image has a line of its own. */
    readonly line: number,
    /** The path to the member: `images[3].variants[0].width`. Empty for the document itself. */
    readonly member: string,
    /** What was expected, and what was found: a clause. */
    readonly reason: string,
  ) {
    super(`line ${line}: ${member === "" ? "" : `${member}: `}${reason}`);
  }
}

/** A slot that a catalog does not have. */
export class UnknownSlotError extends Error {
  override readonly name = "UnknownSlotError";

  constructor(
    readonly slot: string,
    /** The slots of the catalog, sorted. */
    readonly known: readonly string[],
    /** The one that was probably meant. */
    readonly suggestion: string | undefined,
  ) {
    const rest = suggestion === undefined ? `it has ${known.join(", ")}` : `did you mean "${suggestion}"?`;
    super(`the catalog has no slot "${slot}"; ${rest}`);
  }
}
