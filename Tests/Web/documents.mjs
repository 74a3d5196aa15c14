// Writes catalogs as a run does.

const unverified = () => "0".repeat(64);

/** The document of a catalog. `hash` computes the SHA-256 of a text. */
export function documentOf({ images, ...members }, hash = unverified) {
  const { digest: _, count: __, bytes: ___, ...head } = members;
  const lines = [...images].map((image) => JSON.stringify(image));
  const start = JSON.stringify({ ...head, count: lines.length }).slice(1, -1);
  const rest = `${start},"images":[\n${lines.join(",\n")}${lines.length > 0 ? "\n" : ""}]}\n`;
  return `{"digest":"${hash(rest)}",${rest}`;
}

/** The changes that lead from one catalog to another whose images have the same places, as texts. */
export function changesOf(old, next) {
  const [before, after] = [old, next].map((text) => text.split("\n").slice(1, -2).map((line) => line.replace(/,$/, "")));
  const lines = [];
  after.forEach((line, place) => {
    const latest = lines[lines.length - 1];
    if (line !== before[place]) lines.push(line);
    else if (Array.isArray(latest) && latest[1] === place - 1) latest[1] = place;
    else lines.push([place, place]);
  });
  const [from, to] = [old, next].map((text) => text.slice(11, 75));
  return JSON.stringify({ schema: "tessera-changes/1", from, to, head: next.split("\n")[0], lines });
}
