import { Catalog, Image, Variant } from "../model.js";
import { Box, boxFrame, boxSize, variantForBox } from "./boxes.js";
import { typesOf } from "./formats.js";
import { Frame, Size, slotFrame, slotSize, variantFor } from "./slots.js";

/**
 * Looks up images by id: their sizes in slots, and the files to fetch for them.
 *
 * Creating an index takes one pass over the catalog. Each lookup then takes constant time. Ids are compared by their
 * code units; those such as `__proto__` are ordinary.
 */
export class CatalogIndex {
  /** The media types of all files, in their order of preference. */
  readonly types: readonly string[];
  private readonly positions = new Map<string, number>();

  constructor(readonly catalog: Catalog) {
    catalog.images.forEach((image, position) => {
      // Of two images with the same id, the first counts, as in the manifest.
      if (!this.positions.has(image.id)) this.positions.set(image.id, position);
    });
    this.types = typesOf(catalog);
  }

  /** The image with an id. */
  get(id: string): Image | undefined {
    const position = this.positions.get(id);
    return position === undefined ? undefined : this.catalog.images[position];
  }

  /** The position of an image in the catalog's order. */
  position(id: string): number | undefined {
    return this.positions.get(id);
  }

  /** The file to fetch for an image in a slot, by its name, or in any box. */
  variant(id: string, place: string | Box, scale: number): Variant | undefined {
    const image = this.get(id);
    if (image === undefined) return undefined;
    return typeof place === "string"
      ? variantFor(this.catalog, image, place, scale) : variantForBox(image, place, scale);
  }

  /** Where an image is drawn in its box in a slot, by its name, or in any box, in points; undefined if it is unknown. */
  frame(id: string, place: string | Box): Frame | undefined {
    const image = this.get(id);
    if (image === undefined) return undefined;
    return typeof place === "string" ? slotFrame(image, place) : boxFrame(image, place);
  }

  /** The size of an image's box in a slot, by its name, or in any box, in points; undefined if it is unknown. */
  layoutSize(id: string, place: string | Box): Size | undefined {
    const image = this.get(id);
    if (image === undefined) return undefined;
    return typeof place === "string" ? slotSize(image, place) : boxSize(image, place);
  }
}
