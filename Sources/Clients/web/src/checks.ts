// What the members of a catalog must be. `JSON.parse` returns anything; apps rely on the types in model.ts, and join paths to URLs.

import { CatalogError } from "./errors.js";

export const fail = (reason: string, member = "", line = 1): never => {
  throw new CatalogError(line, member, reason);
};

/**
 * What a value must look like: a text, a whole number or a boolean as this one is; a text of a form; what a function returns true
 * for; a list of such elements; an object with such members. Those whose names end in "?" may be absent, or null for it, and "*"
 * stands for members of any name.
 */
export type Shape = "" | 0 | false | RegExp | ((value: any) => boolean) | readonly [Shape] | { readonly [name: string]: Shape };

/** Parses a line of a document, and checks what it is. Members that this version does not know stay as they are. */
export function parsed(text: string, line: number, member: string, shape: Shape): any {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    fail("expected JSON", member, line);
  }
  const found = mismatch(value, shape);
  if (found) fail(found[1], member + (member && found[0] && ".") + found[0], line);
  return value;
}

const kindOf = (value: unknown): string => (Array.isArray(value) ? "list" : value === null ? "null" : typeof value);

/** The first value of another shape: its path, and what is wrong with it. */
function mismatch(value: any, shape: any): [path: string, reason: string] | undefined {
  const type = typeof shape;
  const isForm = shape instanceof RegExp;
  const isRight = type === "function" ? shape(value) : isForm ? typeof value === "string" && shape.test(value)
    : type === "object" ? kindOf(value) === kindOf(shape) : typeof value === type && (type !== "number" || Number.isSafeInteger(value));
  if (!isRight) return ["", `can't be ${JSON.stringify(value)}`.slice(0, 99)];
  if (type !== "object" || isForm) return undefined;
  const every = shape["*"] ?? shape[0];
  let keys: string[][] | undefined = names.get(shape);
  if (every !== undefined) keys = Object.keys(value).map((key) => [key, key]);
  else if (!keys) names.set(shape, keys = Object.keys(shape).map((key) => [key, key.replace("?", "")]));
  for (const [key, name] of keys as [string, string][]) {
    const member = value[name];
    if (member === undefined || (member === null && name !== key)) {
      if (name === key) return ["", `"${name}" is missing`];
      if (member === null) delete value[name];
      continue;
    }
    const found = mismatch(member, every ?? shape[key]);
    if (found) return [(Array.isArray(value) ? `[${name}]` : name) + (/^[^[]/.test(found[0]) ? "." : "") + found[0], found[1]];
  }
  return undefined;
}

/** The members of shapes, as they are written there, and their names. */
const names = new Map<object, string[][]>();

// A URL becomes a part of markup, so it has no character that ends an attribute or is not part of a URL.
const characters = '[^\\x00-\\x20\\x7f-\\x9f"<>\\\\]*$';
const url = new RegExp(`^https?://(?!$)${characters}`);
const sides = { "width?": 0, "height?": 0 } as const;
const size = { width: 0, height: 0 } as const;
const isWithin = (value: unknown, least: number, most: number): boolean => typeof value === "number" && value >= least && value <= most;

// Paths are made of `extension`, `recipe`, `crop` and `source`, and apps join paths to URLs and folders, so a path leads nowhere else.

/** Everything but the images. */
export const headShape: Shape = {
  schema: /^tessera-catalog\/1$/, slots: { "*": { mode: /^(fit|fill|clip)$/, ...sides } }, scales: [0], count: 0,
  formats: [{ type: "", "extension?": /^[a-z0-9]{1,9}$/, "recipe?": /^[0-9a-f]{16}$/, "dynamicRange?": "" }],
  "baseURL?": new RegExp(`^(https?://(?!$)|(?![^/]*:))${characters}`),
  "parts?": [/^screens\/[A-Za-z0-9][\w-]*\/[0-9a-f]{32}\.json$/],
};

export const imageShape: Shape = {
  id: "", status: /^(ok|stale|failed|pending)$/, ...sides, "url?": "", "format?": "", "alpha?": false, "animated?": false, "frames?": 0,
  "error?": { code: "", message: "", retryable: false }, "warnings?": [""],
  "placeholder?": { "color?": "", "thumbhash?": "", "blurhash?": "", "css?": 0 },
  "variants?": [{
    ...size, "crop?": /^[0-9a-f]{8}$/, "fallback?": "", "stills?": [0], "original?": { url, type: "", "bytes?": 0 },
    // Null stands for a format that a variant does not have.
    "bytes?": [(value) => value === null || Number.isSafeInteger(value)], "urls?": [(value) => value === null || (kindOf(value) === "string" && url.test(value))],
    "headroom?": (value) => isWithin(value, 1, Number.MAX_VALUE),
  }],
  "slots?": { "*": { ...sides, "variants?": [0], "image?": size } },
  "source?": /^[0-9a-f]{32}$/, "alt?": "",
  "focus?": (value) => kindOf(value) === "list" && value.length === 2 && value.every((each: unknown) => isWithin(each, 0, 1)),
};
