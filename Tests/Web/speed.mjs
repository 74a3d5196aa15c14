// Times and peak memory with a catalog of 50,000 images, copies of two of the shared cases. Each part is a process of its
// own, so that its memory is its own.
//
//   node speed.mjs LIBRARY CASES FOLDER
import { createHash } from "node:crypto";
import { execFileSync } from "node:child_process";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { changesOf, documentOf } from "./documents.mjs";

const [library, cases, folder, part] = process.argv.slice(2);
const lib = await import(library);
const [file, changesFile] = [`${folder}/catalog.json`, `${folder}/changes.json`];
const count = 50_000;

function write() {
  const { catalog } = JSON.parse(readFileSync(cases, "utf8"));
  const sha256 = (text) => createHash("sha256").update(text).digest("hex");
  const images = Array.from({ length: count }, (_, place) => ({ ...catalog.images[place % 2], id: `image-${place}` }));
  const old = documentOf({ ...catalog, images }, sha256);
  // Of a hundred images one is changed.
  for (let place = 100; place < count; place += 100) images[place].alt = "Another text";
  writeFileSync(file, old);
  writeFileSync(changesFile, changesOf(old, documentOf({ ...catalog, images }, sha256)));
}

const timed = async (body) => {
  const start = performance.now();
  await body();
  return `${((performance.now() - start) / 1000).toFixed(2)} s`;
};

const options = { accepting: new Set(["image/webp"]) };
const open = () => new lib.CatalogIndex(readFileSync(file), options);
const parts = {
  "JSON.parse, for comparison": () => timed(() => JSON.parse(readFileSync(file, "utf8"))),
  "opened": () => timed(open),
  "opened and verified": () => timed(() => lib.verified(open())),
  "all images": () => timed(() => {
    for (const image of open().images) void image;
  }),
  "changes of 500 images": () => {
    const index = open();
    return timed(() => lib.applyChanges(index, readFileSync(changesFile)));
  },
  "100,000 look-ups": () => {
    const index = open();
    return timed(() => {
      for (let place = 0; place < 1e5; place += 1) index.image(`image-${(place * 7919) % count}`)?.file("card", (place % 3) + 1);
    });
  },
};

if (part === undefined) {
  write();
  console.log(`${count} images, ${(statSync(file).size / 1e6).toFixed(0)} MB`);
  for (const name of Object.keys(parts)) {
    process.stdout.write(execFileSync(process.execPath, [process.argv[1], library, cases, folder, name]));
  }
} else {
  const time = await parts[part]();
  console.log(`| ${part} | ${time} | ${(process.resourceUsage().maxRSS / 1000).toFixed(0)} MB |`);
}
