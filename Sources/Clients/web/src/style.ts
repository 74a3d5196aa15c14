import type { CatalogEntry, Size } from "./entry.js";
import type { Image } from "./model.js";
import { rgb } from "./placeholder.js";

export const shapeClass = ({ width, height }: Size): string => `tessera-${width}x${height}`;

/** The box that the image covers in a slot; undefined if it has the image's shape. */
export function coveredBox(entry: CatalogEntry, slot: string): Size | undefined {
  const [box, frame] = [entry.box(slot), entry.frame(slot)];
  return box?.width === frame?.width && box?.height === frame?.height ? undefined : box;
}

/** The classes of an image's layout, whose rules `stylesheet` returns. */
export function layoutClasses(entry: CatalogEntry, slot: string, isFluid: boolean): string[] {
  const box = isFluid && coveredBox(entry, slot);
  const focus = (entry.image.focus ?? []).map((part, axis) => `tessera-${"xy"[axis]}${Math.round(part * 100)}`);
  return ["tessera", ...(isFluid ? ["tessera-fluid"] : []), ...(box ? [shapeClass(box)] : []), ...focus];
}

/** The classes of an image's placeholder: its colour with sixteen levels of each channel, and its number by digits. */
export function placeholderClasses({ alpha, placeholder }: Image): string[] {
  // A background would show through an image that is not opaque.
  if (alpha || !placeholder) return [];
  const { color, css = -1 } = placeholder;
  const levels = rgb(color)?.map((part, channel) => "rgb"[channel] + Math.round(part / 17).toString(16));
  const digits = css >> 24 === 0 ? Array.from(css.toString(16).padStart(6, "0"), (digit, place) => place + digit) : undefined;
  return [...(levels ? ["color", ...levels] : []), ...(digits ? ["blur", ...digits] : [])].map((each) => `tessera-${each}`);
}
