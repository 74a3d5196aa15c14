// Images of small slots, drawn from an atlas: one WebP file with all images of a table (`pixels: webp`).

import type { Catalog } from "../model.js";
import type { CatalogContext } from "./entry.js";
import { own } from "./slots.js";

/** Ready pixels, or an atlas, of all images in a slot at one scale. */
export interface Table {
  scale: number;
  /** `webp` for an atlas. The other formats are files of pixels, which browsers do not show. */
  pixels: string;
  files: TableFile[];
}

export interface TableFile {
  /** Relative to the catalog. The content behind a path never changes. */
  path: string;
  prefix: string;
  /** Pixels, of the whole image. */
  width: number;
  height: number;
  /** The number of images. */
  count: number;
  bytes: number;
  sha256: string;
  /** The path of the {@link AtlasIndex}. */
  index?: string;
}

/** Where the images of an atlas are: the document that {@link TableFile.index} names. */
export interface AtlasIndex {
  /** The path of the atlas. */
  image: string;
  /** Pixels. */
  width: number;
  height: number;
  /** By the id of an image: left, top, width, height. */
  images: { [id: string]: [number, number, number, number] };
}

/** An image in an atlas. */
export interface Atlas {
  url: string;
  /** Of the whole image, in pixels. */
  width: number;
  height: number;
  /** Left, top, width and height of the image, in pixels. */
  rectangle: [number, number, number, number];
  /** Device pixels per point. */
  scale: number;
}

/** The form of a path: apps join paths to URLs, so one that leads elsewhere is not used. */
const atlasPath = /^tables\/([0-9a-f]{2})\/\1[0-9a-f]{30}-[0-9]{1,9}x[0-9]{1,9}\.webp$/;
const indexPath = /^tables\/([0-9a-f]{2})\/\1[0-9a-f]{30}\.json$/;

/**
 * The atlases of a slot at the least scale that is enough, or else at the greatest. Undefined if the slot has none. Fetch
 * the `index` of each file, and hand them to {@link findInAtlas}.
 */
export function atlasOf(catalog: Catalog, slot: string, scale: number): Table | undefined {
  const usable = (own(catalog.tables, slot) ?? []).filter((table) => table.pixels === "webp")
    .sort((one, other) => one.scale - other.scale);
  const table = usable.find((each) => each.scale >= scale) ?? usable[usable.length - 1];
  return table && {
    ...table, files: table.files.filter((file) => atlasPath.test(file.path) && indexPath.test(file.index ?? "")),
  };
}

/** The URL of a document of a table: the place of its images. */
export const atlasIndexURL = (context: CatalogContext, file: TableFile): string => context.url(file.index ?? "");

/**
 * The place of an image in a table's atlases. Undefined if it is in none: show its file then.
 *
 * @param indexes the documents that have been fetched, of some of the table's files or all.
 */
export function findInAtlas(
  context: CatalogContext, table: Table, indexes: Iterable<AtlasIndex>, id: string,
): Atlas | undefined {
  for (const index of indexes) {
    const rectangle = own(index.images, id);
    if (!Array.isArray(rectangle) || !table.files.some((file) => file.path === index.image)) continue;
    const [left, top, width, height] = rectangle;
    const isInside = rectangle.length === 4 && rectangle.every(Number.isInteger) && left >= 0 && top >= 0 && width > 0
      && height > 0 && left + width <= index.width && top + height <= index.height;
    if (!isInside) continue;
    const { width: across, height: down } = index;
    return { url: context.url(index.image), width: across, height: down, rectangle, scale: table.scale };
  }
  return undefined;
}

/**
 * The CSS that draws an image of an atlas as the background of an element.
 *
 * @param size of the element in CSS pixels; without it, the image's pixels divided by the scale.
 */
export function atlasCSS(atlas: Atlas, size?: { width: number; height: number }): { [property: string]: string } {
  const [left, top, width, height] = atlas.rectangle;
  const shown = size ?? { width: width / atlas.scale, height: height / atlas.scale };
  const [across, down] = [shown.width / width, shown.height / height];
  const px = (value: number): string => `${Math.round(value * 1000) / 1000 + 0}px`;
  return {
    "width": px(shown.width),
    "height": px(shown.height),
    "background-image": `url("${atlas.url.replace(/["\\\n\r\f]/g, encodeURIComponent)}")`,
    "background-position": `${px(-left * across)} ${px(-top * down)}`,
    "background-size": `${px(atlas.width * across)} ${px(atlas.height * down)}`,
    "background-repeat": "no-repeat",
  };
}
