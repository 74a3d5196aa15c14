// A Tessera catalog, version 1, as TypeScript sees it. Members that are not named here may come in later versions.

export interface Catalog {
  schema: "tessera-catalog/1";
  generator: { name: string; version: string; libvips: string };
  pipeline: { name: string; fingerprint: string };
  /** What goes before a path. */
  baseURL?: string;
  slots: { [name: string]: Slot };
  /** Device pixels a point, ascending. */
  scales: number[];
  /** In the order of the manifest. */
  images: Image[];
}

export type Mode = "fit" | "fill" | "clip";

export interface Slot {
  /** Points; free where it is missing. */
  width?: number;
  /** Points; free where it is missing. */
  height?: number;
  mode: Mode;
}

export type Status = "ok" | "stale" | "failed" | "pending";

export interface Image {
  id: string;
  /** The manifest's, without secrets. */
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
  /** Why it is failed or stale. */
  error?: Failure;
  warnings?: string[];
  placeholder?: Placeholder;
  /** Smallest first. Missing where there is nothing to show. */
  variants?: Variant[];
  /** Missing where there is nothing to show. */
  slots?: { [name: string]: SlotUse };
  /** In catalogs of the full profile alone. */
  source?: Source;
  /** What the manifest says besides. */
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
  /** Relative to the catalog; never changes its content. */
  path: string;
  /** The media type. */
  type: string;
  /** Pixels. */
  width: number;
  /** Pixels. */
  height: number;
  bytes: number;
  /** Why this is not what was asked for. */
  fallback?: string;
  /** The same in the other formats, in their order of preference. */
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
  /** Points, as laid out. */
  width: number;
  /** Points, as laid out. */
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

/** The file for a slot on a screen: the one for the smallest scale that is enough, or the largest there is. */
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
 * The catalog that a patch of `tessera diff --patch` leads to, from the one that it is for. The patch is a JSON Merge Patch
 * (RFC 7396) for the keyed form, in which `images` is an object by ids and each picture names the one behind it: applied
 * to the catalog as it is, it would destroy it.
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
    if (!image) throw new Error(`the patch is for another catalog: "${id}" is not there`);
    left.delete(id);
    const { next, extra, ...others } = image;
    ordered.push({ id, ...others, ...(Array.isArray(extra) ? { extra: extra[0] } : {}) });
    id = next as string | undefined;
  }
  if (left.size) throw new Error("the patch is for another catalog: pictures have no place in the order");
  return { ...rest, images: ordered } as unknown as Catalog;
}

type Members = { [name: string]: unknown };

const isObject = (value: unknown): value is Members =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** An object in which every name is free. */
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
