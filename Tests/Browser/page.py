#!/usr/bin/env python3
"""Looks at an exported page in Chromium, at several pixel ratios, and prints what it finds as JSON.

    Tests/Browser/page.py FOLDER PAGE WIDTH RATIO[,RATIO…] SCREENSHOT

Serves FOLDER from loopback, each image after a pause, with a policy (CSP) that allows styles of the server alone, or those with the
nonce "n0nce". Prints for each ratio: "shift", the cumulative layout shift; "images", for each its data-id, data-slot,
box, file, natural size, alt, and whether it is loaded at once; "console", the browser's messages, among them violations of
the policy.
"""
import base64, http.server, json, sys, time

from browser import SHIFT, Browser, Server

folder, page, width, ratios, screenshot = sys.argv[1:6]
nonce = "n0nce"


class Handler(http.server.SimpleHTTPRequestHandler):
    count = 0

    def do_GET(self):
        if self.path == "/favicon.ico":
            self.send_response(204)
            self.end_headers()
            return
        if self.path.startswith("/variants/"):
            Handler.count += 1
            time.sleep(0.1 + 0.05 * (Handler.count % 5))
        super().do_GET()

    def end_headers(self):
        self.send_header("Content-Security-Policy",
                         f"default-src 'none'; img-src 'self' data:; style-src 'self' 'nonce-{nonce}'")
        self.send_header("Cache-Control", "no-store")
        super().end_headers()

    def log_message(self, *_):
        pass


server = Server(Handler, folder)
browser = Browser(["--window-size=1000,800"])
try:
    seen = {}
    for ratio in ratios.split(","):
        browser.command("Emulation.setDeviceMetricsOverride", width=int(width), height=800,
                        deviceScaleFactor=float(ratio), mobile=False)
        browser.call("/url", {"url": f"http://127.0.0.1:{server.server_port}/{page}"})
        # A visitor comes near each lazy image once. One that is made eager instead can't take its width from the layout.
        browser.run("""
            const done = arguments[arguments.length - 1], frame = () => new Promise(requestAnimationFrame);
            (async () => {
              for (const image of document.images) {
                image.scrollIntoView();
                await frame();
                await frame();
              }
              scrollTo(0, 0);
              done();
            })()""", is_async=True)
        latest = time.monotonic() + 30
        while time.monotonic() < latest and not browser.run(
                "return [...document.images].every((image) => image.complete)"):
            time.sleep(0.05)
        seen[ratio] = {
            "shift": browser.run(SHIFT, is_async=True),
            "ratio": browser.run("return devicePixelRatio"),
            "images": browser.run("""
                return [...document.images].map((image) => {
                  const box = image.getBoundingClientRect();
                  return {id: image.parentElement.dataset.id, slot: image.parentElement.dataset.slot,
                    width: box.width, height: box.height, file: image.currentSrc.replace(/.*\\/variants/, "variants"),
                    natural: image.naturalWidth, alt: image.getAttribute("alt"),
                    fit: getComputedStyle(image).objectFit, priority: image.fetchPriority,
                    background: getComputedStyle(image).backgroundImage.slice(0, 20)};
                });"""),
            "title": browser.run("return document.title"),
            "charset": browser.run("return document.characterSet"),
            "mode": browser.run("return document.compatMode"),
            "console": browser.messages(),
        }
        if ratio == ratios.split(",")[0]:
            with open(screenshot, "wb") as file:
                file.write(base64.b64decode(browser.call("/screenshot")))
    print(json.dumps(seen))
finally:
    browser.close()
    server.shutdown()
