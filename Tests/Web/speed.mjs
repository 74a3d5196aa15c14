// Times and peak memory with a catalog of 50,000 images, copies of two of the shared cases. Each part is a process of its
// own, so that its memory is its own.
//
//   node speed.mjs LIBRARY CASES FOLDER
import { execFileSync } from "node:child_process";
import { createReadStream, readFileSync, statSync, writeFileSync } from "node:fs";

const [library, cases, folder, part] = process.argv.slice(2);
const lib = await import(library);
const [file, patchFile] = [`${folder}/catalog.json`, `${folder}/patch.json`];
const count = 50_000;

function write() {
  const { catalog } = JSON.parse(readFileSync(cases, "utf8"));
  const usual = catalog.images.slice(0, 2);
  const images = Array.from({ length: count }, (_, place) => ({ ...usual[place % usual.length], id: `image-${place}` }));
  const { images: _, ...head } = catalog;
  const digest = lib.digestOf({ ...catalog, images });
  const text = JSON.stringify({ ...head, count, digest, images: [] }).slice(0, -2);
  writeFileSync(file, `${text}\n${images.map((image) => JSON.stringify(image)).join(",\n")}\n]}\n`);
  // Of a hundred images one is changed, and one of 500 is removed.
  const changes = {};
  for (let place = 100; place < count; place += 100) {
    changes[`image-${place}`] = place % 500 === 0 ? null : { alt: "Another text" };
    if (place % 500 === 0) changes[`image-${place - 1}`] = { next: `image-${place + 1}` };
  }
  const left = count - Object.values(changes).filter((each) => each === null).length;
  writeFileSync(patchFile, JSON.stringify({ from: digest, count: left, digest: null, images: changes }));
}

const timed = async (body) => {
  const start = performance.now();
  await body();
  return `${((performance.now() - start) / 1000).toFixed(2)} s`;
};

const parts = {
  "JSON.parse, for comparison": () => timed(() => JSON.parse(readFileSync(file, "utf8"))),
  "readCatalog": () => timed(() => lib.readCatalog(readFileSync(file))),
  "readCatalog with verify": () => timed(() => lib.readCatalog(readFileSync(file), { verify: true })),
  "readImages, one at a time": () => timed(async () => {
    for await (const image of lib.readImages(createReadStream(file))) void image;
  }),
  "readImages with verify": () => timed(async () => {
    for await (const image of lib.readImages(createReadStream(file), { verify: true })) void image;
  }),
  "a patch of 500 images": () => {
    const catalog = lib.readCatalog(readFileSync(file));
    return timed(() => lib.applyPatch(catalog, lib.readPatch(readFileSync(patchFile))));
  },
  "an index, and 1,000,000 lookups": () => {
    const catalog = lib.readCatalog(readFileSync(file));
    return timed(() => {
      const index = new lib.CatalogIndex(catalog, { accepting: new Set(["image/webp"]) });
      for (let place = 0; place < 1e6; place += 1) index.get(`image-${(place * 7919) % count}`)?.file("card", (place % 3) + 1);
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
