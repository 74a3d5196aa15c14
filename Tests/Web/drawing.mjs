// What an app draws: placeholders as PNG, markup, lists of files. node.mjs calls it.
import assert from "node:assert/strict";
import { inflateSync } from "node:zlib";
import { documentOf } from "./documents.mjs";

export async function drawingParts(part, lib, cases) {
  await part("placeholders", () => {
    let count = 0;
    const hashes = [["thumbhash", cases.thumbhashes[0].hash], ["thumbhash", "1QcSHQRnh493V4dIh4eXh1h4kJUI"],
      ["thumbhash", "X5qGNQw7oElslqhGWfSE+Q6oJ1h2iHB2Rw=="], ["blurhash", cases.blurhashes[0].hash], ["color", "#a1b2c3"]];
    for (const [kind, data] of hashes) {
      const pixels = lib.pixelsOf({ kind, data }, { width: 150, height: 150 });
      const file = Buffer.from(lib.pngURL(pixels).split(",")[1], "base64");
      assert.deepEqual([file.readUInt32BE(16), file.readUInt32BE(20)], [pixels.width, pixels.height]);
      const channels = file[25] === 6 ? 4 : 3;
      const end = file.indexOf("IEND") - 8;
      const rows = inflateSync(file.subarray(41, end));
      assert.equal(rows.length, pixels.height * (1 + pixels.width * channels));
      for (let pixel = 0; pixel < pixels.width * pixels.height; pixel += 1, count += 1) {
        const place = pixel * channels + Math.floor(pixel / pixels.width) + 1;
        assert.deepEqual([...rows.subarray(place, place + 3)], [...pixels.samples.subarray(pixel * 4, pixel * 4 + 3)]);
      }
    }
    assert.equal(lib.placeholderURL({ lqip: "javascript:alert(1)", color: "#010203" }).slice(0, 22), "data:image/png;base64,");
    assert.equal(lib.placeholderURL({ lqip: "data:image/webp;base64,AA==" }), "data:image/webp;base64,AA==");
    assert.equal(lib.placeholderURL({ color: "red" }), undefined);
    return `${hashes.length} as PNG, ${count} pixels`;
  });

  await part("markup", () => {
    const catalog = lib.readCatalog(documentOf(cases.catalog));
    const images = [...catalog.images];
    const [portrait, wide, gone, known, , served] = images;
    const accepting = new Set(["image/webp", "image/jpeg", "image/png"]);
    const seen = (image, head = catalog, from = undefined) => new lib.CatalogContext(head, { accepting, from }).entry(image);
    /** The URL of a file, as the catalog's format makes it. */
    const path = ({ source, variants }, size, extension) => {
      const { crop } = variants.find(({ width, height }) => `${width}x${height}` === size);
      const { recipe } = catalog.formats.find((format) => format.extension === extension);
      const name = [source, size, ...(crop ? [crop] : []), recipe].join("-");
      return `https://cdn.example.com/feed/variants/${source.slice(0, 2)}/${source.slice(2, 4)}/${name}.${extension}`;
    };
    const [c, e, f] = ["192x256", "384x512", "768x1024"].map((size) => path(portrait, size, "webp"));
    const [jpeg, large] = ["192x256", "768x1024"].map((size) => path(portrait, size, "jpg"));
    // `ee` has no JPEG, so the files are not of one type, and only WebP has all scales.
    assert.equal(lib.picture(seen(portrait), "card"),
      `<picture><source type="image/webp" srcset="${c} 1x, ${e} 2x, ${f} 3x"><img width="180" height="240" alt="A red bridge" `
      + `loading="lazy" decoding="async" class="tessera-a1b2c3 tessera-blur tessera-b11895210" `
      + `srcset="${jpeg} 1x, ${e} 2x, ${large} 3x" src="${jpeg}"></picture>`);
    assert.equal(lib.picture(seen(portrait), "cover", { style: "inline", loading: "eager", fetchpriority: "high" })
      .replace(/base64,[A-Za-z0-9+/=]+/, "base64,…"),
      `<picture><source type="image/webp" srcset="${c} 2x, ${e} 3x"><img width="90" height="60" alt="A red bridge" `
      + 'loading="eager" decoding="async" fetchpriority="high" '
      + 'style="object-fit:cover;object-position:50% 30%;background-color:#a1b2c3;'
      + 'background-image:url(data:image/png;base64,…);background-size:cover" '
      + `srcset="${jpeg} 2x, ${e} 3x" src="${jpeg}"></picture>`);
    // Files of high dynamic range come first, if each size has one.
    const high = structuredClone(portrait);
    for (const variant of high.variants) variant.highDynamicRange = { path: `${variant.width}.jpg`, type: "image/jpeg", bytes: 1 };
    assert.deepEqual(lib.pictureParts(seen(high), "card").sources[0], {
      media: "(dynamic-range: high)", type: "image/jpeg",
      srcset: [192, 384, 768].map((width, place) => `https://cdn.example.com/feed/${width}.jpg ${place + 1}x`).join(", "),
    });
    assert(lib.picture(seen(high), "card").startsWith('<picture><source media="(dynamic-range: high)" type="image/jpeg" srcset="'));
    assert.equal(lib.pictureParts(seen(high), "cover", { sizes: "9vw" }).sources[0].sizes, "auto, 9vw");
    high.variants[3].highDynamicRange = undefined;
    assert(lib.pictureParts(seen(high), "card").sources.every(({ media }) => media === undefined));
    const fluid = lib.pictureParts(seen(portrait), "cover", { sizes: "50vw", className: "big", alt: '"<&>' });
    assert.equal(fluid.img.class, "tessera-fluid tessera-fill tessera-90x60 tessera-y3 tessera-a1b2c3 tessera-blur tessera-b11895210 big");
    assert.equal(fluid.sources[0].srcset, `${c} 192w, ${e} 384w, ${f} 768w`);
    assert.equal(fluid.sources[0].sizes, "auto, 50vw");
    const ofSlot = (slot, options) => lib.pictureParts(seen(portrait), slot, { sizes: "slot", ...options }).img.sizes;
    assert.equal(ofSlot("card"), "auto, (max-width: 180px) 100vw, 180px");
    assert.equal(ofSlot("card", { loading: "eager" }), "(max-width: 180px) 100vw, 180px");
    assert.equal(lib.pictureParts(seen(portrait), "card", { sizes: "auto, 9vw" }).img.sizes, "auto, 9vw");
    // Of an image beyond the bounds of its slot a part is shown: the files of the slot, also where it is fluid.
    const line = images.find(({ id }) => id === "line");
    const bounded = lib.pictureParts(seen(line), "card", { sizes: "slot" });
    assert.deepEqual([bounded.img.width, bounded.img.height, bounded.img.srcset], [180, 360, `${path(line, "1x2", "webp")} 1w`]);
    // The image that is seen first, and who asks for less data.
    const first = lib.pictureParts(seen(portrait), "card", { priority: true, reducedData: true });
    assert.deepEqual([first.img.loading, first.img.fetchpriority], ["eager", "high"]);
    assert.deepEqual(first.sources.slice(0, 3), [
      { media: "(prefers-reduced-data: reduce)", type: "image/webp", srcset: c },
      { media: "(prefers-reduced-data: reduce)", type: "image/jpeg", srcset: jpeg },
      { type: "image/webp", srcset: `${c} 1x, ${e} 2x, ${f} 3x` }]);
    assert.equal(lib.preload(seen(portrait), "card"),
      `<link rel="preload" as="image" type="image/webp" imagesrcset="${c} 1x, ${e} 2x, ${f} 3x" fetchpriority="high">`);
    assert.equal(lib.preload(seen(line), "card", { sizes: "slot" }), `<link rel="preload" as="image" type="image/webp" `
      + `imagesrcset="${path(line, "1x2", "webp")} 1w" imagesizes="(max-width: 180px) 100vw, 180px" fetchpriority="high">`);
    assert.equal(lib.preload(seen(gone), "card"), "");
    assert(lib.picture(seen(portrait), "card", { alt: '"<&>\0\r' }).includes('alt="&quot;&lt;&amp;&gt;\ufffd&#13;"'));
    const cropped = lib.pictureParts(seen(portrait), "avatar", { sizes: "10vw" });
    assert.equal(cropped.img.srcset, `${path(portrait, "64x64", "webp")} 64w, ${path(portrait, "128x128", "webp")} 128w`);
    // No colour behind an image with alpha; an image without files has no element.
    assert.equal(lib.pictureParts(seen(wide), "card").img.class, undefined);
    assert.equal(lib.picture(seen(gone), "card") + lib.picture(seen(known), "card") + lib.picture(seen(portrait), "x"), "");
    // A landscape that covers a slot is wider than it: a file of 300 pixels shows three quarters of its width.
    const landscape = { ...wide, slots: { cover: { width: 90, height: 60, image: { width: 120, height: 60 }, variants: [0, 1, 1] } }, width: 200, height: 100,
      variants: [{ ...wide.variants[0], width: 150, height: 75 }, { ...wide.variants[1], width: 300, height: 150 }] };
    assert.match(lib.pictureParts(seen(landscape), "cover", { sizes: "9vw" }).img.srcset, /webp 112w, .*png 225w$/);
    const comma = { ...catalog, baseURL: "https://example.com/a, b/" };
    assert(lib.picture(seen(wide, comma), "card").includes('srcset="https://example.com/a,%20b/variants/'));
    const [little, middle, most] = served.variants.map(({ files }) => files[0].url);
    const own = path(served, "1200x900", "jpg");
    // A service's URLs are not changed, whatever `from` is.
    assert.equal(lib.picture(seen(served, catalog, "/feed/"), "card"),
      `<picture><source type="image/webp" srcset="${middle} 1x, ${most} 2x, ${own} 3x"><source type="image/avif" srcset="`
      + `https://img.example.com/300.avif 1x, ${most} 2x, ${own} 3x"><img width="180" height="135" alt="" loading="lazy" decoding="async" srcset="`
      + `${path(served, "300x225", "jpg")} 1x, ${most} 2x, ${own} 3x" src="${path(served, "300x225", "jpg")}"></picture>`);
    const covered = lib.pictureParts(seen(served), "cover");
    assert.equal(covered.sources[0].srcset, `${little} 2x, ${middle} 3x`);
    assert(lib.picture(seen(served), "cover").includes(`srcset="${little.replace("&", "&amp;")} 2x`));
    const commas = { ...served, variants: served.variants.map((each) => ({ ...each, files: [{ url: "https://a/b,c,,", type: "image/webp" }] })) };
    assert.match(lib.pictureParts(seen(commas), "card").img.srcset, /https:\/\/a\/b,c%2C%2C 2x/);
    const sheet = lib.stylesheet(catalog);
    assert(sheet.includes(`\n${cases.blurRule}\n`));
    assert(sheet.includes(".tessera-90x60{aspect-ratio:90/60}\n") && sheet.includes(".tessera-b11895210{--tessera:11895210}\n") && sheet.includes(".tessera-a1b2c3{background-color:#a1b2c3}\n"));
    const every = new lib.CatalogIndex(catalog, { accepting: new Set(lib.typesOf(catalog)) });
    // A service's source comes after all formats.
    const source = { ...served, variants: [{ width: 9, height: 9, files: [...served.variants[0].files, { url: "https://a/o.gif", type: "image/gif" }] }],
      slots: { card: { width: 9, height: 9, variants: [0, 0, 0] } } };
    assert.deepEqual(lib.pictureParts(seen(source), "card").sources.map(({ type }) => type), ["image/webp", "image/jpeg"]);
    assert.equal(lib.pictureParts(seen(source), "card").img.src, "https://a/o.gif");
    const all = lib.precacheList(every, { slots: ["card", "cover"], scale: 2 });
    const [thin, thicker] = [path(line, "1x2", "webp"), path(images.find(({ id }) => id === "ribbon"), "17x34", "webp")];
    assert.deepEqual(all, [e, c, path(wide, "300x200", "png"), most, little, thin, thicker].map((url) => ({ url, revision: null })));
    // The fourth file is estimated to have 67,500 bytes, and the fifth 4,265.
    for (const [maximumBytes, count] of [[250_000, 2], [373_259, 3], [373_260, 4], [377_524, 4], [377_525, 5]]) {
      assert.equal(lib.precacheList(every, { slots: ["card", "cover"], scale: 2, maximumBytes }).length, count);
    }
    const jpegs = new lib.CatalogIndex(catalog, { accepting: new Set(["image/jpeg"]), from: "/feed/" });
    assert.deepEqual(lib.precacheList(jpegs, { slots: ["card"] }).map(({ url }) => url), [jpeg, path(served, "300x225", "jpg")]);
    assert.deepEqual([...lib.systemTypes("iOS", 16)].slice(3), ["image/heic", "image/webp", "image/avif"]);
    return "pictures, style sheet, precache list";
  });
}
