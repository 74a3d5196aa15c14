// A catalog that is brought up to date by a patch or as a whole, from a server on loopback.
import assert from "node:assert/strict";
import { createServer } from "node:http";

export async function updateParts(part, lib, cases) {
  const stated = (catalog) => ({ ...catalog, digest: lib.digestOf(catalog) });
  const whole = lib.readCatalog(JSON.stringify(cases.catalog));
  const [old, next] = [stated({ ...whole, images: whole.images.slice(0, 2) }), stated({ ...whole, images: whole.images.slice(0, 1) })];
  const [first, second] = whole.images.map(({ id }) => id);
  const patch = { from: old.digest, to: next.digest, digest: next.digest, images: { [first]: { next: null }, [second]: null } };

  await part("what a patch leads to", () => {
    assert.deepEqual(lib.patched(old, JSON.stringify(patch)), next);
    const other = "0".repeat(64);
    const bad = [{ ...patch, from: other }, { ...patch, to: other }, { ...patch, digest: other }, { ...patch, from: undefined },
      { ...patch, to: undefined }, { ...patch, images: {} }, { ...patch, baseURL: "/" }];
    for (const each of bad) assert.equal(lib.patched(old, JSON.stringify(each)), undefined, JSON.stringify(each));
    assert.equal(lib.patched(old, "<!doctype html>"), undefined);
    assert.equal(lib.patched({ ...old, digest: undefined }, JSON.stringify(patch)), undefined);
    // Without work: the images are not looked at.
    const same = { ...old, images: undefined };
    assert.equal(lib.patched(same, JSON.stringify({ from: old.digest, to: old.digest, images: {} })), same);
    return `${bad.length + 2} are not used`;
  });

  await part("updates", async () => {
    const answers = new Map();
    let requests = [];
    const server = createServer(({ url }, response) => {
      requests.push(url);
      const [status, body] = answers.get(url) ?? [404, ""];
      if (status === 0) return;
      response.writeHead(status).end(body);
    });
    await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
    const base = `http://127.0.0.1:${server.address().port}`;
    const address = `/feed/from-${old.digest}.json`;
    const catalog = "/feed/catalog.json?v=1";
    const update = (signal) => {
      requests = [];
      return lib.updateCatalog(old, new URL(base + catalog), { signal });
    };
    try {
      answers.set(catalog, [200, lib.catalogJSON(next)]);
      answers.set(address, [200, JSON.stringify(patch)]);
      assert.deepEqual([await update(), requests], [next, [address]]);
      answers.set(address, [200, JSON.stringify({ from: old.digest, to: old.digest, images: {} })]);
      assert.equal(await update(), old);
      assert.deepEqual(requests, [address]);
      for (const answer of [[403, ""], [404, ""], [410, ""], [200, "{}"], [200, JSON.stringify({ ...patch, to: "0" })]]) {
        answers.set(address, answer);
        assert.deepEqual([await update(), requests], [next, [address, catalog]], `${answer}`);
      }
      assert.deepEqual(await lib.updateCatalog({ ...old, digest: undefined }, base + catalog), next);
      answers.set(catalog, [200, lib.catalogJSON(next).replace('"scales":[1', '"scales":[9')]);
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
    return "by a patch, as a whole, and not at all";
  });
}
