// What the members of a catalog must be. `JSON.parse` returns anything; apps rely on the types in model.ts, and join paths to URLs.

/** A value that is not what a catalog has in its place. */
export class Mismatch extends Error {
  constructor(
    /** The path to the value. */
    readonly member: string,
    readonly reason: string,
  ) {
    super(reason);
  }
}

/** Throws a `Mismatch` for a value of another kind, and removes what stands for an absent member. */
type Check = (value: unknown, member: string) => unknown;
type Checks = { readonly [name: string]: Check };
type Members = { [name: string]: unknown };

const within = (member: string, name: string): string => (member === "" ? name : `${member}.${name}`);

function found(value: unknown): string {
  // A message is one line.
  if (typeof value === "string") return `, found "${Array.from(value).slice(0, 80).join("")}"`;
  return typeof value === "object" && value !== null ? "" : `, found ${String(value)}`;
}

const expect = (what: string, test: (value: unknown) => boolean, describe = found): Check => (value, member) => {
  if (!test(value)) throw new Mismatch(member, `expected ${what}${describe(value)}`);
};

const string = expect("a string", (value) => typeof value === "string");
const int = expect("a whole number", Number.isSafeInteger);
const bool = expect("true or false", (value) => typeof value === "boolean");
const object = expect("an object", (value) => typeof value === "object" && value !== null && !Array.isArray(value));
const array = expect("an array", Array.isArray);

const text = (what: string, pattern: RegExp): Check => {
  const form = expect(what, (value) => pattern.test(value as string));
  return (value, member) => {
    string(value, member);
    form(value, member);
  };
};

const word = (...words: string[]): Check =>
  expect(`one of ${words.map((each) => `"${each}"`).join(", ")}`, (value) => words.includes(value as string));

const list = (element: Check): Check => (value, member) => {
  array(value, member);
  (value as unknown[]).forEach((each, index) => element(each, `${member}[${index}]`));
};

/** An object with free names. */
const dictionary = (element: Check): Check => (value, member) => {
  object(value, member);
  for (const [name, each] of Object.entries(value as Members)) element(each, within(member, name));
};

/** An object with known members. Those that this version does not know stay as they are. */
const record = (required: Checks, optional: Checks = {}): Check => (value, member) => {
  object(value, member);
  const members = value as Members;
  for (const name in required) {
    if (members[name] === undefined) throw new Mismatch(member, `"${name}" is missing`);
    required[name]?.(members[name], within(member, name));
  }
  for (const name in optional) {
    if (members[name] === null) delete members[name];
    if (members[name] !== undefined) optional[name]?.(members[name], within(member, name));
  }
};

// A URL becomes a part of markup, so it has no character that ends an attribute or is not part of a URL.
const web = /^https?:\/\/[^\x00-\x20\x7f-\x9f"<>\\]+$/;
const relative = /^(?![^/]*:)[^\x00-\x20\x7f-\x9f"<>\\]*$/;
const fileURL = text("a URL that begins with http:// or https://", web);
const base = text("a URL that begins with http:// or https://, or one without a scheme", new RegExp(`${web.source}|${relative.source}`));
// Paths are made of these, and apps join paths to URLs and folders, so a path leads nowhere else.
const hexadecimal = (count: number): Check => text(`${count} hexadecimal digits`, new RegExp(`^[0-9a-f]{${count}}$`));
const extension = text("an extension such as webp", /^[a-z0-9]{1,9}$/);
const part = text("a path such as screens/feed/3f9c….json", /^screens\/[A-Za-z0-9][A-Za-z0-9_-]*\/[0-9a-f]{32}\.json$/);

const nothing = (): string => "";
const headroom = expect("a number of at least 1", (value) => typeof value === "number" && value >= 1 && value < Infinity, nothing);
const focus = expect("two numbers from 0 to 1", (value) => Array.isArray(value) && value.length === 2
  && value.every((each) => typeof each === "number" && each >= 0 && each <= 1), nothing);
const size = { width: int, height: int };
/** A value for each of the head's formats, `null` for those that a variant does not have. */
const byFormat = (value: Check): Check => list((each, member) => each === null || value(each, member));

/** Everything but the images. */
export const checkHead = record({
  schema: expect('"tessera-catalog/1", the only version that this library reads', (value) => value === "tessera-catalog/1"),
  generator: record({ name: string, version: string, libvips: string }),
  pipeline: record({ name: string, fingerprint: string }),
  slots: dictionary(record({ mode: word("fit", "fill", "clip") }, size)),
  scales: list(int),
  formats: list(record({ type: string }, { extension, recipe: hexadecimal(16), fallback: bool, dynamicRange: string })),
  count: int,
}, {
  baseURL: base,
  tables: dictionary(list(record({ scale: int, pixels: string, files: list(record(
    { path: string, prefix: string, ...size, count: int, bytes: int, sha256: string }, { index: string })) }))),
  parts: list(part),
});

export const checkImage = record({ id: string, status: word("ok", "stale", "failed", "pending") }, {
  url: string, ...size, format: string, alpha: bool, animated: bool, frames: int,
  error: record({ code: string, message: string, retryable: bool }),
  warnings: list(string),
  placeholder: record({}, { color: string, thumbhash: string, blurhash: string, lqip: string, css: int }),
  variants: list(record(size, {
    crop: hexadecimal(8), fallback: string, bytes: byFormat(int), urls: byFormat(fileURL), stills: list(int),
    original: record({ url: fileURL, type: string }, { bytes: int }), headroom,
  })),
  slots: dictionary(record({}, { ...size, variants: list(int), image: record(size) })),
  source: hexadecimal(32),
  provenance: record({ sha256: string }, {
    url: string, bytes: int, ...size, orientation: int, colourSpace: string, profile: string, etag: string, lastModified: string,
    robots: string,
  }),
  alt: string, focus,
});

const range: Check = (value, member) => {
  if (typeof value === "string") return;
  if (Array.isArray(value) && value.length === 2 && value.every(Number.isSafeInteger)) return;
  throw new Mismatch(member, "expected a line, or the numbers of the first and the last one");
};

/** A document that leads from one catalog to another. */
export const checkChanges = record({
  schema: expect('"tessera-changes/1"', (value) => value === "tessera-changes/1"),
  from: string, to: string, head: string, lines: list(range),
});
