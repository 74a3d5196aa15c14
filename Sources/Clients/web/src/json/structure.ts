import { Scanner } from "./scanner.js";

/** The member names of an object so far, to detect duplicates. */
export class MemberNames {
  private readonly names = new Set<string>();

  /** Returns false if the name is a duplicate. Two spellings of one text (U+00E9, and U+0065 U+0301) are. */
  insert(name: string): boolean {
    const key = /^[\0-\x7f]*$/.test(name) ? name : name.normalize("NFC");
    if (this.names.has(key)) return false;
    this.names.add(key);
    return true;
  }
}

/**
 * Reads the name of an object's next member, up to and including the colon, and notes where the name begins. Returns
 * undefined at the end of the object, after its "}".
 */
export function nextName(scanner: Scanner, isFirst: boolean): string | undefined {
  scanner.skipSpace();
  if (scanner.take(0x7d)) return undefined;
  if (!isFirst) {
    if (!scanner.take(0x2c)) throw scanner.unexpected('"," or "}"');
    scanner.skipSpace();
  }
  // Also after a comma: JSON allows no trailing one (RFC 8259, section 4).
  const { offset } = scanner;
  if (scanner.text.charCodeAt(offset) !== 0x22) throw scanner.unexpected("a member's name in quotes");
  const name = scanner.string();
  scanner.skipSpace();
  if (!scanner.take(0x3a)) throw scanner.unexpected('":" after a member\'s name');
  scanner.nameOffset = offset;
  return name;
}

/** Reads the "{" of an object. */
export function beginObject(scanner: Scanner): void {
  scanner.skipSpace();
  if (!scanner.take(0x7b)) throw scanner.mismatch("an object");
}

/** Reads an object; the body reads the value of each name. Duplicate names are the body's matter. */
export function members(scanner: Scanner, body: (name: string, offset: number) => void): void {
  beginObject(scanner);
  for (let isFirst = true; ; isFirst = false) {
    const name = nextName(scanner, isFirst);
    if (name === undefined) return;
    scanner.path.push(name);
    body(name, scanner.nameOffset);
    scanner.path.pop();
  }
}

/** Reads an object without duplicate names. */
export function uniqueMembers(scanner: Scanner, body: (name: string) => void): void {
  const names = new MemberNames();
  members(scanner, (name, offset) => {
    if (!names.insert(name)) throw scanner.duplicate(name, offset);
    body(name);
  });
}

/** Reads an array; the body reads each element. */
export function elements(scanner: Scanner, body: () => void): void {
  scanner.skipSpace();
  if (!scanner.take(0x5b)) throw scanner.mismatch("an array");
  scanner.skipSpace();
  if (scanner.take(0x5d)) return;
  // From here on an element must follow: JSON allows no trailing comma (RFC 8259, section 5).
  for (let index = 0; ; index += 1) {
    scanner.path.push(index);
    body();
    scanner.path.pop();
    scanner.skipSpace();
    if (scanner.take(0x5d)) return;
    if (!scanner.take(0x2c)) throw scanner.unexpected('"," or "]"');
  }
}

/** Sets a member of any name; `__proto__` is an ordinary name in JSON. */
export function put(object: { [name: string]: unknown }, name: string, value: unknown): void {
  if (name === "__proto__") {
    Object.defineProperty(object, name, { value, configurable: true, enumerable: true, writable: true });
  } else {
    object[name] = value;
  }
}

/** Reads a value of any kind, as `JSON.parse` does; see `Scanner.number` for large integers. */
export function value(scanner: Scanner, depth = 0): unknown {
  switch (scanner.kind(depth)) {
    case "object": {
      const object: { [name: string]: unknown } = {};
      uniqueMembers(scanner, (name) => put(object, name, value(scanner, depth + 1)));
      return object;
    }
    case "array": {
      const list: unknown[] = [];
      elements(scanner, () => list.push(value(scanner, depth + 1)));
      return list;
    }
    case "string": return scanner.string();
    case "number": return scanner.number();
    case "true": return true;
    case "false": return false;
    case "null": return null;
  }
}

/** Reads a value of any kind and discards it. It must be as valid as any other. */
export function skip(scanner: Scanner): void {
  value(scanner);
}
