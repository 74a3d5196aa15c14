import { numberText } from "./numbers.js";
import { Scanner } from "./scanner.js";
import { elements, members } from "./structure.js";

const named: { readonly [character: string]: string } = {
  '"': '\\"', "\\": "\\\\", "\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r",
};

/** A string as canonical JSON (RFC 8785, section 3.2.2.2). */
export function canonicalString(text: string): string {
  const escaped = text.replace(/["\\\x00-\x1f]/g, (character) =>
    named[character] ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);
  return `"${escaped}"`;
}

/**
 * A value as canonical JSON (RFC 8785): members sorted by the UTF-16 code units of their names, no white space. Members
 * whose value is undefined are left out. Whole numbers of up to 64 bits keep all their digits.
 */
export function canonicalValue(value: unknown): string {
  if (typeof value === "string") return canonicalString(value);
  if (typeof value === "number" || typeof value === "bigint") return numberText(value);
  if (typeof value === "boolean") return String(value);
  if (Array.isArray(value)) return `[${value.map(canonicalValue).join(",")}]`;
  if (typeof value !== "object" || value === null) return "null";
  const object = value as { readonly [name: string]: unknown };
  // The default order of `sort` is that of UTF-16 code units.
  const names = Object.keys(object).filter((name) => object[name] !== undefined).sort();
  return `{${names.map((name) => `${canonicalString(name)}:${canonicalValue(object[name])}`).join(",")}}`;
}

/** Reads a value of any kind, and returns it in its canonical form. All of its members take part. */
export function canonicalText(scanner: Scanner, depth = 0): string {
  const start = scanner.offset;
  switch (scanner.kind(depth)) {
    case "object": return canonicalObject(scanner, depth);
    case "array": {
      let text = "";
      elements(scanner, () => {
        text += (text === "" ? "" : ",") + canonicalText(scanner, depth + 1);
      });
      return `[${text}]`;
    }
    case "string": {
      const from = scanner.offset;
      const text = scanner.string();
      // Most strings have nothing to escape, and their text is canonical as it is.
      return scanner.offset - from === text.length + 2 && !/[\\\x7f-\uffff]/.test(text)
        ? scanner.text.slice(from, scanner.offset) : canonicalString(text);
    }
    case "number": return numberText(scanner.number());
    default: return scanner.text.slice(start, scanner.offset).trim();
  }
}

function canonicalObject(scanner: Scanner, depth: number): string {
  const found: { name: string; text: string }[] = [];
  let isSorted = true;
  let last = "";
  members(scanner, (name) => {
    isSorted = isSorted && last <= name;
    last = name;
    found.push({ name, text: `${canonicalString(name)}:${canonicalText(scanner, depth + 1)}` });
  });
  if (!isSorted) found.sort((one, other) => (one.name < other.name ? -1 : 1));
  let text = "";
  for (const member of found) text += text === "" ? member.text : `,${member.text}`;
  return `{${text}}`;
}
