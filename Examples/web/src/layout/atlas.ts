// Images of small slots, drawn from an atlas: one WebP file with all images of a table (`pixels: webp`).

import type { Catalog, Slot } from "../model.js";
import { url } from "./formats.js";

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

/** An image in an atlas, in pixels of the atlas. */
export interface Atlas {
  url: string;
  width: number;
  height: number;
  rectangle: [number, number, number, number];
  scale: number;
}

/** The form of a path: apps join paths to URLs, so one that leads elsewhere is not used. */
const atlasPath = /^tables\/([0-9a-f]{2})\/\1[0-9a-f]{30}-[0-9]{1,9}x[0-9]{1,9}\.webp$/;
const indexPath = /^tables\/([0-9a-f]{2})\/\1[0-9a-f]{30}\.json$/;

/**
 * The atlas files of a slot at the least scale that is enough, or else at the greatest. Undefined if the slot has no
 * atlas.
 */
export function atlasOf(catalog: Catalog, slot: string, scale: number): { scale: number; files: TableFile[] } | undefined {
  const all = catalog.tables !== undefined && Object.prototype.hasOwnProperty.call(catalog.tables, slot) ? catalog.tables[slot]! : [];
  const usable = all.filter((table) => table.pixels === "webp").sort((a, b) => a.scale - b.scale);
  const table = usable.find((each) => each.scale >= scale) ?? usable[usable.length - 1];
  return table && {
    scale: table.scale,
    files: table.files.filter((file) => atlasPath.test(file.path) && indexPath.test(file.index ?? "")),
  };
}

/**
 * An image's rectangle, by the indexes of an atlas that have been fetched. Undefined if none has the image: show its
 * variant then.
 */
export function findInAtlas(
  catalog: Catalog, indexes: Iterable<AtlasIndex>, id: string, scale: number,
): Atlas | undefined {
  for (const index of indexes) {
    // An id may be any text, "__proto__" too.
    const rectangle = Object.prototype.hasOwnProperty.call(index.images, id) ? index.images[id] : undefined;
    if (rectangle === undefined || !atlasPath.test(index.image)) continue;
    const [left, top, width, height] = rectangle;
    const isInside = rectangle.length === 4 && rectangle.every(Number.isInteger) && left >= 0 && top >= 0 && width > 0
      && height > 0 && left + width <= index.width && top + height <= index.height;
    if (!isInside) continue;
    return { url: url(catalog, index.image), width: index.width, height: index.height, rectangle, scale };
  }
  return undefined;
}

/**
 * The CSS that draws an image of an atlas as the background of an element.
 *
 * @param size of the element in CSS pixels; without it, the image's pixels divided by the scale.
 */
export function atlasCSS(atlas: Atlas, size?: Pick<Slot, "width" | "height">): { [property: string]: string } {
  const [left, top, width, height] = atlas.rectangle;
  const shown = { width: size?.width ?? width / atlas.scale, height: size?.height ?? height / atlas.scale };
  const [across, down] = [shown.width / width, shown.height / height];
  const px = (value: number): string => `${Math.round(value * 1000) / 1000}px`;
  return {
    "width": px(shown.width),
    "height": px(shown.height),
    "background-image": `url("${atlas.url.replace(/["\\\n]/g, encodeURIComponent)}")`,
    "background-position": `${px(left * -across)} ${px(top * -down)}`,
    "background-size": `${px(atlas.width * across)} ${px(atlas.height * down)}`,
    "background-repeat": "no-repeat",
  };
}
