export * from "./model.js";
export * from "./errors.js";
export { type ByteSource, CatalogReader, type ReadingOptions } from "./reading/reader.js";
export { canonicalJSON, digestOf, readCatalog, readCatalogStream, readImages } from "./reading/read.js";
export { applyPatch, readPatch } from "./reading/patch.js";
export { type CatalogPage, type CatalogPages, newPages, readPages } from "./reading/pages.js";
export { CatalogIndex } from "./layout/catalogIndex.js";
export { aspectRatio, type Frame, requireSlots, type Size, slotFrame, slotSize, variantFor } from "./layout/slots.js";
export { type Box, boxFrame, boxSize, variantForBox, wholeVariants } from "./layout/boxes.js";
export {
  type CatalogFile, everywhere, fileFor, type FileReference, filesFor, highDynamicRangeFile, referenceOf, supportedTypes,
  systemTypes, typesOf, url,
} from "./layout/formats.js";
export { type Atlas, atlasCSS, type AtlasIndex, atlasOf, findInAtlas, type Table, type TableFile } from "./layout/atlas.js";
export { detectTypes } from "./layout/detect.js";
export { type Appearance, appearance, cachedVariant, type ImageState } from "./layout/loading.js";
export { Prefetch, type PrefetchRequest, type PrefetchSituation, type PrefetchStep } from "./layout/prefetch.js";
export { type PrecacheEntry, precacheList, type PrecacheOptions } from "./layout/precache.js";
export { decodeBlurHash } from "./placeholder/blurhash.js";
export { decodeThumbHash } from "./placeholder/thumbhash.js";
export { type Pixels } from "./placeholder/pixels.js";
export { encodePNG, pngURL } from "./placeholder/png.js";
export {
  bestPlaceholder, type PlaceholderKind, placeholderPixels, placeholderURL, pixelsOf, rgb,
} from "./placeholder/placeholder.js";
export { type Picture, picture, type PictureOptions, pictureParts, preload } from "./markup/picture.js";
export { blurRule, stylesheet } from "./markup/style.js";
