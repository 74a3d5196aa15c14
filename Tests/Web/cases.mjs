// The sections of Examples/catalog/cases.json, as Tests/CatalogTests/CaseTests.swift reads them, for the package in
// Sources/Clients/web. Runs in Node and in browsers.
import { documentOf } from "./documents.mjs";

/** Runs all sections. Returns the number of rows of each, and what was wrong. */
export function runCases(lib, cases) {
  const catalog = lib.readCatalog(documentOf(cases.catalog));
  const images = [...catalog.images];
  const index = new lib.CatalogIndex(catalog, { accepting: new Set(lib.typesOf(catalog)) });
  const variants = images.flatMap((image) => image.variants ?? []);
  const variant = (reference) => variants.find(({ files }) => referenceOf(files[0]) === reference);
  const pairs = images.flatMap((image) => (image.variants ?? []).flatMap((each) =>
    each.files.map((file) => ({ image: index.context.entry(image), file: index.context.file(file, each) }))));
  /** A file of the catalog in any format, with its image. */
  const find = (reference) => pairs.find(({ file }) => file.reference === reference);
  // A file, or no answer, as the table names it.
  const name = (file) => file?.reference;
  const context = { lib, cases, catalog, images, index, variant, find, name };
  const sections = {};
  const mistakes = [];
  for (const [title, section] of Object.entries(sectionTests)) {
    const check = (row, found, expected) => {
      sections[title] = (sections[title] ?? 0) + 1;
      const [one, other] = [JSON.stringify(found ?? null), JSON.stringify(expected ?? null)];
      if (one !== other) mistakes.push(`${title}: ${JSON.stringify(row).slice(0, 300)}: ${one} instead of ${other}`);
    };
    section(context, check);
    if (!sections[title]) mistakes.push(`${title}: nothing was checked`);
  }
  const known = [...Object.keys(sectionTests), "about", "catalog"];
  for (const name of Object.keys(cases)) if (!known.includes(name)) mistakes.push(`${name}: has no check`);
  return { sections, mistakes };
}

const referenceOf = ({ url, path }) => url ?? path ?? "";

const sides = (size) => size && [size.width, size.height];
/** Thousandths count, because not all fractions are exact. */
const frame = (found) => found && [found.x, found.y, found.width, found.height].map((side) => Math.round(side * 1000) / 1000 + 0);

/** What a body throws. */
function thrown(body) {
  try {
    body();
    return undefined;
  } catch (error) {
    return error;
  }
}

const sectionTests = {
  slotSizes({ cases, index }, check) {
    for (const row of cases.slotSizes) check(row, sides(index.get(row[0])?.layoutSize(row[1])), row[2]);
  },
  slotFiles({ cases, index, name }, check) {
    for (const row of cases.slotFiles) check(row, name(index.get(row[0])?.file(row[1], row[2])), row[3]);
  },
  slotFrames({ cases, index }, check) {
    for (const row of cases.slotFrames) check(row, frame(index.get(row[0])?.frame(row[1])), row[2]);
  },
  boxFrames({ cases, index }, check) {
    for (const row of cases.boxFrames) check(row, frame(index.get(row[0])?.frame(row[1])), row[2]);
  },
  boxSizes({ cases, index }, check) {
    for (const row of cases.boxSizes) check(row, sides(index.get(row[0])?.layoutSize(row[1])), row[2]);
  },
  boxFiles({ cases, index, name }, check) {
    for (const row of cases.boxFiles) check(row, name(index.get(row[0])?.file(row[1], row[2])), row[3]);
  },
  blurRule({ lib, cases }, check) {
    check("blurRule", lib.blurRule(), cases.blurRule);
  },
  types({ cases, index }, check) {
    check("types", index.types, cases.types);
  },
  filesFor({ lib, cases, catalog, variant, name }, check) {
    for (const row of cases.filesFor) {
      const context = new lib.CatalogContext(catalog, { accepting: new Set(row[1]) });
      check(row, name(context.fileOf(variant(row[0]))), row[2]);
    }
  },
  highDynamicRange({ cases, images, index, variant, name }, check) {
    for (const row of cases.highDynamicRange) {
      const image = images.find((each) => each.variants?.includes(variant(row[0])));
      // A slot of one scale that has this variant.
      const place = { ...image, slots: { here: { width: 1, height: 1, variants: [image.variants.indexOf(variant(row[0]))] } } };
      check(row, name(index.context.entry(place).highDynamicRangeFile("here", 1)), row[1]);
    }
  },
  acceptedFiles({ lib, cases, catalog }, check) {
    for (const row of cases.acceptedFiles) {
      const index = new lib.CatalogIndex(catalog, { accepting: new Set(row[3]), from: row[4] ?? undefined });
      check(row, index.get(row[0])?.file(row[1], row[2])?.url, row[5]);
    }
  },
  resolved({ lib, cases, catalog }, check) {
    for (const row of cases.resolved) {
      const head = { ...catalog, baseURL: row[0] ?? undefined };
      check(row, new lib.CatalogContext(head, { accepting: new Set(), from: row[1] ?? undefined }).url(row[2]), row[3]);
    }
    const error = thrown(() => new lib.CatalogContext({ ...catalog, baseURL: undefined }, { accepting: new Set() }));
    check("from", error instanceof TypeError && error.message.includes('"from" must say'), true);
  },
  accept({ lib, cases }, check) {
    for (const row of cases.accept) check(row, [...lib.supportedTypes(row[0])].sort(), row[1]);
  },
  urls({ cases, index }, check) {
    for (const row of cases.urls) check(row, index.context.url(row[0]), row[1]);
  },
  appearance({ cases, index, find }, check) {
    for (const row of cases.appearance) {
      const found = index.get(row[0]).appearance(row[1], row[2] === null ? undefined : find(row[2]).file);
      const words = {
        placeholder: () => found.placeholder.kind,
        failure: () => (found.error ? `failure ${found.error.code}` : "failure"),
      };
      check(row, words[found.kind]?.() ?? found.kind, row[3]);
    }
  },
  cached({ cases, find, name }, check) {
    for (const row of cases.cached) {
      const { image, file } = find(row[0]);
      check(row, name(image.cachedFile(file, (reference) => row[1].includes(reference))), row[2]);
    }
  },
  prefetch({ lib, cases }, check) {
    const files = (names = "") => [...names].map((reference) => ({ reference, bytes: 100, width: 1, height: 1 }));
    const names = (list) => list.map(({ reference }) => reference).join("");
    for (const row of cases.prefetch) {
      const step = new lib.Prefetch(row.requests, row.bytes).step({
        visible: row.visible.map(files), upcoming: files(row.upcoming), inFlight: files(row.inFlight),
        isLoaded: (reference) => (row.loaded ?? "").includes(reference),
      });
      check(row, [names(step.start), names(step.cancel)], [row.start, row.cancel]);
    }
  },
  prefetchFiles({ lib, cases, find, name }, check) {
    const files = (references) => references.map((each) => find(each).file);
    for (const row of cases.prefetchFiles) {
      const step = new lib.Prefetch(row.requests, row.bytes).step({
        visible: row.visible.map(files), upcoming: files(row.upcoming), inFlight: files(row.inFlight),
        isLoaded: (reference) => row.loaded.includes(reference),
      });
      check(row, [step.start.map(name), step.cancel.map(name)], [row.start, row.cancel]);
    }
  },
  thumbhashes: (context, check) => placeholders(context, check, "thumbhash"),
  blurhashes: (context, check) => placeholders(context, check, "blurhash"),
  errors({ lib, cases }, check) {
    for (const row of cases.errors) {
      const error = thrown(() => [...lib.readCatalog(row[0]).images]);
      check(row, error instanceof lib.CatalogError && error.member, row[1]);
      if (row.length > 2) check(row, error.reason, row[2]);
    }
  },
  references({ lib, cases }, check) {
    for (const row of cases.references) {
      const variants = [...lib.readCatalog(row[0]).images].flatMap((image) => image.variants);
      check(row, variants.flatMap(({ files }) => files.map(referenceOf)), row[1]);
    }
  },
  lenient({ lib, cases }, check) {
    const { images } = lib.readCatalog(cases.lenient.text);
    const problems = [];
    const ids = Array.from({ length: images.length }, (_, position) => {
      let image;
      const error = thrown(() => { image = images.at(position); });
      if (error !== undefined) problems.push(error instanceof lib.CatalogError && error.member);
      return image?.id;
    });
    check("ids", ids.filter((id) => id !== undefined), cases.lenient.ids);
    check("problems", problems, cases.lenient.problems);
    for (const id of cases.lenient.ids) check(id, images.at(images.position(id))?.id, id);
  },
  changesURLs({ lib, cases, catalog }, check) {
    for (const [digest, url, expected] of cases.changesURLs) check([digest, url], lib.changesURL({ ...catalog, digest }, url), expected);
  },
  // Not in the table: the same slots as in the Swift test.
  misspelt({ lib, catalog }, check) {
    lib.requireSlots(catalog, "card", "avatar");
    const error = thrown(() => lib.requireSlots(catalog, "card", "crad"));
    check("crad", error?.message, 'the catalog has no slot "crad"; did you mean "card"?');
    check("crad", error instanceof lib.UnknownSlotError, true);
    const other = thrown(() => lib.requireSlots(catalog, "banner"));
    check("banner", other?.message, 'the catalog has no slot "banner"; it has avatar, card, cover');
  },
};

/** Samples may differ by 1: engines compute cosines and powers with other last digits than the Swift library. */
function placeholders({ lib, cases }, check, kind) {
  for (const row of cases[`${kind}es`]) {
    const pixels = lib.pixelsOf({ kind, data: row.hash }, { width: row.width, height: row.height });
    check(row, [pixels?.width, pixels?.height], [row.width, row.height]);
    // The first and the last two pixels.
    const ends = pixels && [...pixels.samples.slice(0, 8), ...pixels.samples.slice(-8)];
    const isNear = (sample, place) => Math.abs(sample - row.ends[place]) <= 1;
    check(row, ends?.length === row.ends?.length && (ends ?? []).every(isNear), true);
  }
}
