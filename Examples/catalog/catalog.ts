// TypeScript types of a Tessera catalog, version 1. Later minor versions may add members.

export interface Catalog {
  schema: "tessera-catalog/1";
  generator: { name: string; version: string; libvips: string };
  pipeline: { name: string; fingerprint: string };
  /** The prefix of a path. */
  baseURL?: string;
  slots: { [name: string]: Slot };
  /** Device pixels per point, ascending. */
  scales: number[];
  /** The number of images: with others, the catalog is cut off. */
  count?: number;
  /** In the order of the manifest. */
  images: Image[];
}

export type Mode = "fit" | "fill" | "clip";

export interface Slot {
  /** Points. Free if absent. */
  width?: number;
  /** Points. Free if absent. */
  height?: number;
  mode: Mode;
}

export type Status = "ok" | "stale" | "failed" | "pending";

export interface Image {
  id: string;
  /** The manifest's URL, without secrets. */
  url: string;
  status: Status;
  /** Pixels, as displayed. */
  width?: number;
  /** Pixels, as displayed. */
  height?: number;
  format?: string;
  alpha?: boolean;
  animated?: boolean;
  frames?: number;
  /** Why the status is failed or stale. */
  error?: Failure;
  warnings?: string[];
  placeholder?: Placeholder;
  /** Smallest first. Absent if there is nothing to show. */
  variants?: Variant[];
  /** Absent if there is nothing to show. */
  slots?: { [name: string]: SlotUse };
  /** Only in catalogs of the full profile. */
  source?: Source;
  /** The manifest's extra. */
  extra?: unknown;
}

export interface Failure {
  code: string;
  message: string;
  retryable: boolean;
}

export interface Placeholder {
  /** #rrggbb */
  color?: string;
  /** In Base64. */
  thumbhash?: string;
  blurhash?: string;
  /** A data: URL. */
  lqip?: string;
}

export interface Variant {
  /** Relative to the catalog. The content behind a path never changes. */
  path: string;
  /** The media type. */
  type: string;
  /** Pixels. */
  width: number;
  /** Pixels. */
  height: number;
  bytes: number;
  /** Why the format is not the requested one. */
  fallback?: string;
  /** The same image in the other formats, in their order of preference. */
  also?: Alternative[];
  sha256?: string;
}

export interface Alternative {
  path: string;
  type: string;
  bytes: number;
  fallback?: string;
  sha256?: string;
}

export interface SlotUse {
  /** The size in the layout, in points. */
  width: number;
  /** The size in the layout, in points. */
  height: number;
  /** An index into the image's variants for each of the catalog's scales. */
  variants: number[];
}

export interface Source {
  url?: string;
  bytes?: number;
  sha256: string;
  width?: number;
  height?: number;
  /** Exif's, 1 to 8. */
  orientation?: number;
  colourSpace?: "rgb" | "grey" | "cmyk" | "lab" | "other";
  profile?: string;
  etag?: string;
  lastModified?: string;
  robots?: string;
}

/** The file for a slot on a screen: the one for the smallest sufficient scale, or for the largest scale. */
export function variantFor(
  catalog: Catalog, image: Image, slot: string, scale: number,
): Variant | undefined {
  const use = own(image.slots, slot);
  if (!use || use.variants.length === 0) return undefined;
  const enough = catalog.scales.findIndex((each) => each >= scale);
  const place = enough < 0 ? catalog.scales.length - 1 : enough;
  const index = use.variants[place];
  return index === undefined ? undefined : image.variants?.[index];
}

/**
 * Applies a patch of `tessera diff --patch` to the catalog that it is for. The patch is a JSON Merge Patch (RFC 7396) for
 * the keyed form of a catalog, in which `images` is an object by ids and each image names its successor. Do not apply it
 * to the catalog itself: its `images` would replace the array.
 */
export function applyPatch(catalog: Catalog, patch: unknown): Catalog {
  const { images: list, ...head } = catalog;
  const keyed: Members = { ...head, images: bare(), ...(list.length ? { first: list[0].id } : {}) };
  list.forEach(({ id, ...image }, place) => {
    const next = list[place + 1]?.id;
    (keyed.images as Members)[id] = {
      ...image,
      ...("extra" in image ? { extra: [image.extra] } : {}),
      ...(next === undefined ? {} : { next }),
    };
  });
  const { images, first, ...rest } = merge(keyed, patch) as Members;
  const left = new Map(Object.entries(images as { [id: string]: Members }));
  const ordered: unknown[] = [];
  for (let id = first as string | undefined; id !== undefined; ) {
    const image = left.get(id);
    if (!image) throw new Error(`the patch is for another catalog: "${id}" is missing`);
    left.delete(id);
    const { next, extra, ...others } = image;
    ordered.push({ id, ...others, ...(Array.isArray(extra) ? { extra: extra[0] } : {}) });
    id = next as string | undefined;
  }
  if (left.size) throw new Error("the patch is for another catalog: images have no place in the order");
  return { ...rest, images: ordered } as unknown as Catalog;
}

type Members = { [name: string]: unknown };

const isObject = (value: unknown): value is Members =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** An object without a prototype, so that an id such as "__proto__" is an ordinary name. */
const bare = (): Members => Object.create(null);

function own<Value>(members: { [name: string]: Value } | undefined, name: string): Value | undefined {
  return members && Object.prototype.hasOwnProperty.call(members, name) ? members[name] : undefined;
}

/** RFC 7396, section 2. */
function merge(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  const result: Members = Object.assign(bare(), isObject(target) ? target : {});
  for (const [name, change] of Object.entries(patch)) {
    if (change === null) delete result[name];
    else result[name] = merge(result[name], change);
  }
  return result;
}
