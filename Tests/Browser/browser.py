"""Chromium without a window, driven through WebDriver on loopback, and a server for what it looks at."""
import functools, http.server, json, os, shutil, signal, subprocess, sys, tempfile, threading, urllib.request

SHIFT = """
    const done = arguments[arguments.length - 1];
    let sum = 0;
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) if (!entry.hadRecentInput) sum += entry.value;
    }).observe({type: "layout-shift", buffered: true});
    setTimeout(() => done(sum), 400);"""


# The least contrast of a text with the colour behind it (WCAG 2.1, 1.4.3), and that text. Texts over images have a background of
# their own.
CONTRAST = """
    const light = (colour) => {
      const [r, g, b] = colour.match(/[\\d.]+/g).slice(0, 3).map((value) => {
        const share = value / 255;
        return share <= 0.03928 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
      });
      return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const behind = (node) => {
      for (; node; node = node.parentElement) {
        const colour = getComputedStyle(node).backgroundColor;
        if (!/, 0(\\.\\d+)?\\)$/.test(colour)) return colour;
      }
      return "rgb(255, 255, 255)";
    };
    let least = [21, ""];
    for (const node of document.querySelectorAll("body *")) {
      const text = [...node.childNodes].filter((each) => each.nodeType === 3).map((each) => each.data.trim()).join(" ");
      if (!text || !node.checkVisibility() || ["SCRIPT", "STYLE", "OPTION"].includes(node.tagName)) continue;
      if (getComputedStyle(node).backgroundColor.startsWith("rgba(0, 0, 0, 0.")) continue;
      const [one, other] = [light(getComputedStyle(node).color), light(behind(node))];
      const ratio = (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
      if (ratio < least[0]) least = [ratio, text];
    }
    return least;"""


class Server(http.server.ThreadingHTTPServer):
    """Serves a folder with a handler."""

    def __init__(self, handler, folder):
        super().__init__(("127.0.0.1", 0), functools.partial(handler, directory=folder))
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def handle_error(self, *_):
        pass  # The browser may close a connection at any time.


class Browser:
    def __init__(self, arguments, mobile=None):
        self.profile = tempfile.mkdtemp()
        # In a process group of its own, which is killed as a whole. SIGKILL, because a parent may have blocked SIGTERM.
        self.driver = subprocess.Popen(["chromedriver", "--port=0"], stdout=subprocess.PIPE,
                                       stderr=subprocess.DEVNULL, text=True, start_new_session=True)
        self.watch = threading.Timer(90, self._give_up)
        self.watch.daemon = True
        self.watch.start()
        self.opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        for line in self.driver.stdout:
            if "successfully on port" in line:
                self.port = int(line.rstrip(".\n").split()[-1])
                break
        chrome = {"args": ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                           "--hide-scrollbars", f"--user-data-dir={self.profile}", "--no-proxy-server", *arguments]}
        if mobile:
            chrome["mobileEmulation"] = {"deviceMetrics": mobile}
        self.path = ""
        session = self.call("/session", {"capabilities": {"alwaysMatch": {
            "browserName": "chrome", "goog:loggingPrefs": {"browser": "ALL"},
            "goog:chromeOptions": chrome}}})["sessionId"]
        self.path = f"/session/{session}"

    def call(self, path, body=None, method=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}{self.path}{path}", data,
                                         {"Content-Type": "application/json"}, method=method)
        with self.opener.open(request, timeout=60) as answer:
            return json.load(answer)["value"]

    def run(self, script, is_async=False):
        return self.call(f"/execute/{'async' if is_async else 'sync'}", {"script": script, "args": []})

    def press(self, *keys):
        actions = [{"type": kind, "value": key} for key in keys for kind in ("keyDown", "keyUp")]
        self.call("/actions", {"actions": [{"type": "key", "id": "keys", "actions": actions}]})

    def command(self, name, **parameters):
        """A command of Chromium's own protocol."""
        return self.call("/goog/cdp/execute", {"cmd": name, "params": parameters})

    def messages(self):
        return [entry["message"] for entry in self.call("/se/log", {"type": "browser"})]

    def _end(self):
        try:
            os.killpg(self.driver.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass

    def _give_up(self):
        self._end()
        print("the browser did not answer within 90 s", file=sys.stderr, flush=True)
        os._exit(3)

    def close(self):
        self.watch.cancel()
        self._end()
        self.driver.wait()
        shutil.rmtree(self.profile, ignore_errors=True)
