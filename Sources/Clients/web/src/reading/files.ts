import type { Format, Image, Variant, VariantFile } from "../model.js";
import { Mismatch } from "./shape.js";

/** A variant as a catalog has it: what differs by format is in the order of the head's formats. */
interface WrittenVariant extends Omit<Variant, "files" | "highDynamicRange"> {
  bytes?: (number | null)[];
  urls?: (string | null)[];
  /** The formats whose files are stills of an animation. */
  stills?: number[];
  original?: { url: string; type: string; bytes?: number };
}

/** Gives the variants of an image their files. Throws a `Mismatch` for what does not fit the formats. */
export function addFiles(image: Image, formats: readonly Format[], member: string): void {
  image.variants?.forEach((written, index, variants) => {
    variants[index] = withFiles(written as WrittenVariant, image.source, formats, member, index);
  });
}

function withFiles(
  { width, height, crop, fallback, headroom, bytes = none, urls = none, stills = none, original }: WrittenVariant,
  source: string | undefined, formats: readonly Format[], image: string, index: number,
): Variant {
  const most = Math.max(bytes.length, urls.length);
  if (most > formats.length) {
    const name = bytes.length === most ? "bytes" : "urls";
    throw new Mismatch(`${image}.variants[${index}].${name}`, `expected at most ${formats.length} values, found ${most}`);
  }
  const files: VariantFile[] = [];
  let highDynamicRange: VariantFile | undefined;
  for (let place = 0; place < most; place += 1) {
    const { type, extension, recipe, dynamicRange } = formats[place] as Format;
    const [size, url] = [bytes[place] ?? undefined, urls[place] ?? undefined];
    if (size !== undefined && source === undefined) throw new Mismatch(image, '"source" is missing');
    const path = size === undefined || source === undefined || recipe === undefined || extension === undefined ? undefined
      : `variants/${source.slice(0, 2)}/${source.slice(2, 4)}/${source}-${width}x${height}${crop ? `-${crop}` : ""}-${recipe}.${extension}`;
    if (path === undefined && url === undefined) continue;
    const file = { path, url, type, bytes: size, isStill: stills.includes(place) };
    if (dynamicRange === undefined) files.push(file);
    else if (dynamicRange === "high") highDynamicRange = file;
  }
  if (original) files.push({ path: undefined, url: original.url, type: original.type, bytes: original.bytes, isStill: false });
  if (files.length === 0) {
    throw new Mismatch(`${image}.variants[${index}]`, "expected a file or a URL");
  }
  return { width, height, crop, fallback, files, highDynamicRange, headroom };
}

const none: never[] = [];
