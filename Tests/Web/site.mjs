// Writes what the browser test serves beside the package: a large catalog with the changes to another one, a page of
// `picture` elements with its style sheet, for a policy that forbids inline styles, and a catalog whose files the server
// delays or rejects.
//
//   node site.mjs LIBRARY CASES FOLDER
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
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

const index = new lib.CatalogIndex(documentOf({ ...written, baseURL: "/" }), { accepting: lib.everywhere });
writeFileSync(`${folder}/tessera.css`, lib.stylesheet(index));
const pictures = [["portrait", "card"], ["portrait", "cover"], ["portrait", "cover", { sizes: "300px" }], ["wide", "card"]].map(([id, slot, options]) =>
  lib.picture(index.image(id), slot, { priority: true, ...options }));
writeFileSync(`${folder}/strict.html`, `<!doctype html><meta charset="utf-8"><title>Strict</title>
<link rel="stylesheet" href="tessera.css"><link rel="stylesheet" href="page.css">
<div class="column">${pictures.join("<br>\n")}</div>`);
writeFileSync(`${folder}/page.css`, "body{margin:0}.column{width:300px}");

// The first two digits of a source say what the server does: 0f rejects each request, 02 the first two, 0d delays.
const image = (id, digits, place, more = {}) => ({
  ...written.images[0], id, source: digits + String(place).padStart(30, "0"), focus: undefined, ...more });
const all = (digits, count) => Array.from({ length: count }, (_, place) => image(`${digits}-${place}`, digits, place));
const images = [
  ...all("00", 30), ...all("0d", 30), ...all("0f", 6), ...all("02", 3),
  { ...written.images.find(({ id }) => id === "dance"), id: "dance" }, ...written.images.filter(({ status }) => status === "failed")];
mkdirSync(`${folder}/states`);
writeFileSync(`${folder}/states/catalog.json`, documentOf({ ...written, baseURL: undefined, images }, sha256));
