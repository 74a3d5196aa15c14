// The size fetcher: the shared headers, every beginning of them, and a server on loopback. node.mjs calls it.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";

export async function sizeParts(part, lib, headersPath) {
  const rows = JSON.parse(readFileSync(headersPath, "utf8")).map((row) => ({ ...row, bytes: Buffer.from(row.base64, "base64") }));
  const answers = new Map();
  const requests = [];
  let [sent, open, most] = [0, 0, 0];
  const server = createServer((request, response) => {
    const { body, ignoresRange = false, status, delay = 0, endless = false } = answers.get(request.url) ?? { status: 404 };
    requests.push(`${request.url} ${request.headers.range ?? ""}`);
    if (status !== undefined) return response.writeHead(status).end("no");
    const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range) ?? [];
    const write = (part) => { sent += part.length; response.write(part); };
    open += 1;
    most = Math.max(most, open);
    return setTimeout(() => {
      open -= 1;
      if (endless || ignoresRange || first === undefined) {
        response.writeHead(200, { "content-length": endless ? 1e9 : body.length });
        write(body);
        return endless ? undefined : response.end();
      }
      if (Number(first) >= body.length) return response.writeHead(416).end();
      const bytes = body.subarray(Number(first), Number(last) + 1);
      response.writeHead(206, { "content-range": `bytes ${first}-${Number(first) + bytes.length - 1}/${body.length}` });
      write(bytes);
      return response.end();
    }, delay);
  });
  // On a busy machine a connection would be closed at the moment at which it is used again.
  server.keepAliveTimeout = 0;
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const base = `http://127.0.0.1:${server.address().port}`;
  const fresh = () => { requests.length = 0; [sent, most] = [0, 0]; };
  const code = async (promise) => promise.then((size) => JSON.stringify(size), (error) => (error instanceof lib.SizeError ? error.code : error.name));

  try {
    await part("sizes", async () => {
      const fetcher = new lib.SizeFetcher();
      for (const ignoresRange of [false, true]) {
        fresh();
        for (const [place, { name, bytes, size, format, error }] of rows.entries()) {
          const path = `/${place}?${ignoresRange}`;
          answers.set(path, { body: bytes, ignoresRange });
          const found = await fetcher.size(base + path).then(({ width, height, format }) => ({ size: [width, height], format }), (error) => error);
          if (error) assert(found instanceof lib.SizeError && found.message.startsWith(base), `${name}: ${found.stack ?? JSON.stringify(found)}`);
          else assert.deepEqual(found, { size, format }, name);
        }
      }
      // Every beginning of each file ends with an answer or a `SizeError`.
      let count = 0;
      const parser = new lib.SizeFetcher({ requests: 8, remembered: 0 });
      const { fetch } = globalThis;
      globalThis.fetch = async (url) => new Response(beginnings.get(url), { status: 200 });
      const beginnings = new Map();
      for (const { bytes, name } of rows) {
        const step = Math.max(1, Math.floor(bytes.length / 120));
        for (let length = 0; length < bytes.length; length += step, count += 1) {
          beginnings.set(`http://a/${length}`, bytes.subarray(0, length));
          const found = await parser.size(`http://a/${length}`).catch((error) => error);
          assert(found instanceof lib.SizeError || found.width > 0, `${name}, ${length} bytes: ${found.stack}`);
        }
      }
      globalThis.fetch = fetch;
      return `${rows.length} headers, with ranges and without; ${count} cut files`;
    });

    await part("size fetcher", async () => {
      // 40 images of a megabyte each.
      const images = rows.filter(({ error }) => !error).slice(0, 40);
      const body = (bytes) => Buffer.concat([bytes, Buffer.alloc(1e6)]);
      images.forEach(({ bytes }, place) => answers.set(`/big/${place}`, { body: body(bytes), delay: 5 }));
      const fetcher = new lib.SizeFetcher({ requests: 4 });
      fresh();
      const found = await Promise.all(images.map((_, place) => fetcher.size(`${base}/big/${place}`)));
      found.forEach(({ width, height }, place) => assert.deepEqual([width, height], images[place].size, images[place].name));
      const summary = `${images.length} images of 1 MB over loopback: ${requests.length} requests, ${(sent / 1000).toFixed(0)} kB`;
      assert.equal(most, 4);
      for (const place of [0, 1, 2, 3]) assert(requests.slice(0, 8).includes(`/big/${place} bytes=0-4095`));
      // Known sizes are not asked for again, unless forced; calls for the same URL are one.
      fresh();
      await fetcher.size(`${base}/big/0`);
      assert.equal(requests.length, 0);
      await Promise.all([1, 2, 3].map(() => fetcher.size(`${base}/big/0#${Math.random()}`, { force: true })));
      assert.equal(requests.length, 1);
      // The oldest one is forgotten; failures are not remembered.
      const little = new lib.SizeFetcher({ remembered: 2 });
      for (const place of [0, 1, 0, 2, 0, 1]) await little.size(`${base}/big/${place}`);
      assert.deepEqual(requests.slice(1).map((each) => each.split(" ")[0]), [0, 1, 2, 1].map((place) => `/big/${place}`));
      answers.set("/flaky", { status: 503 });
      assert.equal(await code(little.size(`${base}/flaky`)), "status");
      answers.set("/flaky", { body: rows[0].bytes });
      assert.equal(JSON.parse(await code(little.size(`${base}/flaky`))).width, 640);

      // A profile of 300 kB is skipped; tables that never end, and a stream without a size, are not read to their end.
      const segment = (length) => Buffer.concat([Buffer.from([0xff, 0xe2, length >> 8, length & 255]), Buffer.alloc(length - 2)]);
      const jpeg = (...parts) => Buffer.concat([Buffer.from([0xff, 0xd8]), ...parts, rows[0].bytes.subarray(2)]);
      answers.set("/profile", { body: jpeg(...Array(5).fill(segment(60000))) });
      fresh();
      assert.equal(JSON.parse(await code(little.size(`${base}/profile`))).width, 640);
      assert.deepEqual([requests.length, sent <= 6 * 4096], [6, true]);
      answers.set("/far", { body: jpeg(...Array(20).fill(segment(60000))) });
      assert.equal(await code(little.size(`${base}/far`)), "too-far");
      answers.set("/endless", { body: jpeg(segment(60000)).subarray(0, 30000), endless: true });
      assert.equal(await code(new lib.SizeFetcher({ timeout: 100 }).size(`${base}/endless`)), "timeout");
      answers.set("/endless", { body: Buffer.concat([rows[0].bytes, Buffer.alloc(1e5)]), endless: true });
      assert.equal(JSON.parse(await code(little.size(`${base}/endless`))).width, 640);
      answers.set("/page", { body: Buffer.from(`<!doctype html>${"x".repeat(9000)}`) });
      assert.deepEqual([await code(little.size(`${base}/page`)), await code(little.size(`${base}/none`)), await code(little.size("file:///etc/passwd")),
        await code(little.size("x")), await code(little.size("data:image/png,"))], ["not-image", "status", "url", "url", "url"]);

      // A call that is aborted leaves the others their request; the last one ends it, and begins anew.
      answers.set("/slow", { body: rows[0].bytes, delay: 60 });
      fresh();
      const [one, two] = [new AbortController(), new AbortController()];
      const both = [one, two].map(({ signal }) => code(little.size(`${base}/slow`, { signal })));
      one.abort();
      assert.equal(await both[0], "AbortError");
      assert.equal(JSON.parse(await both[1]).width, 640);
      const last = code(little.size(`${base}/slow`, { signal: two.signal, force: true }));
      two.abort();
      assert.deepEqual([await last, await code(little.size(`${base}/slow`, { signal: two.signal }))], ["AbortError", "AbortError"]);
      assert.equal(JSON.parse(await code(little.size(`${base}/slow`, { force: true }))).height, 427);
      return summary;
    });
  } finally {
    server.closeAllConnections?.();
    await new Promise((resolve) => server.close(resolve));
  }
}
