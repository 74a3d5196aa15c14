#!/usr/bin/env python3
"""Measures a gallery in headless Chromium, through WebDriver, and prints the results as JSON.

    Tests/Browser/measure.py OUTPUT PAGE SCALE WIDTH HEIGHT SCREENSHOT [--file] [--dark] [--without-sizes]

Serves the folder OUTPUT from loopback, each image after a pause, and the page in two parts; with --file, opens the page as a file. With
--without-sizes, the page lacks the sizes from the catalog.

Prints: "shift", the browser's cumulative layout shift; "shown", the number of images drawn; "requests", paths in
order; "console", the page's errors; "keyboard", whether keys opened and closed the details and moved the focus;
"columns" and "overflow", the layout; "background", the page's; "behind", the backgrounds of images with alpha.
"""
import base64, functools, http.server, json, os, shutil, signal, subprocess, sys, tempfile, threading, time, urllib.request

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


class Server(http.server.ThreadingHTTPServer):
    def handle_error(self, *_):
        pass  # The browser may close a connection at any time.


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

server = Server(("127.0.0.1", 0), functools.partial(Handler, directory=output))
threading.Thread(target=server.serve_forever, daemon=True).start()
profile = tempfile.mkdtemp()
# In a process group of its own, which is killed as a whole. SIGKILL, because a parent may have blocked SIGTERM.
driver = subprocess.Popen(["chromedriver", "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                          start_new_session=True)


def end():
    try:
        os.killpg(driver.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def give_up():
    end()
    print("the browser did not answer within 90 s", file=sys.stderr, flush=True)
    os._exit(3)


watch = threading.Timer(90, give_up)
watch.daemon = True
watch.start()


opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))


def call(path, body=None, method=None):
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(
        f"http://127.0.0.1:{port}{path}", data, {"Content-Type": "application/json"}, method=method)
    with opener.open(request, timeout=60) as answer:
        return json.load(answer)["value"]


def run(script, is_async=False):
    return call(f"/session/{session}/execute/{'async' if is_async else 'sync'}", {"script": script, "args": []})


def press(*keys):
    actions = [{"type": kind, "value": key} for key in keys for kind in ("keyDown", "keyUp")]
    call(f"/session/{session}/actions", {"actions": [{"type": "key", "id": "keys", "actions": actions}]})


try:
    port = None
    for line in driver.stdout:
        if "successfully on port" in line:
            port = int(line.rstrip(".\n").split()[-1])
            break
    arguments = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
                 f"--user-data-dir={profile}", f"--window-size={width},{height}",
                 f"--force-device-scale-factor={scale}", "--no-proxy-server"]
    if "--dark" in options:
        arguments.append("--blink-settings=preferredColorScheme=0")
    chrome = {"args": arguments}
    if int(width) < 500:
        # Chromium's windows cannot be as narrow as a phone: emulate one.
        chrome["mobileEmulation"] = {
            "deviceMetrics": {"width": int(width), "height": int(height), "pixelRatio": float(scale)}}
    session = call("/session", {"capabilities": {"alwaysMatch": {
        "browserName": "chrome", "goog:loggingPrefs": {"browser": "ALL"},
        "goog:chromeOptions": chrome}}})["sessionId"]
    base = f"file://{os.path.abspath(output)}" if "--file" in options else f"http://127.0.0.1:{server.server_port}"
    call(f"/session/{session}/url", {"url": f"{base}/{page}"})
    latest = time.monotonic() + 30
    while time.monotonic() < latest:
        # Drawn and faded in.
        if run("return [...document.images].length > 0 && [...document.images].every("
               "(image) => image.complete && image.classList.contains('there'))"):
            break
        time.sleep(0.05)
    time.sleep(0.5)
    result = {
        "shift": run("""
            const done = arguments[arguments.length - 1];
            let sum = 0;
            new PerformanceObserver((list) => {
              for (const entry of list.getEntries()) if (!entry.hadRecentInput) sum += entry.value;
            }).observe({type: "layout-shift", buffered: true});
            setTimeout(() => done(sum), 400);""", is_async=True),
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
        file.write(base64.b64decode(call(f"/session/{session}/screenshot")))
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
    result["console"] = [entry["message"] for entry in call(f"/session/{session}/se/log", {"type": "browser"})]
    print(json.dumps(result))
    call(f"/session/{session}", method="DELETE")
finally:
    end()
    driver.wait()
    server.shutdown()
    shutil.rmtree(profile, ignore_errors=True)
