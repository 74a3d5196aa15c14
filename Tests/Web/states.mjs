// What a page shows while it waits, and what it requests: `<tessera-img>`, the prefetcher and the size fetcher, against a server
// that delays and rejects files and keeps a log. The test reads `window.results`.
import * as lib from "/dist/index.js";

const results = {};
const index = await lib.verified(await lib.loadCatalog("/states/catalog.json", { accepting: await lib.detectTypes() }));
const sheet = new CSSStyleSheet();
sheet.replaceSync(lib.stylesheet(index));
document.adoptedStyleSheets.push(sheet);
lib.defineTesseraImage(index);

const list = document.querySelector("#list");
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
const log = async () => (await fetch("/log")).json();
const requested = async (digits) => (await log()).requests.filter(({ path }) => path.includes(`/variants/${digits}/`));
async function until(test) {
  for (const latest = performance.now() + 20_000; performance.now() < latest;) {
    const found = await test();
    if (found) return found;
    await pause(20);
  }
  throw new Error(`in vain: ${test}`);
}

/** An element in the page, and the states that it has gone through. */
function show(attributes, html = "") {
  const element = document.createElement("tessera-img");
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.innerHTML = html;
  const states = [];
  new MutationObserver(() => states.push(element.getAttribute("state"))).observe(element, { attributeFilter: ["state"] });
  list.append(element);
  return { element, states, is: (state) => until(() => element.getAttribute("state") === state) };
}
const boxOf = ({ element }) => [element.clientWidth, element.clientHeight];
const part = async (name, body) => {
  await fetch("/log", { method: "DELETE" });
  try {
    results[name] = await body();
  } catch (error) {
    results[name] = String(error.stack ?? error);
  }
  list.replaceChildren();
  scrollTo(0, 0);
};
const equal = (found, expected, what = "") => {
  if (JSON.stringify(found) !== JSON.stringify(expected)) throw new Error(`${what} ${JSON.stringify(found)} instead of ${JSON.stringify(expected)}`);
};

await part("states", async () => {
  const slow = show({ image: "0d-0", place: "card" }, '<b slot="loading">wait</b><i slot="failed">broken</i>');
  const style = () => getComputedStyle(slow.element);
  await slow.is("loading");
  equal([boxOf(slow), style().animationName, style().backgroundImage.slice(0, 14)], [[180, 240], "tessera-loading", 'url("data:imag']);
  // It fills the box.
  equal(style().backgroundSize, "100% 100%");
  const shown = (name) => slow.element.querySelector(name).getClientRects().length > 0;
  equal([shown("b"), shown("i")], [true, false]);
  await slow.is("loaded");
  equal([boxOf(slow), style().animationName, style().backgroundImage, shown("b"), shown("i")], [[180, 240], "none", "none", false, false]);
  // A source that failed has its place, and nothing to retry.
  const gone = show({ image: "gone", place: "card" });
  await gone.is("failed");
  equal([boxOf(gone), gone.element.getAttribute("role")], [[180, 135], null]);
  const lost = show({ image: "lost", place: "card" });
  equal(boxOf(lost), [180, 180]);
  const unknown = show({ image: "nobody", place: "card" });
  equal([unknown.element.getAttribute("state"), unknown.element.innerHTML], [null, ""]);
  return "loading, loaded, failed";
});

await part("rejected twice", async () => {
  const start = performance.now();
  const image = show({ image: "02-0", place: "card" }, '<i slot="failed">broken</i>');
  await image.is("failed");
  equal([boxOf(image), image.element.getAttribute("role"), image.element.querySelector("i").getClientRects().length], [[180, 240], "button", 1]);
  await image.is("loaded");
  equal([image.states, image.element.getAttribute("role"), (await requested("02")).length],
    [["loading", "failed", "loading", "failed", "loading", "loaded"], null, 3]);
  const waited = performance.now() - start;
  if (waited < 2900) throw new Error(`only ${waited} ms`);
  return `loaded by the third request, after ${(waited / 1000).toFixed(1)} s`;
});

await part("retry", async () => {
  const image = show({ image: "0f-0", place: "card" });
  const count = (expected) => until(async () => (await requested("0f")).length === expected && image.element.getAttribute("state") === "failed");
  await count(1);
  image.element.click();
  await count(2);
  image.element.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter" }));
  await count(3);
  dispatchEvent(new Event("online"));
  await count(4);
  // It leaves the screen, where nothing is requested, and comes back.
  scrollTo(0, 4000);
  await pause(300);
  const before = (await requested("0f")).length;
  scrollTo(0, 0);
  await count(before + 1);
  equal(boxOf(image), [180, 240]);
  // A framework moves it within the list.
  list.append(image.element);
  await count(before + 2);
  return "by click, Enter, the network, when it is visible again, and when it is moved";
});

await part("zero box", async () => {
  const folder = document.createElement("div");
  Object.assign(folder.style, { width: "0", height: "0" });
  list.append(folder);
  const { element } = show({ image: "00-29" });
  Object.assign(element.style, { display: "block", width: "100%", height: "100%" });
  folder.append(element);
  await pause(300);
  equal([(await requested("00")).length, element.querySelector("img")], [0, null]);
  Object.assign(folder.style, { width: "90px", height: "120px" });
  await until(() => element.getAttribute("state") === "loaded");
  // At scale 2: 180 x 240 pixels.
  equal((await requested("00")).map(({ path }) => path.replace(/.*-(\d+x\d+)-.*/, "$1")), ["192x256"]);
  return "nothing is requested for a box of zero size, and one file when it has one";
});

await part("motion", async () => {
  const types = async () => {
    const image = show({ image: "dance", place: "card" });
    await image.is("loaded");
    return image.element.querySelector("img").currentSrc.split(".").pop();
  };
  const moving = await types();
  await fetch("/motion");
  await until(() => matchMedia("(prefers-reduced-motion: reduce)").matches || window.reduced);
  const still = await types();
  const slow = show({ image: "0d-1", place: "card" });
  await slow.is("loading");
  equal(getComputedStyle(slow.element).animationName, "none");
  equal([moving, still], ["webp", "avif"]);
  return "a still, and no animation while it loads, for who asks for less motion";
});

await part("prefetch", async () => {
  const files = (from, to) => Array.from({ length: to - from }, (_, place) => index.image(`0d-${from + place}`).file("card", devicePixelRatio));
  const prefetcher = new lib.Prefetcher({ prefetch: new lib.Prefetch(3, 2) });
  prefetcher.update([files(10, 16)], files(20, 25));
  await until(() => files(10, 16).every(({ reference }) => prefetcher.state(reference) === "loaded")
    && files(20, 25).every(({ reference }) => prefetcher.state(reference) === "loaded"));
  const { requests, most } = await log();
  const numbers = requests.map(({ path }) => Number(/0*(\d+)-384x512/.exec(path)[1]));
  const [visible, upcoming] = [numbers.filter((number) => number < 20), numbers.filter((number) => number >= 20)];
  // The server sees requests that begin at the same time in any order.
  equal([numbers.slice(0, 5).sort(), most, numbers.length, new Set(numbers).size], [[10, 11, 12, 20, 21], 5, 11, 11], numbers.join());
  equal([[...visible].sort(), [...upcoming].sort()], [[10, 11, 12, 13, 14, 15], [20, 21, 22, 23, 24]]);
  equal([visible.slice(3).length, Math.max(...visible.slice(0, 3)) < Math.min(...visible.slice(3))], [3, true]);
  // What appeared last is first.
  await fetch("/log", { method: "DELETE" });
  const other = new lib.Prefetcher({ prefetch: new lib.Prefetch(1, 0) });
  other.update([files(5, 7), files(7, 9)]);
  await until(() => files(5, 9).every(({ reference }) => other.state(reference) === "loaded"));
  equal((await log()).requests.map(({ path }) => Number(/0*(\d+)-384x512/.exec(path)[1])), [7, 8, 5, 6]);
  return `at most ${most} at a time, in their order, each once`;
});

await part("first screen", async () => {
  const ids = Array.from({ length: 8 }, (_, place) => `00-${place}`);
  const file = (id) => index.image(id).file("card", devicePixelRatio);
  const prefetcher = new lib.Prefetcher();
  list.innerHTML = ids.map((id) => lib.picture(index.image(id), "card", { priority: true })).join("");
  prefetcher.update([ids.map(file)], [`00-8`, `00-9`].map(file));
  await until(() => [...ids, "00-8", "00-9"].every((id) => prefetcher.state(file(id).reference) === "loaded") && [...document.images].every(({ complete }) => complete));
  // What was upcoming is shown, too.
  list.insertAdjacentHTML("beforeend", lib.picture(index.image("00-8"), "card", { priority: true }));
  prefetcher.update([ids.map(file), [file("00-8")]], [file("00-9")]);
  await until(() => [...document.images].every(({ complete }) => complete));
  await pause(200);
  const paths = (await requested("00")).map(({ path }) => path);
  equal([paths.length, new Set(paths).size], [10, 10]);
  return "10 files with 10 requests, though the server forbids to store them";
});

await part("sizes", async () => {
  const rows = (await (await fetch("/headers.json")).json()).flatMap((row, place) => (row.error ? [] : [{ ...row, place }])).slice(0, 40);
  const fetcher = new lib.SizeFetcher();
  const found = await Promise.all(rows.map(({ place }) => fetcher.size(`/header/${place}`)));
  found.forEach(({ width, height, format }, place) => equal([[width, height], format], [rows[place].size, rows[place].format], rows[place].name));
  const { requests, bytes } = await log();
  return `${found.length} images of 1 MB: ${requests.length} requests, ${Math.round(bytes / 1000)} kB`;
});

// Its files are in the memory from here on.
await part("layout shift", async () => {
  let shift = 0;
  const observer = new PerformanceObserver((entries) => entries.getEntries().forEach(({ value }) => { shift += value; }));
  observer.observe({ type: "layout-shift" });
  const ids = [...index.images].map(({ id }) => id).filter((id) => !id.startsWith("0d"));
  ids.forEach((id) => show({ image: id, place: "card" }));
  show({ image: ids[0], place: "cover", sizes: "slot" });
  for (let place = 0; place < list.scrollHeight; place += 400) {
    scrollTo(0, place);
    await pause(60);
  }
  await pause(300);
  observer.disconnect();
  const states = [...list.children].map((element) => element.getAttribute("state"));
  const count = (state) => states.filter((each) => each === state).length;
  equal([shift, count("loaded") >= 30, count("failed") >= 6], [0, true, true], JSON.stringify(states));
  return `0 over ${ids.length + 1} images, ${count("failed")} of them failed`;
});

window.results = results;
