import { Catalog } from "../model.js";
import { CatalogContext, CatalogEntry, ContextOptions } from "./entry.js";
import { typesOf } from "./formats.js";

/**
 * Looks up images by id, for one client.
 *
 * The first lookup takes one pass over the catalog. Each other one then parses the image that it finds. Ids are compared by
 * their code units; those such as `__proto__` are ordinary.
 */
export class CatalogIndex {
  /** What the images have in common. */
  readonly context: CatalogContext;

  /** Throws a `TypeError` if neither the catalog nor the options say where files are. */
  constructor(readonly catalog: Catalog, options: ContextOptions) {
    this.context = new CatalogContext(catalog, options);
  }

  /** The media types of the catalog's formats, in their order of preference. */
  get types(): readonly string[] {
    return typesOf(this.catalog);
  }

  /** The image with an id. Throws `CatalogError` if it cannot be read. */
  get(id: string): CatalogEntry | undefined {
    const position = this.position(id);
    const image = position === undefined ? undefined : this.catalog.images.at(position);
    return image && this.context.entry(image);
  }

  /** The position of an image in the catalog's order. */
  position(id: string): number | undefined {
    return this.catalog.images.position(id);
  }
}
