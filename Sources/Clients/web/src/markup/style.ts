import { Catalog, Image } from "../model.js";
import { Size, slotOf, slotSize, slotUse } from "../layout/slots.js";
import { placeholderURL, rgb } from "../placeholder/placeholder.js";

/** The part of a catalog that has its slots. */
type Slots = Pick<Catalog, "slots">;

/** The box that the image covers in a slot, in points; undefined if it has the image's shape. */
export function coveredBox(catalog: Slots, image: Image, slot: string): Size | undefined {
  const use = slotUse(image, slot);
  if (use === undefined) return undefined;
  if (use.image !== undefined) return slotSize(image, slot);
  const definition = slotOf(catalog, slot);
  if (definition === undefined || definition.mode === "fit" || definition.width === undefined || definition.height === undefined) return undefined;
  return { width: definition.width, height: definition.height };
}

/** A background would show through an image that is not opaque. */
const placeholderOf = (image: Image) => (image.alpha === true ? undefined : image.placeholder);

const percent = (fraction: number): number => Math.round(fraction * 1000) / 10;

/** The number of a placeholder for style sheets; undefined if it is not one. */
const cssNumber = (image: Image): number | undefined => {
  const number = placeholderOf(image)?.css;
  return number !== undefined && number >= 0 && number < 1 << 24 ? number : undefined;
};

const hex = (color: readonly number[]): string => color.map((part) => part.toString(16).padStart(2, "0")).join("");

const shapeClass = ({ width, height }: Size): string => `tessera-${width}x${height}`;

export function classesOf(catalog: Slots, image: Image, slot: string, isFluid: boolean): string[] {
  const classes: string[] = [];
  if (isFluid) classes.push("tessera-fluid");
  const box = coveredBox(catalog, image, slot);
  if (box !== undefined) {
    classes.push("tessera-fill");
    if (isFluid) classes.push(shapeClass(box));
    const [x, y] = image.focus ?? [0.5, 0.5];
    if (x !== 0.5) classes.push(`tessera-x${Math.round(x * 10)}`);
    if (y !== 0.5) classes.push(`tessera-y${Math.round(y * 10)}`);
  }
  const color = rgb(placeholderOf(image)?.color);
  if (color !== undefined) classes.push(`tessera-${hex(color)}`);
  const number = cssNumber(image);
  if (number !== undefined) classes.push("tessera-blur", `tessera-b${number}`);
  return classes;
}

export function inlineStyle(catalog: Slots, image: Image, slot: string, isFluid: boolean): string {
  const rules: string[] = [];
  const box = coveredBox(catalog, image, slot);
  if (isFluid) rules.push("width:100%;height:auto");
  if (box !== undefined) {
    if (isFluid) rules.push(`aspect-ratio:${box.width}/${box.height}`);
    const [x, y] = image.focus ?? [0.5, 0.5];
    rules.push(`object-fit:cover;object-position:${percent(x)}% ${percent(y)}%`);
  }
  const placeholder = placeholderOf(image);
  const color = rgb(placeholder?.color);
  if (placeholder !== undefined && color !== undefined) {
    rules.push(`background-color:#${hex(color)}`);
    const blurred = placeholderURL(placeholder);
    const hasMore = placeholder.thumbhash ?? placeholder.blurhash ?? placeholder.lqip;
    if (blurred !== undefined && hasMore !== undefined) rules.push(`background-image:url(${blurred});background-size:cover`);
  }
  return rules.join(";");
}

/** A part of the number behind `--tessera`: so many bits from a place on. */
const bits = (from: number, count: number): string =>
  `mod(round(down,var(--tessera)/${2 ** from},1),${2 ** count})`;

/**
 * The rule that draws a blurred image from the number in `--tessera` (the placeholder `css`): an element's own property,
 * set by a class, by a `style` attribute, or by `element.style.setProperty("--tessera", number)`, which every policy permits.
 * A browser that lacks `mod()` or `oklab()` draws the background colour alone.
 */
export function blurRule(): string {
  const cells = [0, 1, 2, 3, 4, 5];
  const color = (lightness: string): string => `oklab(${lightness} var(--tessera-a) var(--tessera-b))`;
  const lightnesses = cells.map((cell) => `--tessera-${cell}:calc(var(--tessera-l) + ${bits(cell * 2, 2)}*.1)`);
  const gradients = cells.map((cell) =>
    `radial-gradient(35% 56% at ${[16.67, 50, 83.33][cell % 3]}% ${cell < 3 ? 25 : 75}%,${color(`var(--tessera-${cell})`)},transparent)`);
  const mean = color(`calc((${cells.map((cell) => `var(--tessera-${cell})`).join(" + ")})/6)`);
  return `.tessera-blur{--tessera-l:calc(${bits(20, 4)}/15);--tessera-a:calc((${bits(16, 4)} - 7)*.04);`
    + `--tessera-b:calc((${bits(12, 4)} - 7)*.04);${lightnesses.join(";")};`
    + `background-image:${gradients.join(",")},linear-gradient(${mean},${mean})}`;
}

/**
 * The rules behind the classes of `picture`: for boxes that images cover, for the points that they keep in view, and for
 * placeholders.
 *
 * @param images those whose classes are included; all if absent.
 */
export function stylesheet(catalog: Catalog, images: Iterable<Image> = catalog.images): string {
  const shapes = new Map<string, string>();
  const colors = new Set<string>();
  const numbers = new Set<number>();
  for (const image of images) {
    for (const slot of Object.keys(image.slots ?? {})) {
      const box = coveredBox(catalog, image, slot);
      if (box !== undefined) shapes.set(shapeClass(box), `${box.width}/${box.height}`);
    }
    const color = rgb(placeholderOf(image)?.color);
    if (color !== undefined) colors.add(hex(color));
    const number = cssNumber(image);
    if (number !== undefined) numbers.add(number);
  }
  const rules = [
    ".tessera-fluid{width:100%;height:auto}",
    ".tessera-fill{object-fit:cover;object-position:var(--tessera-x,50%) var(--tessera-y,50%)}",
  ];
  for (const [name, ratio] of [...shapes].sort()) rules.push(`.${name}{aspect-ratio:${ratio}}`);
  for (const axis of ["x", "y"]) {
    for (let part = 0; part <= 10; part += 1) rules.push(`.tessera-${axis}${part}{--tessera-${axis}:${part * 10}%}`);
  }
  for (const color of [...colors].sort()) rules.push(`.tessera-${color}{background-color:#${color}}`);
  if (numbers.size > 0) rules.push(blurRule());
  for (const number of [...numbers].sort((one, other) => one - other)) rules.push(`.tessera-b${number}{--tessera:${number}}`);
  return `${rules.join("\n")}\n`;
}
