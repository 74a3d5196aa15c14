import { Catalog } from "../model.js";
import { CatalogContext, CatalogEntry, ContextOptions } from "./entry.js";
import { typesOf } from "./formats.js";

/**
 * Looks up images by id, for one client.
 *
 * Creating an index takes one pass over the catalog. Each lookup then takes constant time. Ids are compared by their
 * code units; those such as `__proto__` are ordinary.
 */
export class CatalogIndex {
  /** The media types of all files, in their order of preference. */
  readonly types: readonly string[];
  /** What the images have in common. */
  readonly context: CatalogContext;
  private readonly positions = new Map<string, number>();

  /** Throws a `TypeError` if neither the catalog nor the options say where files are. */
  constructor(readonly catalog: Catalog, options: ContextOptions) {
    this.context = new CatalogContext(catalog, options);
    catalog.images.forEach((image, position) => {
      // Of two images with the same id, the first counts, as in the manifest.
      if (!this.positions.has(image.id)) this.positions.set(image.id, position);
    });
    this.types = typesOf(catalog);
  }

  /** The image with an id. */
  get(id: string): CatalogEntry | undefined {
    const position = this.positions.get(id);
    const image = position === undefined ? undefined : this.catalog.images[position];
    return image && this.context.entry(image);
  }

  /** The position of an image in the catalog's order. */
  position(id: string): number | undefined {
    return this.positions.get(id);
  }
}
