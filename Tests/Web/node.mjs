// What the table of cases does not cover, in Node: catalogs of a run, damage, whole error messages, changes, placeholders
// as PNG, markup. Prints a line for each part; the exit status is 1 if anything is wrong.
//
//   node node.mjs LIBRARY CASES CHANGES GOLDEN [CATALOG…] [--changes OLD CHANGES NEW]
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { atlasParts } from "./atlas.mjs";
import { runCases } from "./cases.mjs";
import { documentOf } from "./documents.mjs";
import { drawingParts } from "./drawing.mjs";
import { updateParts } from "./update.mjs";

const [library, casesPath, changesPath, goldenPath, ...rest] = process.argv.slice(2);
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

function message(source) {
  try {
    for (const image of lib.readCatalog(source).images) assert(image.id !== undefined);
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
    const catalog = await lib.verified(lib.readCatalog(source));
    assert.deepEqual({ ...catalog, images: 0, bytes: 0 }, { ...head, images: 0, bytes: 0 });
    const index = new lib.CatalogIndex(catalog, { accepting: new Set(), from: "/" });
    const shared = ({ variants, ...image }) => ({ ...image, sizes: variants?.map(({ width, height, crop }) => [width, height, crop]) });
    images.forEach((image, position) => {
      const found = index.get(image.id).image;
      assert.deepEqual([index.position(image.id), shared(found)], [position, shared(image)]);
      const files = (found.variants ?? []).flatMap((each) => [...each.files, each.highDynamicRange ?? []].flat()).filter(({ path }) => path);
      assert.equal(files.length, (image.variants ?? []).flatMap(({ bytes = [] }) => bytes.filter((size) => size !== null)).length);
      // The files of a run are beside its catalog.
      if (existsSync(join(folder, "variants"))) for (const { path, bytes } of files) assert.equal(statSync(join(folder, path)).size, bytes);
    });
    assert.deepEqual([-1, 0.5, images.length, NaN].map((position) => catalog.images.at(position)), Array(4).fill(undefined));
  }
  return `${paths.length + 1} are read and verified`;
});

await part("damage", async () => {
  let count = 0;
  const bytes = new TextEncoder().encode(documentOf(cases.catalog, sha256));
  assert.equal(message(bytes), "no error");
  const altered = documentOf(cases.catalog, sha256).replace("A red bridge", "A rad bridge");
  assert.equal(message(altered), "no error");
  await assert.rejects(lib.verified(lib.readCatalog(altered)), /^CatalogError: line 1: digest: the catalog was altered: it states/);
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
const notACatalog = 'line 1: expected a catalog, which begins with {"digest":" and 64 hexadecimal digits';

const sentences = [
  ["5", notACatalog],
  ["\ufeff{}", notACatalog],
  [image('"width":1').slice(0, -1), "line 1: the catalog is cut off"],
  [image('"width":1').replace('"images":[\n', '"images":[ \n'),
    'line 1: expected "images":[ at the end of the first line, and an image on each other line'],
  [image('"width":1').replace('"count":1', '"count":3'), "line 1: the catalog has 1 of its 3 images"],
  [image('"width":1').replace("}\n]", "},\n]"), "line 2: expected a comma after each image but the last"],
  [catalogWith({ schema: "tessera-catalog/2" }, "{}"),
    'line 1: schema: expected "tessera-catalog/1", the only version that this library reads, found "tessera-catalog/2"'],
  [catalogWith({ pipeline: undefined }, "{}"), 'line 1: "pipeline" is missing'],
  [catalogWith({}, '{"id":"a"}'), 'line 2: images[0]: "status" is missing'],
  [catalogWith({}, "5"), "line 2: images[0]: expected an object, found 5"],
  [catalogWith({}, '{"id":"a","status":"new"}'),
    'line 2: images[0].status: expected one of "ok", "stale", "failed", "pending", found "new"'],
  [image('"variants":[{"width":"wide","height":1}]'),
    'line 2: images[0].variants[0].width: expected a whole number, found "wide"'],
  [image('"variants":[{"width":1,"height":1}]'), "line 2: images[0].variants[0]: expected a file or a URL"],
  [image('"variants":[{"width":1,"height":1,"bytes":[7]}]'), 'line 2: images[0]: "source" is missing'],
  [image('"variants":[{"width":1,"height":1,"urls":[null,null,null,null,null,null]}]'),
    "line 2: images[0].variants[0].urls: expected at most 5 values, found 6"],
  [image('"source":"ab"'), 'line 2: images[0].source: expected 32 hexadecimal digits, found "ab"'],
  [image('"width":1.5'), "line 2: images[0].width: expected a whole number, found 1.5"],
  [image('"width":9223372036854775808'), "line 2: images[0].width: expected a whole number, found 9223372036854776000"],
  [image('"warnings":{}'), "line 2: images[0].warnings: expected an array"],
  [image('"slots":{"card":{"width":1,"height":true,"variants":[]}}'),
    "line 2: images[0].slots.card.height: expected a whole number, found true"],
  [image('"width":007'), /^line 2: images\[0\]: expected JSON: /],
  [image('"alt":"\t"'), /^line 2: images\[0\]: expected JSON: /],
  [image(`"extra":${"[".repeat(1e5)}`), /^line 2: images\[0\]: expected JSON: /],
];

await part("errors", () => {
  for (const [text, expected] of sentences) {
    if (typeof expected === "string") assert.equal(message(text), expected);
    else assert.match(message(text), expected);
  }
  const bytes = new TextEncoder().encode(image('"alt":"äx"'));
  bytes[bytes.indexOf(0xa4)] = 0x78;
  assert.match(message(bytes), /^line 2: images\[0\]: expected JSON: /);
  return `${sentences.length + 1} whole messages`;
});

await part("names and absent members", () => {
  const extra = (text) => lib.readCatalog(image(`"extra":${text}`)).images.at(0).extra;
  const odd = extra('{"__proto__":{"x":1},"constructor":2}');
  assert.deepEqual([Object.keys(odd), odd.x, Object.getPrototypeOf(odd)], [["__proto__", "constructor"], undefined, Object.prototype]);
  assert.equal(extra("null"), null);
  assert.deepEqual(lib.readCatalog(image('"width":null,"later":null')).images.at(0), { id: "a", status: "ok", later: null });
  const catalog = lib.readCatalog(documentOf(cases.catalog));
  const index = new lib.CatalogIndex(catalog, { accepting: lib.everywhere });
  assert.equal(index.context.entry(catalog.images.at(0)).file("constructor", 1), undefined);
  assert.equal(index.position("__proto__"), 4);
  // Of two images with the same id the first counts, however its id is written.
  const twice = lib.readCatalog(documentOf({ ...cases.catalog, images: [1, 2, 3, 4].map((width) => ({ id: "\u00e4\"", status: "ok", width })) })
    .replace('"ä\\"","status":"ok","width":2', '"\\u00E4\\u0022","status":"ok","width":2').replace('{"id":"ä\\"","status":"ok","width":1', '{"id":7,"status":"ok","width":1'));
  assert.equal(twice.images.position('ä"'), 1);
  return "as in JSON.parse";
});

await part("files", () => {
  const source = "0123456789abcdef".repeat(2);
  const text = image(`"source":"${source}","animated":true,"variants":[{"width":30,"height":40,"crop":"89abcdef","fallback":"x",`
    + '"bytes":[7,8,null,null,9],"urls":[null,"https://a/b"],"stills":[0,4],"headroom":2.5,'
    + '"original":{"url":"https://a/o","type":"image/gif","bytes":5}},{"width":1,"height":1,"urls":["https://a/c"]}]');
  const [first, second] = lib.readCatalog(text).images.at(0).variants;
  const path = (place) => {
    const { recipe, extension } = cases.catalog.formats[place];
    return `variants/01/23/${source}-30x40-89abcdef-${recipe}.${extension}`;
  };
  const file = (type, path, url, bytes, isStill = false) => ({ path, url, type, bytes, isStill });
  assert.deepEqual(first, {
    width: 30, height: 40, crop: "89abcdef", fallback: "x", headroom: 2.5,
    files: [file("image/webp", path(0), undefined, 7, true), file("image/avif", path(1), "https://a/b", 8),
      file("image/gif", undefined, "https://a/o", 5)],
    highDynamicRange: file("image/jpeg", path(4), undefined, 9, true) });
  assert.deepEqual(JSON.parse(JSON.stringify(second)), { width: 1, height: 1, files: [{ url: "https://a/c", type: "image/webp", isStill: false }] });
  return "names, URLs, stills, high dynamic range, the source";
});

await part("screens", () => {
  const parts = ["a", "b"].map((digit) => `screens/feed/${digit.repeat(32)}.json`);
  const first = lib.readCatalog(documentOf({ ...cases.catalog, baseURL: "../../", parts }));
  const context = new lib.CatalogContext(first, { accepting: lib.everywhere, from: "https://a.example/feed/screens/feed/first.json" });
  assert.deepEqual(first.parts.map((path) => context.url(path)), parts.map((path) => `https://a.example/feed/${path}`));
  const elsewhere = new lib.CatalogContext({ ...first, baseURL: "https://cdn.example/x/" }, { accepting: lib.everywhere });
  assert.equal(elsewhere.url(first.parts[0]), `https://cdn.example/x/${parts[0]}`);
  return "the parts have URLs";
});

await drawingParts(part, lib, cases);
await atlasParts(part, lib, cases);
await updateParts(part, lib, cases, JSON.parse(readFileSync(changesPath, "utf8")), sha256);

// A BlurHash whose digits are out of range.
for (const hash of ["L~~~~~", "LEHV6n~~yk8pyo0adR*.7kCMdnjx", "LEHV6n~~2yk8pyo0adR*.7kCMdnj"]) {
  assert.equal(lib.decodeBlurHash(hash, 4, 3), undefined, hash);
}
assert.notEqual(lib.decodeBlurHash(cases.blurhashes[0].hash, 4, 3), undefined);

if (old !== undefined) {
  await part("changes of tessera diff", async () => {
    const [before, document, after] = [old, changes, next].map((path) => readFileSync(path));
    const made = await lib.applyChanges(lib.readCatalog(before), document);
    assert.deepEqual(Buffer.from(made.bytes), after);
    await assert.rejects(lib.applyChanges(lib.readCatalog(after), document), /CatalogError: line 1: from: the changes are from the catalog/);
    return `lead to the new catalog, ${document.length} bytes`;
  });
}
