import { CatalogHead, Image, Variant, VariantFile } from "../model.js";
import { bestPlaceholder } from "../placeholder/placeholder.js";
import { Box, boxFrame, boxSize, variantForBox } from "./boxes.js";
import { ImageFile, referenceOf } from "./formats.js";
import { Appearance, cachedVariant, ImageState } from "./loading.js";
import { Frame, Size, slotFrame, slotSize, variantFor } from "./slots.js";

/** What a client is, and where its catalog came from. */
export interface ContextOptions {
  /** The media types that the client shows: `await detectTypes()` in a browser, `supportedTypes(header)` on a server. */
  accepting: ReadonlySet<string>;
  /** The URL of the catalog, also a relative one such as "/feed/catalog.json"; needed if it has no `baseURL`. */
  from?: string | URL | undefined;
}

/** What the images of a catalog have in common on one client: slots and scales, where files are, which of them are shown. */
export class CatalogContext {
  /** The media types that the client shows. */
  readonly accepted: ReadonlySet<string>;
  /** What comes before a path. */
  private readonly prefix: string;

  /** Throws a `TypeError` if neither the catalog nor the options say where files are. */
  constructor(readonly head: CatalogHead, { accepting, from }: ContextOptions) {
    if (head.baseURL === undefined && from === undefined) {
      throw new TypeError('the catalog has no baseURL, so "from" must say where it came from: its URL, such as "/feed/catalog.json"');
    }
    this.accepted = accepting;
    this.prefix = resolve(head.baseURL ?? "", from === undefined ? undefined : String(from));
  }

  /** An image of the catalog, as this client sees it. */
  entry(image: Image): CatalogEntry {
    return new CatalogEntry(image, this);
  }

  /** The URL of a file by its reference, or of a part of a screen by its path. */
  url(reference: string): string {
    // A service may verify a signature of the URL, so it stays exactly as it is.
    if (/^https?:\/\//.test(reference)) return reference;
    return this.prefix + reference;
  }

  /** A file of a variant in one format. */
  file(file: VariantFile, { width, height }: Size): ImageFile {
    const reference = referenceOf(file);
    return { url: this.url(reference), reference, type: file.type, width, height, bytes: file.bytes };
  }

  /** The first format of a variant that the client shows. */
  fileOf(variant: Variant | undefined): ImageFile | undefined {
    const file = variant?.files.find(({ type }) => this.accepted.has(type));
    return variant && file && this.file(file, variant);
  }
}

/** Whether a URL begins with a scheme (RFC 3986, section 3.1). */
const hasScheme = (url: string): boolean => /^[a-z][a-z0-9+.-]*:/i.test(url);

/**
 * Resolves a reference against the URL of the catalog (RFC 3986, section 5.2; of dot segments only those with two dots at the
 * start are removed, which lead from a screen to the catalog's folder).
 */
export function resolve(base: string, source: string | undefined): string {
  if (source === undefined || hasScheme(base)) return base;
  const whole = source.replace(/[?#].*$/s, "");
  // "https://example.com", or "//example.com"; empty for a path.
  const root = /^([a-z][a-z0-9+.-]*:)?(\/\/[^/]*)?/i.exec(whole)?.[0] ?? "";
  // With the scheme of the catalog, if it has one.
  if (base.startsWith("//")) return hasScheme(whole) ? whole.slice(0, whole.indexOf("/")) + base : base;
  if (base.startsWith("/")) return root + base;
  const path = whole.slice(root.length);
  let folder = path.includes("/") ? path.slice(0, path.lastIndexOf("/") + 1) : root === "" ? "" : "/";
  let rest = base;
  while (rest.startsWith("../") && folder !== "") {
    rest = rest.slice(3);
    // Nothing is above the root.
    if (folder !== "/") folder = folder.slice(0, folder.lastIndexOf("/", folder.length - 2) + 1);
  }
  return root + folder + rest;
}

/**
 * An image of a catalog as one client sees it. It knows its place in each slot, by the slot's name, or in any box, and the file
 * to request for it.
 */
export class CatalogEntry {
  constructor(readonly image: Image, readonly context: CatalogContext) {}

  get id(): string {
    return this.image.id;
  }

  /** The size of the image's box, in points. Undefined if the image's size is unknown, or if it is not used in the slot. */
  layoutSize(place: string | Box): Size | undefined {
    return typeof place === "string" ? slotSize(this.image, place) : boxSize(this.image, place);
  }

  /** Where the image is drawn in its box: it has the box's size, or covers it. Undefined as for `layoutSize`. */
  frame(place: string | Box): Frame | undefined {
    return typeof place === "string" ? slotFrame(this.image, place) : boxFrame(this.image, place);
  }

  /**
   * The file to request, in the first format that the client shows: for a slot the one that was made for the smallest scale
   * that is at least `scale`, or for the largest scale; for a box the smallest with one pixel per device pixel, or the largest.
   *
   * @param scale device pixels per point.
   */
  file(place: string | Box, scale: number): ImageFile | undefined {
    return this.context.fileOf(this.variant(place, scale));
  }

  /** The file for a screen of high dynamic range: a JPEG with a gain map. Undefined if there is none that the client shows. */
  highDynamicRangeFile(place: string | Box, scale: number): ImageFile | undefined {
    const variant = this.variant(place, scale);
    const file = variant?.highDynamicRange;
    return variant && file && this.context.accepted.has(file.type) ? this.context.file(file, variant) : undefined;
  }

  private variant(place: string | Box, scale: number): Variant | undefined {
    return typeof place === "string"
      ? variantFor(this.context.head, this.image, place, scale) : variantForBox(this.image, place, scale);
  }

  /**
   * The best file that an app has already, to show at once while the wanted one loads: the wanted size, or else the smallest
   * larger one of the same part of the image, or else the largest smaller one. Undefined if it has none of these.
   *
   * @param wanted the file chosen for the place.
   * @param isCached whether the file with this `reference` is at hand.
   */
  cachedFile(wanted: ImageFile, isCached: (reference: string) => boolean): ImageFile | undefined {
    if (isCached(wanted.reference)) return wanted;
    return cachedVariant(this.image, wanted, (variant) => {
      const file = variant.files.find((each) => this.context.accepted.has(each.type) && isCached(referenceOf(each)));
      return file && this.context.file(file, variant);
    });
  }

  /**
   * What to draw for the image in a state. The size of its place does not depend on the state.
   *
   * @param file the one chosen for the place; undefined if there is none.
   */
  appearance(state: ImageState, file: ImageFile | undefined): Appearance {
    const { image } = this;
    const placeholder = image.placeholder && bestPlaceholder(image.placeholder);
    const waiting: Appearance = placeholder === undefined ? { kind: "empty" } : { kind: "placeholder", placeholder };
    // A layout-only run makes no files, so a pending image is still expected to arrive.
    if (file === undefined) return image.status === "failed" ? { kind: "failure", error: image.error } : waiting;
    if (state === "loaded") return { kind: "image", file };
    return state === "failed" ? { kind: "failure", error: undefined } : waiting;
  }
}
