// A catalog that is brought up to date by changes or as a whole, from a server on loopback.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { changesOf, documentOf } from "./documents.mjs";

export async function updateParts(part, lib, cases, { catalogs, rows }, sha256) {
  const open = (text, from = "/") => new lib.CatalogIndex(text, { accepting: new Set(), from });

  await part("changes.json", async () => {
    for (const [about, from, changes, result] of rows) {
      const old = open(catalogs[from]);
      const found = await lib.applyChanges(old, changes).then((next) => new TextDecoder().decode(next.bytes), (error) => error);
      if (result === null) assert(found instanceof lib.CatalogError, `${about}: ${found}`);
      else assert.equal(found, catalogs[result], about);
      assert.equal(new TextDecoder().decode(old.bytes), catalogs[from], about);
    }
    for (const text of Object.values(catalogs)) assert.equal([...(await lib.verified(open(text))).images].length, JSON.parse(text).count);
    return `${rows.length} rows`;
  });

  await part("updates", async () => {
    const { images, ...head } = cases.catalog;
    const [oldText, nextText] = [2, 1].map((count) => documentOf({ ...head, images: images.slice(0, count) }, sha256));
        const changes = changesOf(oldText, nextText);
    const answers = new Map();
    let requests = [];
    const server = createServer(({ url }, response) => {
      requests.push(url);
      const [status, body] = answers.get(url) ?? [404, ""];
      if (status === 0) return;
      response.writeHead(status).end(body);
    });
    // On a busy machine a connection would be closed at the moment at which it is used again.
    server.keepAliveTimeout = 0;
    await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
    const base = `http://127.0.0.1:${server.address().port}`;
    const catalog = "/feed/catalog.json?v=1";
    const [old, next] = [oldText, nextText].map((text) => open(text, base + catalog));
    const address = `/feed/from-${old.head.digest}.json`;
    const update = async (signal) => {
      requests = [];
      return lib.updateCatalog(old, { signal });
    };
    const updatesTo = async (expected, ...urls) => {
      const found = await update();
      assert.deepEqual([Buffer.from(found.bytes), found.from, requests], [Buffer.from(expected.bytes), old.from, urls]);
      return found;
    };
    try {
      answers.set(catalog, [200, nextText]);
      answers.set(address, [200, changes]);
      await updatesTo(next, address);
      answers.set(address, [200, changesOf(oldText, oldText)]);
      assert.equal(await updatesTo(old, address), old);
      for (const answer of [[403, ""], [404, ""], [410, ""], [200, "{}"], [200, changes.replace(next.head.digest, "0".repeat(64))]]) {
        answers.set(address, answer);
        await updatesTo(next, address, catalog);
      }
      answers.set(catalog, [200, oldText]);
      assert.equal(await updatesTo(old, address, catalog), old);
      // On an origin that is not secure.
      const { crypto } = globalThis;
      Object.defineProperty(globalThis, "crypto", { value: {}, configurable: true });
      try {
        await updatesTo(old, catalog);
        await assert.rejects(lib.verified(old), /this origin is not secure/);
      } finally {
        Object.defineProperty(globalThis, "crypto", { value: crypto, configurable: true });
      }
      answers.set(catalog, [200, nextText.replace('"scales":[1', '"scales":[9')]);
      await assert.rejects(update(), /CatalogError: .*the catalog was altered/);
      answers.set(catalog, [404, ""]);
      await assert.rejects(update(), /catalog.json\?v=1: the server answered 404$/);
      // The whole is not fetched from a server in trouble.
      answers.set(address, [503, ""]);
      await assert.rejects(update(), /from-[0-9a-f]{64}.json: the server answered 503$/);
      assert.deepEqual(requests, [address]);
      answers.set(address, [0, ""]);
      await assert.rejects(update(AbortSignal.timeout(50)), { name: "TimeoutError" });
      server.closeAllConnections?.();
    } finally {
      await new Promise((resolve) => server.close(resolve));
    }
    await assert.rejects(update(), TypeError);
    return "by changes, as a whole, and not at all";
  });
}
