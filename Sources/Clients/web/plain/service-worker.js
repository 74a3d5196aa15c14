// A service worker, for a site to copy: what visitors have seen is there without a network. What a file's name refers to never
// changes, so a file that is kept is never requested again. At most `mostFiles` are kept.

const isFile = (url) => /\/variants\/[0-9a-f]{2}\/[0-9a-f]{2}\/[0-9a-f]{32}-/.test(url);
const mostFiles = 500;

self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));
self.addEventListener("fetch", (event) => {
  const { method, url, headers } = event.request;
  if (method === "GET" && url.startsWith(location.origin) && !headers.has("range")) event.respondWith(answer(event));
});

async function answer(event) {
  const { request } = event;
  const cache = await caches.open("tessera");
  const kept = await cache.match(request);
  if (kept && isFile(request.url)) return kept;
  try {
    const response = await fetch(request);
    if (response.status === 200) event.waitUntil(keep(cache, request, response.clone()).catch(() => undefined));
    return response;
  } catch (error) {
    if (kept) return kept;
    throw error;
  }
}

/** The files that were kept first make room. */
async function keep(cache, request, response) {
  await cache.put(request, response);
  const files = (await cache.keys()).filter(({ url }) => isFile(url));
  await Promise.all(files.slice(0, -mostFiles).map((file) => cache.delete(file)));
}
