// What an app draws: placeholders, markup, the style sheet. node.mjs calls it.
import assert from "node:assert/strict";
import { documentOf } from "./documents.mjs";

export async function drawingParts(part, lib, cases) {
  const open = (head = {}, options = {}) =>
    new lib.CatalogIndex(documentOf({ ...cases.catalog, ...head }), { accepting: new Set(["image/webp", "image/jpeg", "image/png"]), ...options });
  const index = open();
  const seen = (id, changes = {}) => new lib.CatalogEntry(index, { ...index.image(id).image, ...changes });
  /** The URL of a file, as the catalog's format makes it. */
  const url = (id, size, extension) => {
    const { source, variants } = index.image(id).image;
    const { crop } = variants.find(({ width, height }) => `${width}x${height}` === size);
    const { recipe } = cases.catalog.formats.find((format) => format.extension === extension);
    return `https://cdn.example.com/feed/variants/${source.slice(0, 2)}/${source.slice(2, 4)}/${[source, size, ...(crop ? [crop] : []), recipe].join("-")}.${extension}`;
  };
  const [c, e, f] = ["192x256", "384x512", "768x1024"].map((size) => url("portrait", size, "webp"));
  const [jpeg, large] = ["192x256", "768x1024"].map((size) => url("portrait", size, "jpg"));

  await part("placeholders", () => {
    const placeholders = [{ thumbhash: cases.thumbhashes[0].hash }, { thumbhash: "X5qGNQw7oElslqhGWfSE+Q6oJ1h2iHB2Rw==" }, { color: "#a1b2c3" }];
    for (const placeholder of placeholders) {
      const { width, height, samples } = lib.placeholderPixels(placeholder, 100);
      const file = Buffer.from(lib.placeholderURL(placeholder, 100).split(",")[1], "base64");
      assert.deepEqual([file.toString("latin1", 0, 2), file.readUInt32LE(2), file.readInt32LE(18), file.readInt32LE(22)], ["BM", file.length, width, -height]);
      assert.deepEqual(file.subarray(file.readUInt32LE(10)), Buffer.from(samples));
    }
    assert.equal(lib.placeholderURL({ color: "red" }), undefined);
    return `${placeholders.length} as BMP; ${lib.placeholderURL(placeholders[0]).length} characters`;
  });

  await part("markup", () => {
    // `e` has no JPEG, so the files are not of one type, and only WebP has all scales.
    assert.equal(lib.picture(seen("portrait"), "card"),
      `<picture><source type="image/webp" srcset="${c} 1x, ${e} 2x, ${f} 3x"><img width="180" height="240" alt="A red bridge" `
      + `loading="lazy" decoding="async" class="tessera tessera-x50 tessera-y30 tessera-color tessera-r9 tessera-ga tessera-bb `
      + `tessera-blur tessera-0b tessera-15 tessera-28 tessera-31 tessera-4a tessera-5a" `
      + `srcset="${jpeg} 1x, ${e} 2x, ${large} 3x" src="${jpeg}"></picture>`);
    const first = lib.pictureParts(seen("portrait"), "cover", { priority: true, className: "big", alt: "x" });
    assert.deepEqual(first, {
      sources: [{ type: "image/webp", srcset: `${c} 2x, ${e} 3x` }],
      img: { width: 90, height: 60, alt: "x", loading: "eager", decoding: "async", fetchpriority: "high", class: "tessera tessera-x50 tessera-y30 big",
        srcset: `${jpeg} 2x, ${e} 3x`, src: jpeg } });
    // `src` comes last.
    assert.equal(Object.keys(first.img).at(-1), "src");
    // Files of high dynamic range come first, if each size has one.
    const high = (count) => seen("portrait", { variants: seen("portrait").image.variants.map((variant, place) => (
      { ...variant, highDynamicRange: place < count ? { path: `${variant.width}.jpg`, type: "image/jpeg", bytes: 1 } : undefined })) });
    assert.deepEqual(lib.pictureParts(high(5), "card").sources[0], {
      media: "(dynamic-range: high)", type: "image/jpeg",
      srcset: [192, 384, 768].map((width, place) => `https://cdn.example.com/feed/${width}.jpg ${place + 1}x`).join(", ") });
    assert.equal(lib.pictureParts(high(5), "cover", { sizes: "9vw" }).sources[0].sizes, "auto, 9vw");
    assert(lib.pictureParts(high(4), "card").sources.every(({ media }) => media === undefined));
    // Fluid.
    const fluid = lib.pictureParts(seen("portrait"), "cover", { sizes: "50vw" });
    assert.equal(fluid.img.class, "tessera tessera-fluid tessera-90x60 tessera-x50 tessera-y30");
    assert.deepEqual(fluid.sources, [{ type: "image/webp", srcset: `${c} 192w, ${e} 384w, ${f} 768w`, sizes: "auto, 50vw" }]);
    const ofSlot = (slot, options) => lib.pictureParts(seen("portrait"), slot, { sizes: "slot", ...options }).img.sizes;
    assert.equal(ofSlot("card"), "auto, (max-width: 180px) 100vw, 180px");
    assert.equal(ofSlot("card", { priority: true }), "(max-width: 180px) 100vw, 180px");
    assert.equal(lib.pictureParts(seen("portrait"), "card", { sizes: "auto, 9vw" }).img.sizes, "auto, 9vw");
    // Of an image beyond the bounds of its slot a part is shown: the files of the slot, also where it is fluid.
    const bounded = lib.pictureParts(seen("line"), "card", { sizes: "slot" });
    assert.deepEqual([bounded.img.width, bounded.img.height, bounded.img.srcset], [180, 360, `${url("line", "1x2", "webp")} 1w`]);
    const cropped = lib.pictureParts(seen("portrait"), "avatar", { sizes: "10vw" });
    assert.equal(cropped.img.srcset, `${url("portrait", "64x64", "webp")} 64w, ${url("portrait", "128x128", "webp")} 128w`);
    assert(lib.picture(seen("portrait"), "card", { alt: '"<&>\0\r' }).includes('alt="&#34;&#60;&#38;&#62;\ufffd&#13;"'));
    // No colour behind an image with alpha; an image without files has no element.
    assert(!lib.picture(seen("wide"), "card").includes("tessera-color"));
    assert.deepEqual(["gone", "known", "lost"].map((id) => lib.picture(seen(id), "card")), ["", "", ""]);
    assert.equal(lib.picture(seen("portrait"), "x"), "");
    // A landscape that covers a slot is wider than it: a file of 300 pixels shows three quarters of its width.
    const landscape = seen("wide", { slots: { cover: { width: 90, height: 60, image: { width: 120, height: 60 }, variants: [0, 1, 1] } } });
    assert.match(lib.pictureParts(landscape, "cover", { sizes: "9vw" }).img.srcset, /webp 112w, .*png 225w$/);
    // A service's URLs are not changed.
    const [little, middle, most] = seen("served").image.variants.map(({ files }) => files[0].url);
    const own = url("served", "1200x900", "jpg");
    assert.equal(lib.picture(seen("served"), "card"),
      `<picture><source type="image/webp" srcset="${middle} 1x, ${most} 2x, ${own} 3x"><source type="image/avif" srcset="`
      + `https://img.example.com/300.avif 1x, ${most} 2x, ${own} 3x"><img width="180" height="135" alt="" loading="lazy" decoding="async" class="tessera" srcset="`
      + `${url("served", "300x225", "jpg")} 1x, ${most} 2x, ${own} 3x" src="${url("served", "300x225", "jpg")}"></picture>`);
    assert(lib.picture(seen("served"), "cover").includes(`srcset="${little.replace("&", "&#38;")} 2x`));
    const commas = seen("served", { variants: seen("served").image.variants.map((each) => ({ ...each, files: [{ url: "https://a/b,c,,", type: "image/webp" }] })) });
    assert.match(lib.pictureParts(commas, "card").img.srcset, /https:\/\/a\/b,c%2C%2C 2x/);
    // A 3x screen takes the file of scale 3, and a 2x screen that of scale 2, also if it serves scale 1.
    const twice = seen("portrait", { slots: { card: { width: 180, height: 240, variants: [2, 2, 4] } } });
    assert.equal(lib.pictureParts(twice, "card").sources[0].srcset, `${c} 2x, ${f} 3x`);
    return "pictures";
  });

  await part("motion", () => {
    const [moving, avif, still] = ["webp", "avif", "jpg"].map((extension) => ["180x135", "360x270"].map((size, place) => `${url("dance", size, extension)} ${[1, 2][place]}x`).join(", "));
    const media = "(prefers-reduced-motion: reduce)";
    const parts = lib.pictureParts(seen("dance"), "card");
    assert.deepEqual(parts.sources, [
      { media, type: "image/avif", srcset: avif }, { media, type: "image/jpeg", srcset: still },
      { type: "image/webp", srcset: moving }, { type: "image/avif", srcset: avif }]);
    assert.equal(parts.img.srcset, still);
    // In a small slot it is a still.
    const small = lib.pictureParts(seen("dance"), "avatar");
    assert.deepEqual(small.sources.map(({ media, type }) => [media, type]), [[undefined, "image/avif"]]);
    assert(small.img.src.endsWith(".jpg") && !JSON.stringify(small).includes("webp"));
    // There is no still.
    assert.deepEqual(lib.pictureParts(seen("spin"), "avatar").sources.map(({ type }) => type), ["image/webp"]);
    return "stills first for who asks for less motion, and alone in a small slot";
  });

  await part("style sheet", () => {
    const sheet = lib.stylesheet(index);
    assert(sheet.includes(`\n${cases.blurRule}\n`));
    for (const rule of [".tessera-90x60{aspect-ratio:90/60}", ".tessera-x16{--tessera-x:16%}", ".tessera-r9{--tessera-r:153}", ".tessera-5a{--tessera-n5:10}"]) {
      assert(sheet.includes(`\n${rule}\n`), rule);
    }
    // Each class of a picture has a rule.
    for (const entry of index.images) {
      for (const slot of Object.keys(cases.catalog.slots)) {
        const classes = /class="([^"]*)"/.exec(lib.picture(entry, slot, { sizes: "9vw" }))?.[1].split(" ") ?? [];
        for (const each of classes) assert(`\n${lib.stylesheet(index, [entry])}`.includes(`\n.${each}{`), each);
      }
    }
    const images = Array.from({ length: 2000 }, (_, place) => ({
      ...cases.catalog.images[0], id: `${place}`, placeholder: { color: `#${(place * 7919).toString(16).padStart(6, "0")}`, css: place }, focus: [place / 2000, place / 2000] }));
    const many = open({ images });
    assert.equal(lib.stylesheet(many, many.images).length, sheet.length);
    return `${sheet.length} bytes, however many images`;
  });
}
