import type { CatalogHead } from "./model.js";

/** What every client shows. */
export const everywhere: ReadonlySet<string> = new Set(["image/jpeg", "image/png", "image/gif"]);

/** The media types of the formats, in their order of preference; those that only take the place of another come last. */
export const typesOf = ({ formats }: Pick<CatalogHead, "formats">): string[] =>
  [...new Set(formats.filter(({ dynamicRange }) => dynamicRange === undefined).map(({ type }) => type))];

/**
 * What this browser shows of the formats that a pipeline can make: of a `picture` element it chooses the source of a type that it can
 * show, whether that loads or not. Without elements, as in a worker or in Node, what every client shows.
 */
export async function detectTypes(): Promise<Set<string>> {
  const tried = typeof document === "undefined" ? [] : ["image/webp", "image/avif", "image/jxl", "image/heic"].map((type) => {
    const [source, image] = [document.createElement("source"), new Image()];
    [source.type, source.srcset] = [type, "data:,1"];
    document.createElement("picture").append(source, image);
    image.src = "data:,2";
    return { type, image };
  });
  // The choice is made before the next task.
  await new Promise((resolve) => setTimeout(resolve));
  return new Set([...everywhere, ...tried.flatMap(({ type, image }) => (image.currentSrc === "data:,1" ? [type] : []))]);
}
