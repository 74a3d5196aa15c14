#!/usr/bin/env python3
"""Measures a gallery in headless Chromium, through WebDriver, and prints the results as JSON.

    Tests/Browser/measure.py OUTPUT PAGE SCALE WIDTH HEIGHT SCREENSHOT [--file] [--dark] [--without-sizes]

Serves the folder OUTPUT from loopback, each image after a pause, and the page in two parts; with --file, opens the page as a file. With
--without-sizes, the page lacks the sizes from the catalog.

Prints: "shift", the browser's cumulative layout shift; "shown", the number of images drawn; "requests", paths in
order; "console", the page's errors; "contrast", the least of a text, and that text; "names", the number of controls without a name;
"keyboard", whether keys opened and closed the details and moved the focus;
"columns" and "overflow", the layout; "background", the page's; "behind", the backgrounds of images with alpha.
"""
import base64, http.server, json, os, sys, time

from browser import CONTRAST, SHIFT, Browser, Server

output, page, scale, width, height, screenshot = sys.argv[1:7]
options = sys.argv[7:]
requests = []


class Handler(http.server.SimpleHTTPRequestHandler):
    def do_GET(self):
        requests.append(self.path)
        if self.path.startswith("/variants/"):
            # Staggered, as over a network.
            time.sleep(0.3 + 0.1 * (len(requests) % 10))
        super().do_GET()

    def copyfile(self, source, outputfile):
        # A page arrives in two parts, of which the browser draws the first.
        before, script, after = source.read().partition(b'<script type="application/json"')
        outputfile.write(before)
        outputfile.flush()
        if script:
            time.sleep(0.5)
        outputfile.write(script + after)

    def log_message(self, *_):
        pass


if "--without-sizes" in options:
    before, rest = open(f"{output}/{page}", encoding="utf-8").read().split('id="catalog">', 1)
    text, after = rest.split("</script>", 1)
    data = json.loads(text)
    for image in data["images"]:
        for part in [image, *image.get("slots", {}).values()]:
            part.pop("width", None)
            part.pop("height", None)
    page = "without-sizes.html"
    with open(f"{output}/{page}", "w", encoding="utf-8") as file:
        file.write(f'{before}id="catalog">{json.dumps(data).replace("<", chr(92) + "u003c")}</script>{after}')

server = Server(Handler, output)
arguments = [f"--window-size={width},{height}", f"--force-device-scale-factor={scale}"]
if "--dark" in options:
    arguments.append("--blink-settings=preferredColorScheme=0")
# Chromium's windows cannot be as narrow as a phone: emulate one.
mobile = {"width": int(width), "height": int(height), "pixelRatio": float(scale)} if int(width) < 500 else None
browser = Browser(arguments, mobile)
run, press = browser.run, browser.press
try:
    base = f"file://{os.path.abspath(output)}" if "--file" in options else f"http://127.0.0.1:{server.server_port}"
    browser.call("/url", {"url": f"{base}/{page}"})
    latest = time.monotonic() + 30
    while time.monotonic() < latest:
        # Drawn and faded in.
        if run("return [...document.images].length > 0 && [...document.images].every("
               "(image) => image.complete && image.classList.contains('there'))"):
            break
        time.sleep(0.05)
    time.sleep(0.5)
    result = {
        "shift": run(SHIFT, is_async=True),
        "contrast": run(CONTRAST),
        "names": run("return [...document.querySelectorAll('button, a, input, select')].filter((node) =>"
                     " !(node.getAttribute('aria-label') || node.textContent || node.labels?.length || node.title)).length"),
        "observes": run("return PerformanceObserver.supportedEntryTypes.includes('layout-shift')"),
        "shown": run("return [...document.images].filter((image) => image.naturalWidth > 0).length"),
        "ratio": run("return devicePixelRatio"),
        "columns": run("return new Set([...document.querySelectorAll('.tile')].map((tile) => tile.style.left)).size"),
        "overflow": run("return document.documentElement.scrollWidth > innerWidth"),
        "background": run("return getComputedStyle(document.body).backgroundColor"),
        "behind": run("return tiles.filter((tile) => tile.node && tile.image.alpha).map((tile) => getComputedStyle(tile.node))"
                      ".map((style) => `${style.backgroundColor} ${style.backgroundImage}`)"),
        "totals": run("return document.getElementById('totals').textContent"),
    }
    with open(screenshot, "wb") as file:
        file.write(base64.b64decode(browser.call("/screenshot")))
    result["requests"] = list(requests)
    run("document.querySelector('.tile').focus()")
    press("\uE007")
    opened = run("return document.getElementById('facts').open")
    press("\uE00C")
    closed = not run("return document.getElementById('facts').open")
    press("\uE014")
    moved = run("return document.activeElement !== document.querySelector('.tile')"
                " && document.activeElement.classList.contains('tile')")
    result["keyboard"] = [opened, closed, moved]
    run("document.getElementById('status').value = 'failed';"
        "document.getElementById('status').dispatchEvent(new Event('input', {bubbles: true}))")
    result["failed"] = run("return [...document.querySelectorAll('.tile')].map((tile) => tile.textContent)")
    result["count"] = run("return document.getElementById('count').textContent")
    result["console"] = browser.messages()
    print(json.dumps(result))
finally:
    browser.close()
    server.shutdown()
