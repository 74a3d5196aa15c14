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

/** A catalog of 20,000 images blocks the page for a small part of the time that reading it there does. */
async function loadInAWorker() {
  let whole;
  const blocked = await longestTask(async () => {
    const text = await (await fetch("/many.json")).text();
    // In a task of its own.
    await new Promise((resolve) => setTimeout(resolve, 50));
    whole = lib.readCatalog(text, { verify: true });
  });
  let loaded;
  const worker = await longestTask(async () => { loaded = await lib.loadCatalog("/many.json", { verify: true }); });
  if (lib.canonicalJSON(loaded) !== lib.canonicalJSON(whole)) mistakes.push("the worker reads another catalog");
  if (worker > blocked / 5) mistakes.push(`a worker: the page is blocked for ${worker} ms, without it for ${blocked}`);
  let updated;
  const update = await longestTask(async () => { updated = await lib.updateCatalog(whole, "/many.json"); });
  if (updated === whole || lib.canonicalJSON(updated) !== lib.canonicalJSON(whole)) mistakes.push("an update is another catalog");
  const failures = [["/page.html", "CatalogError: line 1, column 1: expected an object"], ["/none.json", "answered 404"]];
  for (const [url, expected] of failures) {
    const error = await lib.loadCatalog(url).then(() => "none", (found) => found);
    if (!String(error).includes(expected)) mistakes.push(`${url}: ${error}`);
  }
  const controller = new AbortController();
  const stopped = lib.loadCatalog("/many.json", { signal: controller.signal }).catch((error) => error.name);
  controller.abort();
  if (await stopped !== "AbortError") mistakes.push(`stopped: ${await stopped}`);
  return `${Math.round(worker)} ms, without a worker ${Math.round(blocked)}; a patch for ${Math.round(update)}`;
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
    blocked: await loadInAWorker(),
    mistakes,
  };
} catch (error) {
  window.results = { mistakes: [...mistakes, String(error.stack)] };
}
