// The table of cases in a browser, and what only a browser can do. Leaves its results in `window.results`.
import * as lib from "/dist/index.js";
import { runCases } from "./cases.mjs";

const mistakes = [];
window.addEventListener("error", (event) => mistakes.push(String(event.message)));

/** The samples of an image as the browser decodes it. */
async function decoded(url) {
  const bitmap = await createImageBitmap(await (await fetch(url)).blob(), { premultiplyAlpha: "none" });
  const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
  const context = canvas.getContext("2d");
  context.drawImage(bitmap, 0, 0);
  return context.getImageData(0, 0, bitmap.width, bitmap.height);
}

/** The browser's decoder reads the PNG of each placeholder as the pixels that it was made of. */
async function comparePlaceholders(cases) {
  let count = 0;
  for (const [kind, { hash }] of [["thumbhash", cases.thumbhashes[0]], ["blurhash", cases.blurhashes[0]]]) {
    const pixels = lib.pixelsOf({ kind, data: hash });
    const image = await decoded(lib.pngURL(pixels));
    if (image.width !== pixels.width || image.height !== pixels.height) mistakes.push(`${kind}: another size`);
    if (image.data.some((sample, place) => sample !== pixels.samples[place])) mistakes.push(`${kind}: other samples`);
    count += 1;
  }
  return count;
}

/** How long the page is blocked at most while `body` runs, in milliseconds. */
async function longestTask(body) {
  const tasks = [];
  const observer = new PerformanceObserver((list) => tasks.push(...list.getEntries().map(({ duration }) => duration)));
  observer.observe({ type: "longtask" });
  await body();
  await new Promise((resolve) => setTimeout(resolve, 100));
  observer.disconnect();
  return Math.max(0, ...tasks);
}

/** How long a catalog of 20,000 images blocks the page: read and verified, all ids found, and brought up to date by changes. */
async function blocks() {
  let catalog;
  const bytes = await (await fetch("/many.json")).arrayBuffer();
  const read = await longestTask(async () => { catalog = await lib.verified(lib.readCatalog(bytes)); });
  const found = await longestTask(async () => {
    if (catalog.images.position("image-19999") !== 19_999) mistakes.push("another position");
  });
  let updated;
  const update = await longestTask(async () => { updated = await lib.updateCatalog(catalog, "/many.json"); });
  if (updated.images.at(7).alt !== "x") mistakes.push("the changes are not applied");
  if (read > 300) mistakes.push(`reading blocks the page for ${read} ms`);
  return [read, found, update].map(Math.round).join(", ");
}

try {
  const cases = await (await fetch("/cases.json")).json();
  const found = runCases(lib, cases);
  mistakes.push(...found.mistakes);
  window.results = {
    sections: Object.keys(found.sections).length,
    checks: Object.values(found.sections).reduce((sum, each) => sum + each),
    placeholders: await comparePlaceholders(cases),
    types: [...(await lib.detectTypes())],
    blocked: await blocks(),
    mistakes,
  };
} catch (error) {
  window.results = { mistakes: [...mistakes, String(error.stack)] };
}
