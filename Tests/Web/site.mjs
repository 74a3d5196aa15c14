// Writes what the browser test serves beside the package: a catalog with its digest as JSON Lines, and a page of
// `picture` elements with its style sheet, for a policy that forbids inline styles.
//
//   node site.mjs LIBRARY CASES FOLDER
import { readFileSync, writeFileSync } from "node:fs";

const [library, casesPath, folder] = process.argv.slice(2);
const lib = await import(library);
const { catalog: written } = JSON.parse(readFileSync(casesPath, "utf8"));
const catalog = { ...lib.readCatalog(JSON.stringify(written)), baseURL: "/" };
const { images, ...head } = lib.readCatalog(JSON.stringify(written));
const lines = [{ ...head, digest: lib.digestOf({ ...head, images }), count: images.length }, ...images];
writeFileSync(`${folder}/catalog.jsonl`, lines.map((each) => `${JSON.stringify(each)}\n`).join(""));
const many = Array.from({ length: 20_000 }, (_, place) => ({ ...images[place % 2], id: `image-${place}` }));
const from = lib.digestOf({ ...head, images: many });
writeFileSync(`${folder}/many.json`, JSON.stringify({ ...head, digest: from, images: many }));
// A patch whose result is another one than it states.
writeFileSync(`${folder}/from-${from}.json`, JSON.stringify({ from, to: "0", digest: "0", images: { "image-0": { alt: "x" } } }));
const context = new lib.CatalogContext(catalog, { accepting: lib.everywhere });
writeFileSync(`${folder}/tessera.css`, lib.stylesheet(catalog));

const pictures = [
  lib.picture(context.entry(images[0]), "card", { loading: "eager" }),
  lib.picture(context.entry(images[0]), "cover", { loading: "eager" }),
  lib.picture(context.entry(images[0]), "cover", { loading: "eager", sizes: "300px" }),
  lib.picture(context.entry(images[1]), "card", { loading: "eager" }),
];
writeFileSync(`${folder}/strict.html`, `<!doctype html><meta charset="utf-8"><title>Strict</title>
<link rel="stylesheet" href="tessera.css"><link rel="stylesheet" href="page.css">
<div class="column">${pictures.join("<br>\n")}</div>`);
writeFileSync(`${folder}/page.css`, "body{margin:0}.column{width:300px}");
