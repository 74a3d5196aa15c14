import { canonicalString, canonicalText } from "../json/canonical.js";
import { ScanFailure } from "../json/failure.js";
import { Scanner } from "../json/scanner.js";
import { SHA256 } from "../json/sha256.js";
import { Catalog } from "../model.js";
import { headType, Seen } from "./records.js";

export const schema = "tessera-catalog/1";

/** Collects the members of a document that are not images, in whatever order they arrive. */
export class HeadReader {
  hasImages = false;
  private readonly members: { [name: string]: unknown } = {};
  private readonly seen = new Seen();

  /** The number of images that the catalog states. */
  get count(): number | undefined {
    return this.members["count"] as number | undefined;
  }

  /** The first required member that has not arrived. */
  get missing(): string | undefined {
    return headType.missing(this.members);
  }

  /** The catalog without its images; undefined until all required members have arrived. */
  get head(): Catalog | undefined {
    if (this.missing !== undefined) return undefined;
    const { count: _, ...head } = this.members;
    return { ...head, images: [] } as unknown as Catalog;
  }

  /** Reads the value of one member. */
  read(name: string, scanner: Scanner): void {
    scanner.skipSpace();
    const start = scanner.offset;
    headType.readMember(name, start, scanner, this.members, this.seen);
    const base = this.members["baseURL"];
    if (name === "baseURL" && typeof base === "string" && !isBase(base)) {
      const found = Array.from(base).slice(0, 80).join("");
      throw new ScanFailure(start, `expected a URL that begins with http:// or https://, or one without a scheme, found "${found}"`, name);
    }
    const found = this.members["schema"];
    if (found !== undefined && found !== schema) {
      throw new ScanFailure(
        start, `expected "${schema}", the only version that this library reads, found "${String(found)}"`, name);
    }
  }
}

/** Whether paths may be joined to it: a URL of the web, or one without a scheme, which is relative to the catalog's. */
const isBase = (text: string): boolean =>
  (/^https?:\/\/./.test(text) || !/^[^/]*:/.test(text)) && !/[\x00-\x20\x7f-\x9f"<>\\]/.test(text);

/** Computes the digest of a catalog while it is read: of its canonical form without its number of images and digest. */
export class DigestReader {
  private readonly hash = new SHA256();
  private readonly encoder = new TextEncoder();
  private readonly members: { name: string; text: string }[] = [];
  private hasBegun = false;
  private isFirst = true;

  /** Whether it is too late for a member: its place was before the images. */
  isLate(name: string): boolean {
    return this.hasBegun && name < "images" && name !== "count" && name !== "digest";
  }

  /** @param scanner at the value of a member of the head. */
  addMember(name: string, scanner: Scanner): void {
    if (name === "count" || name === "digest") return;
    this.members.push({ name, text: `${canonicalString(name)}:${canonicalText(scanner)}` });
  }

  /** To be called before the first image. */
  begin(): void {
    this.hasBegun = true;
    this.members.sort((one, other) => (one.name < other.name ? -1 : 1));
    const before = this.members.filter(({ name }) => name < "images").map(({ text }) => `${text},`);
    this.update(`{${before.join("")}"images":[`);
  }

  /** @param scanner at an image. */
  addImage(scanner: Scanner): void {
    this.update((this.isFirst ? "" : ",") + canonicalText(scanner));
    this.isFirst = false;
  }

  /** The digest, in hexadecimal. */
  end(): string {
    this.members.sort((one, other) => (one.name < other.name ? -1 : 1));
    const after = this.members.filter(({ name }) => name > "images").map(({ text }) => `,${text}`);
    this.update(`]${after.join("")}}`);
    return this.hash.hex();
  }

  private update(text: string): void {
    this.hash.update(this.encoder.encode(text));
  }
}
