// Writes what the browser test serves beside the package: a large catalog with the changes to another one, and a page of
// `picture` elements with its style sheet, for a policy that forbids inline styles.
//
//   node site.mjs LIBRARY CASES FOLDER
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { changesOf, documentOf } from "./documents.mjs";

const [library, casesPath, folder] = process.argv.slice(2);
const lib = await import(library);
const { catalog: written } = JSON.parse(readFileSync(casesPath, "utf8"));
const sha256 = (text) => createHash("sha256").update(text).digest("hex");
const many = Array.from({ length: 20_000 }, (_, place) => ({ ...written.images[place % 2], id: `image-${place}` }));
const old = documentOf({ ...written, images: many }, sha256);
const next = documentOf({ ...written, images: many.map((image, place) => (place === 7 ? { ...image, alt: "x" } : image)) }, sha256);
writeFileSync(`${folder}/many.json`, old);
writeFileSync(`${folder}/from-${old.slice(11, 75)}.json`, changesOf(old, next));
const catalog = lib.readCatalog(documentOf({ ...written, baseURL: "/" }));
const images = [...catalog.images];
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
