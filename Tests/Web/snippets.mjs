// Runs the snippets for React and Eleventy in Pipelines/APPS.md, with stand-ins for both.
//
//   node snippets.mjs LIBRARY CASES REACT ELEVENTY
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { documentOf } from "./documents.mjs";

const [library, cases, react, eleventy] = process.argv.slice(2);
const lib = await import(library);
const text = documentOf(JSON.parse(readFileSync(cases, "utf8")).catalog);
const index = new lib.CatalogIndex(text, { accepting: lib.everywhere, from: "/feed/catalog.json" });

globalThis.React = { createElement: (type, attributes, ...children) => ({ type, attributes, children: children.flat() }) };
const { CatalogImage } = await import(react);
const element = CatalogImage({ index, id: "portrait", place: "card" });
const parts = lib.pictureParts(index.image("portrait"), "card");
const { class: className, srcset: srcSet, ...img } = parts.img;
assert.equal(element.type, "picture");
assert.deepEqual(element.children[1].attributes, { ...img, className, srcSet });
assert.deepEqual(element.children[0].attributes, { key: 0, type: "image/webp", srcSet: parts.sources[0].srcset });
// `src` comes last.
assert.equal(Object.keys(element.children[1].attributes).at(-1), "src");
assert.equal(CatalogImage({ index, id: "gone", place: "card" }), null);

mkdirSync("feed");
writeFileSync("feed/catalog.json", text);
const shortcodes = {};
(await import(eleventy)).default({ addShortcode: (name, body) => (shortcodes[name] = body) });
assert.equal(shortcodes.image("portrait", "card"), lib.picture(index.image("portrait"), "card"));
assert.throws(() => shortcodes.image("nobody", "card"), /has no image "nobody"/);
assert.equal(shortcodes.tesseraStyles(), lib.stylesheet(index));
