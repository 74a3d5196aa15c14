// Images drawn from an atlas. node.mjs calls it.
import assert from "node:assert/strict";
import { documentOf } from "./documents.mjs";

export async function atlasParts(part, lib, cases) {
  await part("atlases", () => {
    const name = (digit) => `tables/${digit.repeat(2)}/${digit.repeat(32)}`;
    const file = (digit, prefix) => ({
      path: `${name(digit)}-256x128.webp`, prefix, width: 256, height: 128, count: 2, bytes: 9, sha256: digit.repeat(64),
      index: `${name(digit)}.json` });
    const tables = {
      avatar: [
        { scale: 3, pixels: "webp", files: [file("c", "")] }, { scale: 2, pixels: "bgra8", files: [] },
        { scale: 2, pixels: "webp", files: [file("a", "0"), file("b", "1")] }] };
    const catalog = lib.readCatalog(documentOf({ ...cases.catalog, tables }));
    assert.deepEqual(catalog.tables, tables);
    const context = new lib.CatalogContext(catalog, { accepting: new Set() });
    const table = lib.atlasOf(catalog, "avatar", 1.5);
    assert.deepEqual(table, tables.avatar[2]);
    assert.deepEqual([2.5, 9].map((scale) => lib.atlasOf(catalog, "avatar", scale).scale), [3, 3]);
    for (const slot of ["card", "__proto__", "constructor"]) assert.equal(lib.atlasOf(catalog, slot, 2), undefined);
    assert.equal(lib.atlasOf({ ...catalog, tables: undefined }, "avatar", 2), undefined);

    const index = (digit, images) => ({ image: `${name(digit)}-256x128.webp`, width: 256, height: 128, images });
    const indexes = [
      index("a", { p1: [0, 0, 64, 64] }), index("b", { p2: [128, 64, 96, 64], ["__proto__x"]: [0, 0, 1, 1] }),
      index("d", { p3: [0, 0, 64, 64] }), JSON.parse(JSON.stringify(index("a", {})).replace("{}", '{"__proto__":[0,0,8,8]}'))];
    const found = lib.findInAtlas(context, table, indexes, "p2");
    assert.deepEqual(found, {
      url: `${catalog.baseURL}${name("b")}-256x128.webp`, width: 256, height: 128, rectangle: [128, 64, 96, 64], scale: 2 });
    assert.deepEqual(lib.atlasCSS(found), {
      "width": "48px", "height": "32px", "background-image": `url("${found.url}")`,
      "background-position": "-64px -32px", "background-size": "128px 64px", "background-repeat": "no-repeat" });
    assert.equal(lib.atlasCSS(found, { width: 24, height: 24 })["background-position"], "-32px -24px");
    assert.equal(lib.atlasCSS({ ...found, url: 'a")b' })["background-image"], 'url("a%22)b")');
    assert.deepEqual(lib.findInAtlas(context, table, indexes, "__proto__").rectangle, [0, 0, 8, 8]);
    // In no index, in one of another table, or outside of the atlas.
    const wrong = [[200, 0, 64, 64], [0, 65, 64, 64], [-1, 0, 9, 9], [0, 0, 0, 9], [0.5, 0, 9, 9], [0, 0, 9], "x", null];
    for (const [id, list] of [["p9", indexes], ["p3", indexes], ["constructor", indexes],
      ...wrong.map((rectangle) => ["w", [index("a", { w: rectangle })]])]) {
      let place;
      try { place = lib.findInAtlas(context, table, list, id); } catch (error) { place = error; }
      assert.equal(place, undefined, `${id} ${JSON.stringify(list.at(-1))}`);
    }
    for (const path of ["../tables/aa/x.webp", "https://example.com/x.webp", `${name("a")}-1x1.svg`]) {
      const bad = { avatar: [{ ...tables.avatar[2], files: [{ ...file("a", ""), path }] }] };
      assert.deepEqual(lib.atlasOf({ ...catalog, tables: bad }, "avatar", 2).files, []);
    }
    return `${wrong.length} wrong rectangles are not drawn`;
  });
}
