/** Why a catalog or a patch cannot be read, and where. */
export class CatalogError extends Error {
  override readonly name = "CatalogError";

  constructor(
    /** The place in the document. Lines and columns count from 1; a column is one byte. */
    readonly line: number,
    readonly column: number,
    /** The path to the member: `images[3].variants[0].width`. Empty for the document itself. */
    readonly member: string,
    /** What was expected, and what was found: a clause. */
    readonly reason: string,
  ) {
    super(`line ${line}, column ${column}: ${member === "" ? "" : `${member}: `}${reason}`);
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
