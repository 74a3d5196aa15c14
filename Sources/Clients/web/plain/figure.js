// Shows images of a catalog without the library, for a page to copy: boxes, formats, scales, focus, a failed state, and a retry by
// click. The only placeholder is the colour. It does not retry by itself, prefetch, or choose stills for small boxes.

const address = new URL("/feed/catalog.json", location.href);
const catalog = await (await fetch(address)).json();
const base = new URL(catalog.baseURL ?? "", address);
const images = new Map(catalog.images.map((image) => [image.id, image]));
const formats = catalog.formats.flatMap(({ dynamicRange }, format) => (dynamicRange ? [] : [format]));

/** The URL of a size in a format, or undefined. */
function fileURL(image, { width, height, crop, bytes = [], urls = [] }, format) {
  if (urls[format]) return urls[format];
  if (typeof bytes[format] !== "number") return undefined;
  const { recipe, extension } = catalog.formats[format];
  const name = [image.source, `${width}x${height}`, ...(crop ? [crop] : []), recipe].join("-");
  return new URL(`variants/${name.slice(0, 2)}/${name.slice(2, 4)}/${name}.${extension}`, base).href;
}

/**
 * A browser takes the first file whose scale is enough: so each has the highest scale that it serves, and the last one the lowest.
 * Undefined if a size is in none of the formats.
 */
function srcset(image, slot, formats) {
  const { variants = [] } = image.slots[slot];
  const sizes = [...new Set(variants)];
  const set = sizes.map((size, place) => {
    const scale = catalog.scales[place < sizes.length - 1 ? variants.lastIndexOf(size) : variants.indexOf(size)];
    const url = formats.map((format) => fileURL(image, image.variants[size], format)).find(Boolean);
    return url && `${url} ${scale}x`;
  });
  return set.length === 0 || set.includes(undefined) ? undefined : set.join(", ");
}

export function figure(id, slot) {
  const image = images.get(id);
  const place = document.createElement("figure");
  // A failed image may have no size.
  const { width = catalog.slots[slot].width, height = width } = image.slots[slot];
  Object.assign(place.style, { width: `${width}px`, height: `${height}px`, background: image.placeholder?.color });
  const sources = formats.map((format) => ({ type: catalog.formats[format].type, srcset: srcset(image, slot, [format]) }));
  // A size may be in one format only, such as a side that is too long for WebP.
  const any = srcset(image, slot, [...formats].reverse());
  const failed = () => {
    place.className = "failed";
    place.onclick = () => place.replaceWith(figure(id, slot));
  };
  if (!any) return failed(), place;
  place.innerHTML = "<picture></picture>";
  const img = Object.assign(new Image(width, height), { alt: image.alt ?? "", loading: "lazy", onerror: failed });
  const [x, y] = image.focus ?? [0.5, 0.5];
  Object.assign(img.style, { objectFit: "cover", objectPosition: `${x * 100}% ${y * 100}%` });
  // It would show through what is not opaque.
  img.onload = () => { place.style.background = ""; };
  place.firstChild.append(...sources.filter((each) => each.srcset).map((each) => Object.assign(document.createElement("source"), each)), img);
  img.srcset = any;
  return place;
}
