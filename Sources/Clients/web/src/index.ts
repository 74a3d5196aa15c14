export * from "./model.js";
export * from "./errors.js";
export { type ImageList } from "./reading/images.js";
export { readCatalog, type Source as CatalogSource, verified } from "./reading/read.js";
export { applyChanges, changesURL } from "./reading/changes.js";
export { updateCatalog } from "./loading/update.js";
export { CatalogIndex } from "./layout/catalogIndex.js";
export { CatalogContext, type CatalogEntry, type ContextOptions } from "./layout/entry.js";
export { aspectRatio, type Frame, requireSlots, type Size } from "./layout/slots.js";
export { type Box } from "./layout/boxes.js";
export {
  everywhere, expectedBytes, type ImageFile, supportedTypes, systemTypes, typesOf,
} from "./layout/formats.js";
export { type Atlas, atlasCSS, type AtlasIndex, atlasIndexURL, atlasOf, findInAtlas, type Table, type TableFile } from "./layout/atlas.js";
export { detectTypes } from "./layout/detect.js";
export { type Appearance, type ImageState } from "./layout/loading.js";
export { Prefetch, type PrefetchSituation, type PrefetchStep } from "./layout/prefetch.js";
export { type PrecacheEntry, precacheList, type PrecacheOptions } from "./layout/precache.js";
export { decodeBlurHash } from "./placeholder/blurhash.js";
export { decodeThumbHash } from "./placeholder/thumbhash.js";
export { type Pixels } from "./placeholder/pixels.js";
export { encodePNG, pngURL } from "./placeholder/png.js";
export {
  bestPlaceholder, type PlaceholderKind, placeholderPixels, placeholderURL, pixelsOf, rgb,
} from "./placeholder/placeholder.js";
export { type Picture, picture, type PictureOptions, pictureParts, preload } from "./markup/picture.js";
export { defineTesseraImage } from "./markup/element.js";
export { blurRule, stylesheet } from "./markup/style.js";
