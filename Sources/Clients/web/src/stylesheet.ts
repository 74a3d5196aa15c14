import type { CatalogIndex } from "./catalog.js";
import type { CatalogEntry } from "./entry.js";
import { coveredBox, shapeClass } from "./style.js";

/** A part of the number behind `--tessera`: so many bits from a place on. */
const bits = (from: number, count: number): string =>
  `mod(round(down,var(--tessera)/${2 ** from},1),${2 ** count})`;

/**
 * The rule that draws a blurred image from the number in `--tessera` (the placeholder `css`): an element's own property,
 * set by classes, by a `style` attribute, or by `element.style.setProperty("--tessera", number)`, which every policy permits.
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

/** The rules of `<tessera-img>`: its size does not depend on its state. */
const elementRules = `tessera-img{display:inline-block;position:relative;max-width:100%;vertical-align:bottom}
tessera-img>picture>img{display:block;width:100%;height:100%}
tessera-img[state=failed]>picture>img{visibility:hidden}
tessera-img:not([state=loading])>[slot=loading],tessera-img:not([state=failed])>[slot=failed]{display:none}
tessera-img>[slot]{position:absolute;inset:0}
tessera-img[state=loading]{animation:tessera-loading 1.5s ease-in-out infinite}
tessera-img[state=failed]{background-color:#8884}
tessera-img[state=failed][role=button]{cursor:pointer}
tessera-img[state=failed][role=button]:not(:has(>[slot=failed]))::after{content:"\\21bb";content:"\\21bb"/"";position:absolute;inset:0;display:grid;place-content:center}
@keyframes tessera-loading{50%{opacity:.6}}
@media (prefers-reduced-motion:reduce){tessera-img[state=loading]{animation:none}}`;

/**
 * The rules behind the classes of `picture` and the element `<tessera-img>`: 13 kB, 2.4 kB after gzip, however many images there
 * are.
 *
 * @param images for boxes that an image covers and that are no slot's, in pictures with `sizes`: where the pipeline bounds the
 *   shape of images, those of the page.
 */
export function stylesheet({ head }: CatalogIndex, images: Iterable<CatalogEntry> = []): string {
  const rules = [
    ".tessera-fluid{width:100%;height:auto}",
    ".tessera{object-fit:cover;object-position:var(--tessera-x,50%) var(--tessera-y,50%)}",
    ".tessera-color{background-color:rgb(var(--tessera-r) var(--tessera-g) var(--tessera-b))}",
    `.tessera-blur{--tessera:calc(${[5, 4, 3, 2, 1, 0].map((digit, place) => `var(--tessera-n${place})*${16 ** digit}`).join(" + ")})}`,
    blurRule(), elementRules,
  ];
  const shapes = new Map<string, string>();
  const add = ({ width = 0, height = 0 }): unknown => shapes.set(shapeClass({ width, height }), `${width}/${height}`);
  for (const slot of Object.values(head.slots)) if (slot.mode !== "fit" && slot.width !== undefined && slot.height !== undefined) add(slot);
  for (const entry of images) {
    for (const slot of Object.keys(entry.image.slots ?? {})) {
      const box = coveredBox(entry, slot);
      if (box !== undefined) add(box);
    }
  }
  for (const [name, ratio] of shapes) rules.push(`.${name}{aspect-ratio:${ratio}}`);
  for (const axis of ["x", "y"]) {
    for (let part = 0; part <= 100; part += 1) rules.push(`.tessera-${axis}${part}{--tessera-${axis}:${part}%}`);
  }
  for (let level = 0; level < 16; level += 1) {
    const digit = level.toString(16);
    for (const channel of ["r", "g", "b"]) rules.push(`.tessera-${channel}${digit}{--tessera-${channel}:${level * 17}}`);
    for (let place = 0; place < 6; place += 1) rules.push(`.tessera-${place}${digit}{--tessera-n${place}:${level}}`);
  }
  return `${rules.join("\n")}\n`;
}
