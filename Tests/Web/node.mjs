// What the table of cases does not cover, in Node: both forms in any pieces, whole error messages, digests, placeholders
// as PNG, markup. Prints a line for each part; the exit status is 1 if anything is wrong.
//
//   node node.mjs LIBRARY CASES CATALOG… [--patch OLD PATCH NEW]
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { atlasParts } from "./atlas.mjs";
import { runCases } from "./cases.mjs";
import { drawingParts } from "./drawing.mjs";
import { updateParts } from "./update.mjs";

const [library, casesPath, ...rest] = process.argv.slice(2);
const lib = await import(library);
const cases = JSON.parse(readFileSync(casesPath, "utf8"));
const patchPlace = rest.indexOf("--patch");
const paths = patchPlace < 0 ? rest : rest.slice(0, patchPlace);
const [old, patch, next] = patchPlace < 0 ? [] : rest.slice(patchPlace + 1);

async function part(name, body) {
  try {
    console.log(`${name}: ${await body()}`);
  } catch (error) {
    console.error(`${name}: ${error.stack}`);
    process.exitCode = 1;
  }
}

/** The text as JSON Lines. Numbers that `JSON.parse` would round are strings in between. */
function linesOf(text) {
  const { images, ...head } = JSON.parse(text.replace(/(?<=[[:,\s])-?[0-9]{16,}(?=[\],}\s])/g, '"@$&@"'));
  return [head, ...images].map((each) => `${JSON.stringify(each).replace(/"@(-?[0-9]+)@"/g, "$1")}\n`).join("");
}

async function* pieces(bytes, size) {
  for (let start = 0; start < bytes.length; start += size) yield bytes.slice(start, start + size);
}

function stream(bytes, size) {
  const parts = pieces(bytes, size);
  return new ReadableStream({
    async pull(controller) {
      const { value, done } = await parts.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
  });
}

function message(text, options) {
  try {
    lib.readCatalog(text, options);
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

await part("both forms", async () => {
  let count = 0;
  for (const path of paths) {
    const json = readFileSync(path, "utf8");
    const verify = /^[0-9a-f]{64}$/.test(JSON.parse(json).digest ?? "");
    const whole = lib.readCatalog(json);
    assert.equal(whole.images.length, JSON.parse(json).images.length, path);
    if (verify) assert.equal(lib.digestOf(whole), whole.digest, path);
    for (const text of [json, linesOf(json), lib.canonicalJSON(whole)]) {
      const bytes = new TextEncoder().encode(text);
      for (const size of [1, 2, 7, 100, 4096, bytes.length]) {
        const options = { verify: verify && text !== lib.canonicalJSON(whole) };
        const found = await lib.readCatalogStream(size % 2 ? pieces(bytes, size) : stream(bytes, size), options);
        assert.equal(lib.canonicalJSON(found), lib.canonicalJSON(whole), `${basename(path)} in pieces of ${size}`);
        if (text !== lib.canonicalJSON(whole)) assert.deepEqual(found, whole);
        count += 1;
      }
      let [heads, images] = [0, 0];
      for await (const image of lib.readImages(stream(bytes, 1000), { head: () => (heads += 1) })) images += image.id ? 1 : 0;
      assert.deepEqual([heads, images], [1, whole.images.length]);
    }
  }
  return `${paths.length} catalogs, read ${count} times in pieces`;
});

await part("damage", () => {
  let count = 0;
  const { digest: _, ...catalog } = lib.readCatalog(JSON.stringify(cases.catalog));
  const stated = { ...catalog, digest: lib.digestOf(catalog) };
  const text = JSON.stringify(stated);
  assert.equal(lib.readCatalog(text, { verify: true }).digest, stated.digest);
  assert.match(message(text.replace("A red bridge", "A rad bridge"), { verify: true }), /the catalog was altered: it states/);
  assert.equal(message(text.replace("A red bridge", "A rad bridge")), "no error");
  // Later members take part in the digest, in whatever order the members are.
  const later = { ...stated, later: [1], images: stated.images.map((image) => ({ ...image, later: { b: 1, a: 1.0 } })) };
  assert.match(message(JSON.stringify(later), { verify: true }), /altered/);
  const { schema, images, ...head } = stated;
  assert.match(message(JSON.stringify({ images, ...head, schema }), { verify: false }), /no error/);
  assert.match(message(JSON.stringify({ schema, images, ...head }), { verify: true }), /"generator" comes after the images/);
  const bytes = new TextEncoder().encode(text);
  for (let length = 0; length < bytes.length - 1; length += 7, count += 1) {
    assert.notEqual(message(bytes.subarray(0, length)), "no error", `${length}`);
  }
  const lines = linesOf(JSON.stringify({ ...stated, count: 8 })).trimEnd().split("\n");
  assert.match(message(lines.slice(0, 4).join("\n")), /line 4, column \d+: the catalog has 3 of its 8 images/);
  for (const stray of ",:]}") {
    const problems = [];
    lib.readCatalog(`${linesOf(text)}${stray}`, { skip: (problem) => problems.push(problem.member) });
    assert.deepEqual(problems, ["images[8]"]);
  }
  // With any bytes changed, reading ends with a catalog or a `CatalogError`; the generator is a seeded LCG.
  for (let round = 0, state = 4; round < 3000; round += 1, count += 1) {
    const copy = bytes.slice();
    for (let change = 0; change < 3; change += 1) {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
      copy[state % copy.length] = (state >>> 16) & 255;
    }
    message(copy, { skip: round % 2 ? () => undefined : undefined });
  }
  return `${count} cut or changed catalogs`;
});

const headText = '{"schema":"tessera-catalog/1","generator":{"name":"tessera","version":"0.1.0","libvips":"8.14.1"},'
  + '"pipeline":{"name":"feed","fingerprint":"00"},"slots":{"card":{"width":180,"mode":"fit"}},"scales":[1,2]';
const image = (members) => `${headText},"images":[\n{"id":"a","url":"u","status":"ok",${members}}]}`;

// The sentences of Tests/CatalogTests/ReadingTests.swift, and some more.
const sentences = [
  ["5", "line 1, column 1: expected an object; this is not a catalog"],
  ["\ufeff{}", "line 1, column 1: expected an object; this is not a catalog"],
  ["", "line 1, column 1: the catalog is cut off here"],
  ['{"schema":"tessera-catalog/2"}', 'line 1, column 11: schema: expected "tessera-catalog/1", the only version that this '
    + 'library reads, found "tessera-catalog/2"'],
  ["{}", 'line 1, column 3: the member "schema" is missing; this may not be a catalog'],
  [`${headText},"images":[\n{"id":"a"}]}`, 'line 2, column 1: images[0]: "status" is missing'],
  [`${headText},"images":[\n{"id":"a","url":"u","status":"new"}]}`, "line 2, column 30: images[0].status: expected one of "
    + '"ok", "stale", "failed", "pending", found "new"'],
  [`${headText}}\n\n{"id":"a","url":"u","status":"ok","variants":[{"width":"wide"}]}`,
    'line 3, column 56: images[0].variants[0].width: expected a whole number, found "wide"'],
  [image('"width":1.5'), "line 2, column 43: images[0].width: expected a whole number, found 1.5"],
  [image('"width":007'), "line 2, column 43: images[0].width: expected a whole number, found 007"],
  [image('"width":9223372036854775808'), "line 2, column 43: images[0].width: expected a whole number that fits, found "
    + "9223372036854775808"],
  [`${headText},"images":[\n],"x"\n :true"y"}`, 'line 3, column 7: x: expected "," or "}"'],
  [`${headText},"images":[\n{"id":"a",\n"`, "line 3, column 2: the catalog is cut off here"],
  [image('"id":"b"'), 'line 2, column 35: images[0].id: duplicate member "id"'],
  [`${headText},"images":[\n{"id":"a","later":1,"url":"u","later":2}]}`,
    'line 2, column 31: images[0].later: duplicate member "later"'],
  [`${headText},"images":[\n{"extra":{"a":[{"b":1,"b":2}]}}]}`,
    'line 2, column 23: images[0].extra.a[0].b: duplicate member "b"'],
  [`${headText},"scales":[1]}`, 'line 1, column 213: scales: duplicate member "scales"'],
  [`${headText},"images":[\n{"variants":[{"path":"p","type":"t","width":1,"height":1}]}]}`,
    'line 2, column 14: images[0].variants[0]: "bytes" is missing'],
  [`${headText},5:1}`, "line 1, column 204: expected a member's name in quotes"],
  [`${headText},"images":[]} x`, "line 1, column 217: expected nothing after the catalog"],
  // Columns are bytes.
  [image('"alt":"ä€😀","alt":1'), 'line 2, column 53: images[0].alt: duplicate member "alt"'],
  [image('"alt":"\\ud83d!"'), "line 2, column 48: images[0].alt: a surrogate without its other half"],
  [image('"alt":"\t"'), "line 2, column 42: images[0].alt: a control character in a string must be escaped, found the byte 0x9"],
  [image('"extra":{"é":1,"e\u0301":2}'), 'line 2, column 51: images[0].extra.e\u0301: duplicate member "e\u0301"'],
  [image(`"extra":${"[".repeat(1e5)}${"]".repeat(1e5)}`), /^line 2, column 107: images\[0\]\.extra(\[0\]){64}: nested more than 64/],
  [image('"extra":1e'), "line 2, column 45: images[0].extra: expected a digit in the exponent, found \"}\""],
];

await part("errors", () => {
  for (const [text, expected] of sentences) {
    if (typeof expected === "string") assert.equal(message(text), expected);
    else assert.match(message(text), expected);
  }
  const bytes = new TextEncoder().encode(image('"alt":"äx"'));
  bytes[bytes.indexOf(0xa4)] = 0x78;
  assert.equal(message(bytes), "line 2, column 41: images[0].alt: the string is not valid UTF-8");
  return `${sentences.length + 1} whole messages`;
});

await part("numbers and names", () => {
  const extra = (text) => lib.readCatalog(image(`"extra":${text}`)).images[0].extra;
  const numbers = [
    ["-0", 0], ["1E2", 100], ["0.5", 0.5], ["9007199254740991", 9007199254740991], ["9007199254740993", 9007199254740993n],
    ["-9223372036854775808", -9223372036854775808n], ["12345678901234567890", 12345678901234567890],
    ["1e400", Number.MAX_VALUE], ["-1e400", -Number.MAX_VALUE], ["1e18", 1000000000000000000n], ["1e21", 1e21],
  ];
  for (const [text, value] of numbers) assert.deepEqual(extra(text), value, text);
  const texts = [["[1.0,1e18,12345678901234567890,1e21,1e-7,-0.0]", "[1,1000000000000000000,12345678901234567000,1e+21,1e-7,0]"],
    ['{"b":1,"a":"\\u0001\\n\\u007f/\\/é","\\ud83d\\ude00":2,"\\ufb33":3}', '{"a":"\\u0001\\n\x7f//é","b":1,"😀":2,"\ufb33":3}']];
  for (const [text, canonical] of texts) {
    // With the members that the canonical form always has.
    const document = image(`"variants":[],"slots":{},"extra":${text}`);
    const catalog = lib.readCatalog(document);
    assert(lib.canonicalJSON(catalog).includes(`"extra":${canonical},`), lib.canonicalJSON(catalog));
    const stated = document.replace('"scales"', `"digest":"${lib.digestOf(catalog)}","scales"`);
    assert.equal(message(stated, { verify: true }), "no error");
  }
  const odd = extra('{"__proto__":{"x":1},"constructor":2}');
  assert.deepEqual([Object.keys(odd), odd.x, Object.getPrototypeOf(odd)], [["__proto__", "constructor"], undefined, Object.prototype]);
  const catalog = lib.readCatalog(JSON.stringify(cases.catalog));
  const index = new lib.CatalogIndex(catalog, { accepting: lib.everywhere });
  assert.equal(index.context.entry(catalog.images[0]).file("constructor", 1), undefined);
  assert.equal(index.position("__proto__"), 4);
  return `${numbers.length + texts.length} numbers and texts`;
});

await part("SHA-256", () => {
  // The digest of a catalog is that of its canonical text; lengths around a block are all met by growing one member.
  const catalog = lib.readCatalog(JSON.stringify(cases.catalog));
  for (let length = 0; length < 130; length += 1) {
    const grown = { ...catalog, baseURL: "x".repeat(length) };
    assert.equal(lib.digestOf(grown), createHash("sha256").update(lib.canonicalJSON(grown)).digest("hex"));
  }
  return "130 lengths, against Node's";
});

await drawingParts(part, lib, cases);
await atlasParts(part, lib, cases);
await updateParts(part, lib, cases);

await part("streams and patches", async () => {
  // Of a long document in pieces, an error has the place that it has in the whole; and so do strings with escapes.
  const { images, ...head } = cases.catalog;
  const many = Array.from({ length: 2000 }, (_, place) => ({ ...images[0], id: `\\"]}${place}\n`, extra: ["\\", '"}'] }));
  const list = many.map((each) => JSON.stringify(each));
  const textWith = (space) => `${JSON.stringify(head).slice(0, -1)},"images":[${[...list, "{}"].join(`,${space}`)}]}`;
  for (const space of ["\n", ""]) {
    const bytes = new TextEncoder().encode(textWith(space));
    const expected = message(bytes);
    assert.match(expected, /^line (2001, column 1|1, column [0-9]{7}): images\[2000\]: "id" is missing$/);
    for (const size of [999, 100_000]) await assert.rejects(lib.readCatalogStream(pieces(bytes, size)), { message: expected });
  }
  // An app that stops early cancels the rest.
  let wasCancelled = false;
  const parts = new ReadableStream({
    pull: (controller) => controller.enqueue(new TextEncoder().encode(textWith("").slice(0, 50_000))), cancel: () => { wasCancelled = true; },
  });
  for await (const { id } of lib.readImages(parts)) if (id) break;
  assert(wasCancelled);
  const catalog = lib.readCatalog(JSON.stringify(cases.catalog));
  const changed = { ...catalog, images: catalog.images.slice(0, 1) };
  const digests = { from: lib.digestOf(catalog), to: lib.digestOf(changed) };
  const patch = { ...digests, digest: digests.to, images: { portrait: { next: null } } };
  for (const { id } of catalog.images.slice(1)) {
    Object.defineProperty(patch.images, id, { value: null, enumerable: true });
  }
  const stated = { ...catalog, digest: digests.from };
  assert.deepEqual(lib.applyPatch(stated, patch, { verify: true }), { ...changed, digest: digests.to });
  const apply = (changes) => () => lib.applyPatch(stated, { ...patch, ...changes }, { verify: true });
  assert.throws(apply({ from: "0" }), /from: the patch is for the catalog 0…/);
  assert.throws(apply({ to: "0" }), /to: the patch leads to the catalog 0…/);
  assert.throws(apply({ baseURL: "/" }), /to: the patch leads to/);
  // Pages of a catalog.
  const page = (digit) => ({ path: `catalog/${digit.repeat(32)}.json`, count: 2, bytes: 9, digest: digit.repeat(64) });
  const pages = (...digits) => JSON.stringify(
    { schema: "tessera-catalog-pages/1", later: [{}], count: 4, digest: "f".repeat(64), pages: digits.map(page) });
  const [one, other] = [lib.readPages(pages("a", "b")), lib.readPages(pages("c", "a"))];
  assert.deepEqual(one, { count: 4, digest: "f".repeat(64), pages: [page("a"), page("b")] });
  assert.deepEqual(lib.newPages(other, one), [page("c")]);
  assert.throws(() => lib.readPages(pages("a").replace("catalog/aa", "../aa")), { member: "pages[0]", line: 1, column: 145 });
  assert.throws(() => lib.readPages("{}"), { reason: 'expected "tessera-catalog-pages/1" with count, digest and pages' });
  // A BlurHash whose digits are out of range.
  for (const hash of ["L~~~~~", "LEHV6n~~yk8pyo0adR*.7kCMdnjx", "LEHV6n~~2yk8pyo0adR*.7kCMdnj"]) {
    assert.equal(lib.decodeBlurHash(hash, 4, 3), undefined, hash);
  }
  assert.notEqual(lib.decodeBlurHash(cases.blurhashes[0].hash, 4, 3), undefined);
  return "places, cancelling, digests of patches";
});

if (old !== undefined) {
  await part("a patch of tessera diff", () => {
    const [before, changes, after] = [old, patch, next].map((path) => readFileSync(path));
    for (const parsed of [lib.readPatch(changes), JSON.parse(changes)]) {
      const made = lib.applyPatch(lib.readCatalog(before, { verify: true }), parsed, { verify: true });
      assert.deepEqual(made, lib.readCatalog(after, { verify: true }));
    }
    const other = { ...lib.readCatalog(after), images: [] };
    assert.throws(() => lib.applyPatch(other, lib.readPatch(changes)), /^CatalogError: line 1, column 1: from: the patch is for the catalog/);
    const wrong = { ...lib.readPatch(changes), to: "0".repeat(64) };
    assert.throws(() => lib.applyPatch(lib.readCatalog(before), wrong), /to: the patch leads to the catalog 000000000000…/);
    return `leads to the new catalog, ${changes.length} bytes`;
  });
}
