import { everywhere } from "./formats.js";

/** An image of one pixel in each format. */
const probes: readonly (readonly [type: string, base64: string])[] = [
  ["image/webp", "UklGRiQAAABXRUJQVlA4IBgAAAAwAQCdASoBAAEAAgA0JaQAA3AA/vv9UAA="],
  ["image/avif", "AAAAHGZ0eXBhdmlmAAAAAGF2aWZtaWYxbWlhZgAAAOptZXRhAAAAAAAAACFoZGxyAAAAAAAAAABwaWN0AAAAAAAAAAAAAAAAAAAAAA5waXRtAAAAAAABAAAAImlsb2MAAAAAREAAAQABAAAAAAEOAAEAAAAAAAAAFwAAACNpaW5mAAAAAAABAAAAFWluZmUCAAAAAAEAAGF2MDEAAAAAamlwcnAAAABLaXBjbwAAABNjb2xybmNseAACAAIABoAAAAAMYXYxQ4EADAAAAAAUaXNwZQAAAAAAAAABAAAAAQAAABBwaXhpAAAAAAMICAgAAAAXaXBtYQAAAAAAAAABAAEEgYIDhAAAAB9tZGF0EgAKCBgADkgQEDQgMgkfkAAAQAAAr+4="],
  ["image/jxl", "/woAkAEBqACTYQkAgAqVUcYNXs71fPmhw2LaxnWGttq2sISx2V4YJCSUEmyDYWyhkgQ="],
  ["image/heic", "AAAAGGZ0eXBoZWljAAAAAG1pZjFoZWljAAABrW1ldGEAAAAAAAAAIWhkbHIAAAAAAAAAAHBpY3QAAAAAAAAAAAAAAAAAAAAADnBpdG0AAAAAAAIAAAAQaWRhdAAAAAAAAQABAAAAOGlsb2MBAAAAREAAAgABAAAAAAAAAc0AAQAAAAAAAAAzAAIAAQAAAAAAAAABAAAAAAAAAAgAAAA4aWluZgAAAAAAAgAAABVpbmZlAgAAAQABAABodmMxAAAAABVpbmZlAgAAAAACAABncmlkAAAAANhpcHJwAAAAtmlwY28AAAB2aHZjQwEDcAAAAAAAAAAAAB7wAPz9+PgAAA8DIAABABhAAQwB//8DcAAAAwCQAAADAAADAB66AkAhAAEAKkIBAQNwAAADAJAAAAMAAAMAHqAggQWW6q6a5uBAQMCAAAADAIAAAAMAhCIAAQAGRAHBc8GJAAAAFGlzcGUAAAAAAAAAQAAAAEAAAAAUaXNwZQAAAAAAAAABAAAAAQAAABBwaXhpAAAAAAMICAgAAAAaaXBtYQAAAAAAAAACAAECgQIAAgIDhAAAABppcmVmAAAAAAAAAA5kaW1nAAIAAQABAAAAO21kYXQAAAAvKAGvCchZGNA5I1d//vt9/+mu6HZDbVn8Tr+g7GU6ykOfRLGTzju+DICHg7hey3A="],
];

let detected: Promise<ReadonlySet<string>> | undefined;

/**
 * What this browser shows, of the formats that a pipeline can make: it decodes an image of one pixel in each. Decided
 * once; also in workers, and under a policy that forbids `data:` URLs. Without a decoder, as in Node, what every client
 * shows.
 */
export function detectTypes(): Promise<ReadonlySet<string>> {
  detected ??= detect();
  return detected;
}

async function detect(): Promise<ReadonlySet<string>> {
  const types = new Set(everywhere);
  await Promise.all(probes.map(async ([type, base64]) => {
    if (await isDecoded(type, base64)) types.add(type);
  }));
  return types;
}

async function isDecoded(type: string, base64: string): Promise<boolean> {
  if (typeof createImageBitmap === "function") {
    const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
    try {
      const bitmap = await createImageBitmap(new Blob([bytes], { type }));
      const isWhole = bitmap.width === 1 && bitmap.height === 1;
      bitmap.close();
      return isWhole;
    } catch {
      return false;
    }
  }
  if (typeof Image === "undefined") return false;
  return new Promise((resolve) => {
    const image = new Image();
    image.onload = () => resolve(image.naturalWidth === 1);
    image.onerror = () => resolve(false);
    image.src = `data:${type};base64,${base64}`;
  });
}
