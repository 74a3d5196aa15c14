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

/** The browser's decoder reads the file of each placeholder as the pixels that it was made of, also of one with alpha. */
async function comparePlaceholders(cases) {
  const placeholders = [{ thumbhash: cases.thumbhashes[0].hash }, { thumbhash: "X5qGNQw7oElslqhGWfSE+Q6oJ1h2iHB2Rw==" }, { color: "#a1b2c3" }];
  for (const placeholder of placeholders) {
    const pixels = lib.placeholderPixels(placeholder);
    const image = await decoded(lib.placeholderURL(placeholder, 32));
    const what = JSON.stringify(placeholder);
    if (image.width !== pixels.width || image.height !== pixels.height) mistakes.push(`${what}: another size`);
    // A canvas stores its samples multiplied by alpha, so they may differ where that is low.
    const near = (sample, place) => Math.abs(sample - pixels.samples[place]) <= (pixels.samples[place | 3] === 255 || place % 4 === 3 ? 0 : 255 / Math.max(1, pixels.samples[place | 3]));
    if (!image.data.every(near)) mistakes.push(`${what}: other samples`);
  }
  return placeholders.length;
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

const median = (list) => list.sort((one, other) => one - other)[Math.floor(list.length / 2)];

/** A catalog of 20,000 images: how long it takes to open and verify, beside JSON.parse and SHA-256, and how long the page is blocked. */
async function speed() {
  const bytes = await (await fetch("/many.json")).arrayBuffer();
  const timed = async (body) => {
    const start = performance.now();
    await body();
    return performance.now() - start;
  };
  const open = () => lib.verified(new lib.CatalogIndex(bytes, { accepting: lib.everywhere }));
  const plain = async () => [JSON.parse(new TextDecoder().decode(bytes)), await crypto.subtle.digest("SHA-256", bytes)];
  // Before the others leave garbage.
  let index;
  const read = await longestTask(async () => { index = await open(); });
  const found = await longestTask(async () => {
    if (index.image("image-19999").id !== "image-19999") mistakes.push("another image");
  });
  const update = await longestTask(async () => { index = await lib.updateCatalog(index, { url: "/many.json" }); });
  if (index.at(7).image.alt !== "x") mistakes.push("the changes are not applied");
  const [ours, theirs] = [[], []];
  for (let round = 0; round < 7; round += 1) {
    theirs.push(await timed(plain));
    ours.push(await timed(open));
  }
  const [time, other] = [median(ours), median(theirs)];
  if (time > 1.5 * other) mistakes.push(`${time} ms, and JSON.parse with SHA-256 ${other} ms`);
  // 50 where nothing else runs.
  if (Math.max(read, found) > 200) mistakes.push(`the page is blocked for ${[read, found]} ms`);
  return { time: `${Math.round(time)} ms beside ${Math.round(other)} ms of JSON.parse with SHA-256`, blocked: [read, found, update].map(Math.round).join(", ") };
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
    ...await speed(),
    mistakes,
  };
} catch (error) {
  window.results = { mistakes: [...mistakes, String(error.stack)] };
}
