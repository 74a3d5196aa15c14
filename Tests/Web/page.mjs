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

/** Reads a catalog while it downloads. */
async function download(cases) {
  const ids = [];
  for await (const image of lib.readImages((await fetch("/catalog.jsonl")).body, { verify: true })) ids.push(image.id);
  const expected = cases.catalog.images.map(({ id }) => id);
  if (ids.join() !== expected.join()) mistakes.push(`downloaded ${ids}`);
  // Who stops early cancels the download.
  for await (const image of lib.readImages((await fetch("/catalog.jsonl")).body)) if (image.id) break;
  return ids.length;
}

try {
  const cases = await (await fetch("/cases.json")).json();
  const found = runCases(lib, cases);
  mistakes.push(...found.mistakes);
  window.results = {
    sections: Object.keys(found.sections).length,
    checks: Object.values(found.sections).reduce((sum, each) => sum + each),
    placeholders: await comparePlaceholders(cases),
    downloaded: await download(cases),
    types: [...(await lib.detectTypes())],
    mistakes,
  };
} catch (error) {
  window.results = { mistakes: [...mistakes, String(error.stack)] };
}
