// What the table of cases does not cover, in Node: catalogs of a run, damage, whole error messages, changes, placeholders,
// markup, prefetching, sizes. Prints a line for each part; the exit status is 1 if anything is wrong.
//
//   node node.mjs LIBRARY CASES CHANGES HEADERS GOLDEN [CATALOG…] [--changes OLD CHANGES NEW]
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { runCases } from "./cases.mjs";
import { documentOf } from "./documents.mjs";
import { drawingParts } from "./drawing.mjs";
import { prefetchParts } from "./prefetch.mjs";
import { sizeParts } from "./sizes.mjs";
import { updateParts } from "./update.mjs";

const [library, casesPath, changesPath, headersPath, goldenPath, ...rest] = process.argv.slice(2);
const lib = await import(library);
const cases = JSON.parse(readFileSync(casesPath, "utf8"));
const changesPlace = rest.indexOf("--changes");
const paths = changesPlace < 0 ? rest : rest.slice(0, changesPlace);
const [old, changes, next] = changesPlace < 0 ? [] : rest.slice(changesPlace + 1);
const sha256 = (text) => createHash("sha256").update(text).digest("hex");

async function part(name, body) {
  try {
    console.log(`${name}: ${await body()}`);
  } catch (error) {
    console.error(`${name}: ${error.stack}`);
    process.exitCode = 1;
  }
}

const open = (source, options = {}) => new lib.CatalogIndex(source, { accepting: new Set(), from: "/", ...options });

function message(source) {
  try {
    for (const entry of open(source).images) assert(entry.id !== undefined);
    return "no error";
  } catch (error) {
    assert(error instanceof lib.CatalogError, error.stack);
    return error.message;
  }
}

await part("cases in Node", () => {
  const { sections, mistakes } = runCases(lib, cases);
  assert.deepEqual(mistakes, []);
  return `${Object.keys(sections).length} sections, ${Object.values(sections).reduce((sum, each) => sum + each)} checks`;
});

await part("catalogs", async () => {
  // In the golden one, what differs from run to run is blank.
  const golden = documentOf(JSON.parse(readFileSync(goldenPath, "utf8")), sha256);
  for (const [source, folder] of [[golden, ""], ...paths.map((path) => [readFileSync(path), dirname(path)])]) {
    const { images, ...head } = JSON.parse(source);
    const index = await lib.verified(open(source));
    assert.deepEqual(index.head, { ...head, images: [] });
    assert.equal(String(Buffer.from(index.bytes)), String(source));
    const shared = ({ variants, ...image }) => ({ ...image, sizes: variants?.map(({ width, height, crop }) => [width, height, crop]) });
    images.forEach((image, position) => {
      const found = index.image(image.id).image;
      assert.deepEqual([shared(index.at(position).image), shared(found)], [shared(image), shared(image)]);
      const files = (found.variants ?? []).flatMap((each) => [...each.files, each.highDynamicRange ?? []].flat()).filter(({ path }) => path);
      assert.equal(files.length, (image.variants ?? []).flatMap(({ bytes = [] }) => bytes.filter((size) => size !== null)).length);
      // The files of a run are beside its catalog.
      if (existsSync(join(folder, "variants"))) for (const { path, bytes } of files) assert.equal(statSync(join(folder, path)).size, bytes);
    });
    assert.deepEqual([-1, 0.5, images.length, NaN].map((position) => index.at(position)), Array(4).fill(undefined));
  }
  return `${paths.length + 1} are read and verified`;
});

await part("damage", async () => {
  let count = 0;
  const bytes = new TextEncoder().encode(documentOf(cases.catalog, sha256));
  assert.equal(message(bytes), "no error");
  const altered = documentOf(cases.catalog, sha256).replace("A red bridge", "A rad bridge");
  assert.equal(message(altered), "no error");
  await assert.rejects(lib.verified(open(altered)), /^CatalogError: line 1: digest: the catalog was altered: it states/);
  for (let length = 0; length < bytes.length; length += 1, count += 1) {
    assert.match(message(bytes.subarray(0, length)), /cut off|expected a catalog/, `${length}`);
  }
  // With any bytes changed, reading ends with a catalog or a `CatalogError`; the generator is a seeded LCG.
  for (let round = 0, state = 4; round < 3000; round += 1, count += 1) {
    const copy = bytes.slice();
    for (let change = 0; change < 3; change += 1) {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
      copy[state % copy.length] = (state >>> 16) & 255;
    }
    message(copy);
  }
  return `${count} cut or changed catalogs`;
});

const catalogWith = (members, line) => {
  const { images: _, ...head } = cases.catalog;
  return documentOf({ ...head, ...members, images: ["LINE"] }).replace('"LINE"', () => line);
};
const image = (members) => catalogWith({}, `{"id":"a","status":"ok",${members}}`);
const notACatalog = "line 1: expected a catalog, whose first line begins with its digest";

const sentences = [
  ["5", notACatalog],
  ["\ufeff{}", notACatalog],
  [image('"width":1').slice(0, -1), "line 1: the catalog is cut off"],
  [image('"width":1').replace('"images":[\n', '"images":[ \n'), notACatalog],
  [image('"width":1').replace('"count":1', '"count":3'), "line 1: the catalog has 1 of its 3 images"],
  [image('"width":1').replace("}\n]", "},\n]"), "line 1: expected a comma after each image but the last"],
  [catalogWith({ schema: "tessera-catalog/2" }, "{}"), 'line 1: schema: can\'t be "tessera-catalog/2"'],
  [catalogWith({ slots: undefined }, "{}"), 'line 1: "slots" is missing'],
  [catalogWith({}, '{"id":"a"}'), 'line 2: images[0]: "status" is missing'],
  [catalogWith({}, "5"), "line 2: images[0]: can't be 5"],
  [catalogWith({}, '{"id":"a","status":"new"}'), 'line 2: images[0].status: can\'t be "new"'],
  [image('"variants":[{"width":"wide","height":1}]'), 'line 2: images[0].variants[0].width: can\'t be "wide"'],
  [image('"variants":[{"width":1,"height":1}]'), "line 2: images[0].variants[0]: expected a file or a URL"],
  [image('"variants":[{"width":1,"height":1,"bytes":[7]}]'), 'line 2: images[0]: "source" is missing'],
  [image('"variants":[{"width":1,"height":1,"urls":[null,null,null,null,null,null]}]'),
    "line 2: images[0].variants[0].urls: expected at most 5 values, found 6"],
  [image('"width":1.5'), "line 2: images[0].width: can't be 1.5"],
  [image('"width":9223372036854775808'), "line 2: images[0].width: can't be 9223372036854776000"],
  [image('"warnings":{}'), "line 2: images[0].warnings: can't be {}"],
  [image('"slots":{"card":{"width":1,"height":true,"variants":[]}}'), "line 2: images[0].slots.card.height: can't be true"],
  [image('"slots":{"ä b":{"variants":[1,"x"]}}'), 'line 2: images[0].slots.ä b.variants[1]: can\'t be "x"'],
  [image('"slots":{"constructor":5}'), "line 2: images[0].slots.constructor: can't be 5"],
  [image('"width":007'), "line 2: images[0]: expected JSON"],
  [image('"alt":"\t"'), "line 2: images[0]: expected JSON"],
  [image(`"extra":${"[".repeat(1e5)}`), "line 2: images[0]: expected JSON"],
];

await part("errors", () => {
  for (const [text, expected] of sentences) assert.equal(message(text), expected);
  assert.throws(() => new lib.CatalogIndex(catalogWith({ baseURL: undefined }, "{}"), { accepting: new Set() }), {
    name: "TypeError", message: 'the catalog has no baseURL: "from" must say its URL, such as "/feed/catalog.json"' });
  return `${sentences.length + 1} whole messages`;
});

await part("names and absent members", () => {
  const extra = (text) => open(image(`"extra":${text}`)).at(0).image.extra;
  const odd = extra('{"__proto__":{"x":1},"constructor":2}');
  assert.deepEqual([Object.keys(odd), odd.x, Object.getPrototypeOf(odd)], [["__proto__", "constructor"], undefined, Object.prototype]);
  assert.equal(extra("null"), null);
  assert.deepEqual(open(image('"width":null,"later":null')).at(0).image, { id: "a", status: "ok", later: null });
  const index = open(documentOf(cases.catalog), { accepting: lib.everywhere });
  for (const method of ["box", "frame", "file"]) assert.equal(index.at(0)[method]("constructor", 1), undefined);
  assert.equal(index.image("__proto__").image.status, "failed");
  // Of two images with the same id the first counts, however its id is written.
  const twice = open(documentOf({ ...cases.catalog, images: [1, 2, 3, 4].map((width) => ({ id: "\u00e4\"", status: "ok", width })) })
    .replace('"ä\\"","status":"ok","width":2', '"\\u00E4\\u0022","status":"ok","width":2').replace('{"id":"ä\\"","status":"ok","width":1', '{"id":7,"status":"ok","width":1'));
  assert.equal(twice.image('ä"').image.width, 2);
  assert.equal(open(documentOf({ ...cases.catalog, images: [] })).image(""), undefined);
  return "as in JSON.parse";
});

await part("files", () => {
  const source = "0123456789abcdef".repeat(2);
  const text = image(`"source":"${source}","animated":true,"variants":[{"width":30,"height":40,"crop":"89abcdef","fallback":"x",`
    + '"bytes":[7,8,null,null,9],"urls":[null,"https://a/b"],"stills":[0,4],"headroom":2.5,'
    + '"original":{"url":"https://a/o","type":"image/gif","bytes":5}},{"width":1,"height":1,"urls":["https://a/c"]}]');
  const [first, second] = open(text).at(0).image.variants;
  const path = (place) => {
    const { recipe, extension } = cases.catalog.formats[place];
    return `variants/01/23/${source}-30x40-89abcdef-${recipe}.${extension}`;
  };
  const file = (type, path, url, bytes, isStill = false) => ({ path, url, type, bytes, isStill });
  const shown = ({ width, height, crop, fallback, files, highDynamicRange, headroom }) =>
    JSON.parse(JSON.stringify({ width, height, crop, fallback, files, highDynamicRange, headroom }));
  assert.deepEqual(shown(first), shown({
    width: 30, height: 40, crop: "89abcdef", fallback: "x", headroom: 2.5,
    files: [file("image/webp", path(0), undefined, 7, true), file("image/avif", path(1), "https://a/b", 8),
      file("image/gif", undefined, "https://a/o", 5)],
    highDynamicRange: file("image/jpeg", path(4), undefined, 9, true) }));
  assert.deepEqual(shown(second), { width: 1, height: 1, files: [{ url: "https://a/c", type: "image/webp", isStill: false }] });
  // A hostile document can't name files.
  const hostile = open(image('"variants":[{"width":1,"height":1,"urls":["https://a/c"],"files":[{"path":"../x"}],"highDynamicRange":{"path":"../x"}}]'));
  assert(!JSON.stringify(hostile.at(0).image).includes(".."));
  return "names, URLs, stills, high dynamic range, the source";
});

await part("screens", () => {
  const parts = ["a", "b"].map((digit) => `screens/feed/${digit.repeat(32)}.json`);
  const head = { ...cases.catalog, baseURL: "../../", parts };
  const first = open(documentOf(head), { from: "https://a.example/feed/screens/feed/first.json" });
  assert.deepEqual(first.head.parts.map((path) => first.url(path)), parts.map((path) => `https://a.example/feed/${path}`));
  assert.equal(open(documentOf({ ...head, baseURL: "https://cdn.example/x/" })).url(parts[0]), `https://cdn.example/x/${parts[0]}`);
  return "the parts have URLs";
});

await part("hostile catalogs", () => {
  // Each member of each image, with values of all kinds: an error, or an answer.
  const values = [null, 5, -1, 1e9, 0.5, "x", "../..", "<script>alert(1)</script>", [], [5], ["x"], {}, { width: 1e9, height: -5 }, true];
  let [count, errors] = [0, 0];
  const paths = (value, path = []) => (typeof value === "object" && value !== null
    ? Object.keys(value).flatMap((key) => [[...path, key], ...paths(value[key], [...path, key])]) : []);
  for (const written of cases.catalog.images) {
    for (const path of paths(written)) {
      for (const value of values) {
        const changed = structuredClone(written);
        path.slice(0, -1).reduce((parent, key) => parent[key], changed)[path.at(-1)] = value;
        count += 1;
        try {
          const index = open(documentOf({ ...cases.catalog, images: [changed] }), { accepting: new Set(lib.typesOf(cases.catalog)) });
          const entry = index.at(0);
          for (const place of [...Object.keys(cases.catalog.slots), { width: 90, height: 60, mode: "fill" }, { width: 9 }]) {
            const [box, frame, file] = [entry.box(place), entry.frame(place), entry.file(place, 2)];
            for (const side of box ? [box.width, box.height] : []) assert(Number.isInteger(side) && side >= 1 && side <= 1e5, JSON.stringify([path, value, box]));
            assert(frame === undefined || Object.values(frame).every(Number.isFinite));
            assert(file === undefined || /^https?:\/\/(?!.*\.\.)[^<>" ]+$/.test(file.url), file?.url);
            if (typeof place !== "string") continue;
            for (const options of [{}, { sizes: "slot" }]) assert(!lib.picture(entry, place, options).includes("<script"));
          }
          lib.placeholderURL(entry.image.placeholder ?? {});
          lib.stylesheet(index, index.images);
        } catch (error) {
          if (!(error instanceof lib.CatalogError)) throw error;
          errors += 1;
        }
      }
    }
  }
  const slots = Object.fromEntries(Array.from({ length: 1e6 }, (_, place) => [`s${place}`, { width: 9, mode: "fit" }]));
  assert.deepEqual(open(documentOf({ ...cases.catalog, slots })).image("portrait").box("card"), { width: 180, height: 240 });
  return `${count} changed members: ${errors} errors, and no trap`;
});

await drawingParts(part, lib, cases);
await prefetchParts(part, lib);
await sizeParts(part, lib, headersPath);
await updateParts(part, lib, cases, JSON.parse(readFileSync(changesPath, "utf8")), sha256);

if (old !== undefined) {
  await part("changes of tessera diff", async () => {
    const [before, document, after] = [old, changes, next].map((path) => readFileSync(path));
    const made = await lib.applyChanges(open(before), document);
    assert.deepEqual(Buffer.from(made.bytes), after);
    await assert.rejects(lib.applyChanges(open(after), document), /CatalogError: line 1: from: the changes are from the catalog/);
    return `lead to the new catalog, ${document.length} bytes`;
  });
}
