import { Scanner } from "../json/scanner.js";
import { beginObject, elements, MemberNames, members, nextName, put, skip, value } from "../json/structure.js";
import { Alternative, Image, Variant } from "../model.js";

type Reader = (scanner: Scanner) => unknown;

type Members = { [name: string]: unknown };

/** A member of a record, in the order of the file. */
interface Member {
  name: string;
  read: Reader;
  /** Whether an object with these members must have it. */
  isRequired?: (members: Members) => boolean;
  /** Whether a `null` is the same as no member. */
  isNullable?: boolean;
}

const required = (name: string, read: Reader): Member => ({ name, read, isRequired: () => true });
const optional = (name: string, read: Reader): Member => ({ name, read, isNullable: true });
const requiredIf = (isRequired: (members: Members) => boolean, name: string, read: Reader): Member =>
  ({ name, read, isRequired, isNullable: true });

/** The members of one object that a reader has met. */
export class Seen {
  /** A bit for each place in the record's list. The longest list has 18 members. */
  private places = 0;
  private unknown: MemberNames | undefined;

  /** Returns false if the member was met before. */
  insert(place: number): boolean {
    const bit = 1 << place;
    const isNew = (this.places & bit) === 0;
    this.places |= bit;
    return isNew;
  }

  insertUnknown(name: string): boolean {
    this.unknown ??= new MemberNames();
    return this.unknown.insert(name);
  }
}

/** A JSON object with known members. It ignores those that this version does not know. */
export class RecordType {
  private readonly places = new Map<string, number>();

  constructor(private readonly list: readonly Member[]) {
    list.forEach((member, place) => this.places.set(member.name, place));
  }

  read(scanner: Scanner): unknown {
    scanner.skipSpace();
    const start = scanner.offset;
    const record: Members = {};
    const seen = new Seen();
    beginObject(scanner);
    for (let isFirst = true; ; isFirst = false) {
      const name = nextName(scanner, isFirst);
      if (name === undefined) break;
      this.readMember(name, scanner.nameOffset, scanner, record, seen);
    }
    const missing = this.missing(record);
    if (missing !== undefined) throw scanner.failure(`"${missing}" is missing`, start);
    return record;
  }

  /** Reads the value of one member. */
  readMember(name: string, offset: number, scanner: Scanner, record: Members, seen: Seen): void {
    scanner.path.push(name);
    const place = this.places.get(name);
    const member = place === undefined ? undefined : this.list[place];
    if (place === undefined || member === undefined) {
      if (!seen.insertUnknown(name)) throw scanner.duplicate(name, offset);
      skip(scanner);
    } else {
      if (!seen.insert(place)) throw scanner.duplicate(name, offset);
      if (member.isNullable !== true || !scanner.null()) record[name] = member.read(scanner);
    }
    scanner.path.pop();
  }

  /** The first required member that the record lacks. */
  missing(record: Members): string | undefined {
    return this.list.find(({ name, isRequired }) => record[name] === undefined && isRequired?.(record) === true)?.name;
  }
}

const string: Reader = (scanner) => scanner.string();
const int: Reader = (scanner) => scanner.int();
const bool: Reader = (scanner) => scanner.bool();

const list = (element: Reader): Reader => (scanner) => {
  const values: unknown[] = [];
  elements(scanner, () => values.push(element(scanner)));
  return values;
};

/** An object with free names. */
const dictionary = (element: Reader): Reader => (scanner) => {
  const values: { [name: string]: unknown } = {};
  const names = new MemberNames();
  members(scanner, (name, offset) => {
    put(values, name, element(scanner));
    if (!names.insert(name)) throw scanner.duplicate(name, offset);
  });
  return values;
};

const record = (...list: Member[]): Reader => {
  const type = new RecordType(list);
  return (scanner) => type.read(scanner);
};

const word = (...words: string[]): Reader => (scanner) => {
  scanner.skipSpace();
  const start = scanner.offset;
  const text = scanner.string();
  if (words.includes(text)) return text;
  const choices = words.map((each) => `"${each}"`).join(", ");
  throw scanner.failure(`expected one of ${choices}, found "${text}"`, start);
};

const focus: Reader = (scanner) => {
  scanner.skipSpace();
  const start = scanner.offset;
  const numbers: number[] = [];
  elements(scanner, () => numbers.push(Number(scanner.numberText())));
  if (numbers.length === 2 && numbers.every((each) => each >= 0 && each <= 1)) return numbers.map((each) => each + 0);
  throw scanner.failure("expected two numbers from 0 to 1", start);
};

const ratio: Reader = (scanner) => {
  scanner.skipSpace();
  const start = scanner.offset;
  const number = Number(scanner.numberText());
  if (number >= 1 && Number.isFinite(number)) return number;
  throw scanner.failure("expected a number of at least 1", start);
};

const path = requiredIf(({ url }) => url === undefined, "path", string);
const bytes = requiredIf(({ path }) => path !== undefined, "bytes", int);

const alternative = record(
  path, optional("url", string), required("type", string), bytes, optional("sha256", string),
  optional("quality", int), optional("score", int), optional("fallback", string),
  optional("dynamicRange", string), optional("headroom", ratio));

const variant = record(
  path, optional("url", string), required("type", string), required("width", int), required("height", int),
  bytes, optional("original", bool), optional("sha256", string), optional("quality", int), optional("score", int),
  optional("fallback", string), optional("also", list(alternative)));

const source = record(
  optional("url", string), optional("bytes", int), required("sha256", string), optional("width", int),
  optional("height", int), optional("orientation", int), optional("colourSpace", string),
  optional("profile", string), optional("etag", string), optional("lastModified", string),
  optional("robots", string));

const image = record(
  required("id", string), optional("url", string), required("status", word("ok", "stale", "failed", "pending")),
  optional("width", int), optional("height", int), optional("format", string), optional("alpha", bool),
  optional("animated", bool), optional("frames", int),
  optional("error", record(required("code", string), required("message", string), required("retryable", bool))),
  optional("warnings", list(string)),
  optional("placeholder", record(
    optional("color", string), optional("thumbhash", string), optional("blurhash", string), optional("lqip", string),
    optional("css", int))),
  { name: "variants", read: list(variant) },
  { name: "slots", read: dictionary(record(
    required("width", int), required("height", int),
    optional("image", record(required("width", int), required("height", int))), optional("cropped", bool),
    required("variants", list(int)))) },
  optional("source", source), optional("alt", string), optional("focus", focus), { name: "extra", read: value });

/** Everything but the images. */
export const headType = new RecordType([
  required("schema", string),
  required("generator", record(required("name", string), required("version", string), required("libvips", string))),
  required("pipeline", record(required("name", string), required("fingerprint", string))),
  optional("baseURL", string),
  required("slots", dictionary(record(
    optional("width", int), optional("height", int), required("mode", word("fit", "fill", "clip"))))),
  required("scales", list(int)),
  optional("tables", dictionary(list(record(
    required("scale", int), required("pixels", string), required("files", list(record(
      required("path", string), required("prefix", string), required("width", int), required("height", int),
      required("count", int), required("bytes", int), required("sha256", string), optional("index", string)))))))),
  optional("digest", string),
  optional("count", int),
]);

/**
 * The forms of what leads to a file. Apps join paths to URLs and folders, so a path that leads elsewhere is rejected; URLs
 * become part of markup, so characters that end an attribute or are not part of a URL are rejected.
 */
const forms = [
  { name: "path", pattern: /^variants\/([0-9a-f]{2})\/\1[0-9a-f]{30}-[0-9]{1,9}x[0-9]{1,9}\.[a-z0-9]{1,8}$/,
    expected: "a path such as variants/3f/3f9c…-192x256.webp" },
  { name: "url", pattern: /^https?:\/\/[^\x00-\x20\x7f-\x9f"<>\\]+$/,
    expected: "a URL that begins with http:// or https://" },
] as const;

/** Reads an image, and checks its paths and URLs. */
export function readImage(scanner: Scanner): Image {
  const start = scanner.offset;
  const result = image(scanner) as Image;
  const check = (file: Variant | Alternative, ...place: (string | number)[]): void => {
    for (const { name, pattern, expected } of forms) {
      const text = file[name];
      if (text === undefined || pattern.test(text)) continue;
      scanner.path.push("variants", ...place, name);
      const found = Array.from(text).slice(0, 80).join("");
      throw scanner.failure(`expected ${expected}, found "${found}"`, start);
    }
  };
  (result.variants ?? []).forEach((variant, index) => {
    check(variant, index);
    (variant.also ?? []).forEach((other, place) => check(other, index, "also", place));
  });
  return result;
}
