import { fail } from "./checks.js";
import type { Format, Image, Variant, VariantFile } from "./model.js";

/** A variant as a catalog has it: what differs by format is in the order of the head's formats. */
interface WrittenVariant extends Variant {
  bytes?: (number | null)[];
  urls?: (string | null)[];
  /** The formats whose files are stills of an animation. */
  stills?: number[];
  original?: { url: string; type: string; bytes?: number };
}

/** Gives the variants of an image their files. */
export function addFiles({ source, variants = [], animated = false }: Image, formats: readonly Format[], member: string, line: number): void {
  (variants as WrittenVariant[]).forEach((variant, index) => {
    const here = `${member}.variants[${index}]`;
    const { width, height, crop, bytes = [], urls = [], stills = [], original } = variant;
    const most = Math.max(bytes.length, urls.length);
    if (most > formats.length) {
      fail(`expected at most ${formats.length} values, found ${most}`, `${here}.${bytes.length === most ? "bytes" : "urls"}`, line);
    }
    const files: VariantFile[] = [];
    variant.highDynamicRange = undefined;
    formats.slice(0, most).forEach(({ type, extension, recipe, dynamicRange }, place) => {
      const [size, url] = [bytes[place] ?? undefined, urls[place] ?? undefined];
      if (size !== undefined && source === undefined) fail('"source" is missing', member, line);
      const path = size === undefined || source === undefined || recipe === undefined || extension === undefined ? undefined
        : `variants/${source.slice(0, 2)}/${source.slice(2, 4)}/${[source, `${width}x${height}`, ...(crop ? [crop] : []), recipe].join("-")}.${extension}`;
      const file = { path, url, type, bytes: size, isStill: !animated || stills.includes(place) };
      if (path === undefined && url === undefined) return;
      if (dynamicRange === undefined) files.push(file);
      else if (dynamicRange === "high") variant.highDynamicRange = file;
    });
    if (original) files.push({ ...original, isStill: !animated });
    if (files.length === 0) fail("expected a file or a URL", here, line);
    variant.files = files;
  });
}
