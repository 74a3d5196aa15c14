"""Looks at images as a visitor does: Chromium draws them, and the middles of their quarters are compared with what a case shows."""
import concurrent.futures, http.server, json, os, struct, sys, zlib

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "Browser"))
from browser import Browser, Server

LOOK = """
const [names, places, sizes, done] = [...%s, arguments[arguments.length - 1]];
const canvas = new OffscreenCanvas(1, 1);
function samples(source, width, height) {
  [canvas.width, canvas.height] = [width, height];
  const context = canvas.getContext("2d", {colorSpace: "srgb", willReadFrequently: true});
  context.imageSmoothingQuality = "high";
  context.clearRect(0, 0, width, height);
  context.drawImage(source, 0, 0, width, height);
  return places.map(([x, y]) => {
    const side = Math.max(1, Math.min(4, Math.floor(width / 4), Math.floor(height / 4)));
    const [left, top] = [Math.round(width * x - side / 2), Math.round(height * y - side / 2)];
    const data = context.getImageData(Math.max(0, left), Math.max(0, top), side, side).data;
    const sum = [0, 0, 0, 0];
    for (let i = 0; i < data.length; i += 4) {
      for (let k = 0; k < 3; k++) sum[k] += data[i + k] * data[i + 3];
      sum[3] += data[i + 3];
    }
    const count = data.length / 4;
    return [0, 1, 2].map((k) => sum[3] ? sum[k] / sum[3] : 0).concat([sum[3] / count]);
  });
}
async function look(name) {
  const url = "/" + name.split("/").map(encodeURIComponent).join("/");
  const seen = {};
  try {
    const image = new Image();
    image.src = url;
    await image.decode();
    [seen.width, seen.height] = [image.naturalWidth, image.naturalHeight];
    const [width, height] = sizes[name] || [seen.width, seen.height];
    if (width * height == 0 || width * height > 4e6) return seen;
    seen.samples = samples(image, width, height);
  } catch (error) { return {problem: "not drawn"}; }
  if (!/\\.(gif|webp)$|^apng/.test(name)) return seen;
  try {
    const answer = await fetch(url);
    const decoder = new ImageDecoder({data: await answer.arrayBuffer(), type: answer.headers.get("Content-Type")});
    const late = new Promise((_, fail) => setTimeout(fail, 8000));
    await Promise.race([decoder.tracks.ready, late]);
    await Promise.race([decoder.completed, late]);
    seen.frames = decoder.tracks.selectedTrack.frameCount;
    if (seen.frames > 1) {
      const {image} = await Promise.race([decoder.decode({frameIndex: seen.frames - 1}), late]);
      seen.last = samples(image, image.displayWidth, image.displayHeight);
    }
  } catch (error) {}
  return seen;
}
(async () => { const all = {}; for (const name of names) {
  const late = new Promise((end) => setTimeout(() => end({problem: "not drawn within 8 s"}), 8000));
  all[name] = await Promise.race([look(name), late]);
} done(all); })();
"""

TYPES = {".png": "image/png", ".apng": "image/apng", ".gif": "image/gif", ".webp": "image/webp", ".avif": "image/avif", ".jpg": "image/jpeg",
         ".bmp": "image/bmp", ".ico": "image/x-icon", ".svg": "image/svg+xml", ".html": "text/html"}


class Handler(http.server.SimpleHTTPRequestHandler):
    def guess_type(self, path):
        return TYPES.get(os.path.splitext(path)[1], "application/octet-stream")

    def log_message(self, *_):
        pass


# The middles of the quarters, as shares of the width and the height.
QUARTERS = [(0.25, 0.25), (0.75, 0.25), (0.25, 0.75), (0.75, 0.75)]


def look(folder, names, places=QUARTERS, sizes=None):
    """What Chromium shows of files in a folder: size, samples, frames; by name. `sizes`: those to draw at, if not their own."""
    with open(os.path.join(folder, "blank.html"), "w") as file:
        file.write("<!DOCTYPE html><title>Acid</title>")
    server, names = Server(Handler, folder), list(names)

    def part(start):
        browser = Browser(["--force-color-profile=srgb"])
        browser.call("/timeouts", {"script": 60_000})
        browser.call("/url", {"url": f"http://127.0.0.1:{server.server_port}/blank.html"})
        found = browser.run(LOOK % json.dumps([names[start:start + 40], places, sizes or {}]), True)
        browser.close()
        return found
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        seen = {name: found for all_found in pool.map(part, range(0, len(names), 40)) for name, found in all_found.items()}
    server.shutdown()
    return seen


def matches(samples, shown, tolerance, until=None):
    """What is wrong with the samples; None if nothing is. `until`: where a sample may lie between two colours, the other one."""
    for place, sample, colour, other in zip(("top left", "top right", "bottom left", "bottom right"), samples, shown, until or shown):
        alpha = colour[3] if len(colour) == 4 else 255
        if abs(sample[3] - alpha) > tolerance + 4:
            return f"{place}: alpha {sample[3]:.0f} instead of {alpha}"
        if alpha and any(not min(a, b) - tolerance <= value <= max(a, b) + tolerance for value, a, b in zip(sample, colour[:3], other)):
            text = ", ".join(map(str, colour[:3])) + (f" to {', '.join(map(str, other[:3]))}" if other != colour else "")
            return f"{place}: {', '.join(f'{v:.0f}' for v in sample[:3])} instead of {text}"
    return None


def verdict(case, seen):
    """What is wrong with what was seen of a case that shows an image; None if nothing is."""
    if seen is None or "samples" not in seen:
        return "no image"
    width, height = case["size"]
    if abs(seen["width"] * height - seen["height"] * width) > max(width, height) * 1.01:
        return f"{seen['width']} x {seen['height']} for {width} x {height}"
    problem = matches(seen["samples"], case["shows"], case["tolerance"], case.get("until"))
    if problem or "frames" not in case:
        return problem
    if seen.get("frames") != case["frames"]:
        return f"{seen.get('frames')} frames instead of {case['frames']}"
    if "last" not in seen:
        return "the last frame is not drawn"
    problem = matches(seen["last"], case["last"], case["tolerance"])
    return problem and "last frame, " + problem


def reveals(data, words):
    """Whether a file has any of the words, compressed or not."""
    texts = [data]
    offset = 8
    while data.startswith(b"\x89PNG") and offset + 12 <= len(data):
        length, name = struct.unpack(">I4s", data[offset:offset + 8])
        if name in (b"zTXt", b"iTXt", b"iCCP"):
            body = data[offset + 8:offset + 8 + length]
            for place in range(len(body)):
                if body[place] == 0x78:
                    try:
                        texts.append(zlib.decompress(body[place:]))
                        break
                    except zlib.error:
                        pass
        offset += 12 + length
    return any(word.encode() in text for word in words for text in texts)
