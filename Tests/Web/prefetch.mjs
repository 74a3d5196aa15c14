// The executor of a prefetch with a loader of the test. node.mjs calls it.
import assert from "node:assert/strict";

const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

export async function prefetchParts(part, lib) {
  await part("prefetcher", async () => {
    const flying = new Map();
    let log = [];
    const load = (file, { signal, isVisible }) => new Promise((resolve, reject) => {
      log.push(`${isVisible ? "" : "+"}${file.reference}`);
      flying.set(file.reference, { resolve, reject });
      signal.addEventListener("abort", () => { log.push(`-${file.reference}`); reject(new Error("aborted")); });
    });
    const changes = [];
    const prefetcher = new lib.Prefetcher({ load, onChange: ({ reference }, state) => changes.push([reference, state]) });
    const files = (names) => [...names].map((reference) => ({ reference }));
    /** What has begun and was cancelled since the last call. */
    const begun = async () => {
      await pause(0);
      const found = log.join(" ");
      log = [];
      return found;
    };
    const end = async (names, how) => {
      for (const name of names) flying.get(name)[how](new Error("the test"));
      return begun();
    };
    prefetcher.update([files("abcdefgh")], files("uvwxyz"));
    assert.equal(await begun(), "a b c d e f +u +v +w");
    // The first screen is not loaded twice, and each end begins the next: 20 places do not stall.
    prefetcher.update([files("abcdefgh")], files("uvwxyz"));
    assert.equal(await begun(), "");
    assert.equal(await end("ab", "resolve"), "g h");
    assert.equal(await end("u", "resolve"), "+x");
    assert.deepEqual([prefetcher.state("a"), prefetcher.state("c"), prefetcher.state("z")], ["loaded", "loading", undefined]);
    // What no place needs is cancelled, and is no failure.
    prefetcher.update([files("ghv")], files("wx"));
    assert.equal(await begun(), "-c -d -e -f");
    assert.deepEqual([prefetcher.state("c"), changes.length], [undefined, 3]);
    // A failed file waits, whatever else happens, and then begins again.
    const before = performance.now();
    assert.equal(await end("g", "reject"), "");
    prefetcher.update([files("ghv")], files("wx"));
    assert.equal(await end("h", "resolve"), "");
    assert.equal(prefetcher.state("g"), "failed");
    while (log.length === 0) await pause(20);
    assert(performance.now() - before >= 990, `${performance.now() - before}`);
    assert.equal(await begun(), "g");
    // Twice in a row: two seconds, unless the user asks for it.
    assert.equal(await end("g", "reject"), "");
    await pause(1100);
    assert.equal(await begun(), "");
    prefetcher.retry("g");
    assert.equal(await begun(), "g");
    await end("g", "reject");
    prefetcher.reconnect();
    assert.equal(await begun(), "g");
    await end("g", "reject");
    // It leaves the screen, and returns.
    prefetcher.update([files("v")], files("wx"));
    assert.equal(await begun(), "");
    prefetcher.update([files("vg")], files("wx"));
    assert.equal(await begun(), "g");
    await end("g", "resolve");
    assert.equal(prefetcher.state("g"), "loaded");
    prefetcher.update([]);
    assert.equal(await begun(), "-v -w -x");
    return "cap, order, retries and cancelled requests";
  });
}
