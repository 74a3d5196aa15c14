import { ScanFailure } from "../json/failure.js";
import { Scanner } from "../json/scanner.js";
import { beginObject, elements, MemberNames, members, nextName, put, skip, value } from "../json/structure.js";
import { Image } from "../model.js";

type Reader = (scanner: Scanner) => unknown;

/** A member of a record, in the order of the file. */
interface Member {
  name: string;
  read: Reader;
  isRequired?: boolean;
  /** Whether a `null` is the same as no member. */
  isNullable?: boolean;
}

const required = (name: string, read: Reader): Member => ({ name, read, isRequired: true });
const optional = (name: string, read: Reader): Member => ({ name, read, isNullable: true });

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

  has(place: number): boolean {
    return ((this.places >> place) & 1) === 1;
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
    const record: { [name: string]: unknown } = {};
    const seen = new Seen();
    beginObject(scanner);
    for (let isFirst = true; ; isFirst = false) {
      const name = nextName(scanner, isFirst);
      if (name === undefined) break;
      this.readMember(name, scanner.nameOffset, scanner, record, seen);
    }
    const missing = this.missing(seen);
    if (missing !== undefined) throw scanner.failure(`"${missing}" is missing`, start);
    return record;
  }

  /** Reads the value of one member. */
  readMember(name: string, offset: number, scanner: Scanner, record: { [name: string]: unknown }, seen: Seen): void {
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

  /** The first required member that has not been met. */
  missing(seen: Seen): string | undefined {
    return this.list.find((member, place) => member.isRequired === true && !seen.has(place))?.name;
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

const alternative = record(
  required("path", string), required("type", string), required("bytes", int), optional("sha256", string),
  optional("fallback", string));

const variant = record(
  required("path", string), required("type", string), required("width", int), required("height", int),
  required("bytes", int), optional("sha256", string), optional("fallback", string),
  optional("also", list(alternative)));

const source = record(
  optional("url", string), optional("bytes", int), required("sha256", string), optional("width", int),
  optional("height", int), optional("orientation", int), optional("colourSpace", string),
  optional("profile", string), optional("etag", string), optional("lastModified", string),
  optional("robots", string));

const image = record(
  required("id", string), required("url", string), required("status", word("ok", "stale", "failed", "pending")),
  optional("width", int), optional("height", int), optional("format", string), optional("alpha", bool),
  optional("animated", bool), optional("frames", int),
  optional("error", record(required("code", string), required("message", string), required("retryable", bool))),
  optional("warnings", list(string)),
  optional("placeholder", record(
    optional("color", string), optional("thumbhash", string), optional("blurhash", string), optional("lqip", string))),
  { name: "variants", read: list(variant) },
  { name: "slots", read: dictionary(record(
    required("width", int), required("height", int), required("variants", list(int)))) },
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
  optional("digest", string),
  optional("count", int),
]);

/** The form of a path: apps join paths to URLs and folders, so one that leads elsewhere is rejected. */
const pathForm = /^variants\/([0-9a-f]{2})\/\1[0-9a-f]{30}-[0-9]{1,9}x[0-9]{1,9}\.[a-z0-9]{1,8}$/;

/** Reads an image, and checks its paths. */
export function readImage(scanner: Scanner): Image {
  const start = scanner.offset;
  const result = image(scanner) as Image;
  const check = (path: string, ...parts: (string | number)[]): ScanFailure | undefined => {
    if (pathForm.test(path)) return undefined;
    scanner.path.push("variants", ...parts, "path");
    const found = Array.from(path).slice(0, 80).join("");
    return scanner.failure(`expected a path such as variants/3f/3f9c…-192x256.webp, found "${found}"`, start);
  };
  (result.variants ?? []).forEach((variant, index) => {
    let failure = check(variant.path, index);
    (variant.also ?? []).forEach((other, place) => {
      failure ??= check(other.path, index, "also", place);
    });
    if (failure !== undefined) throw failure;
  });
  return result;
}
