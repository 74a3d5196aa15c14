// The sections of Examples/catalog/cases.json, as Tests/CatalogTests/CaseTests.swift reads them, for the package in
// Sources/Clients/web. Runs in Node and in browsers.
import { documentOf } from "./documents.mjs";

/** What apps for the web import from elsewhere, or not at all. */
const notCovered = new Set(["accept", "appearance", "blurhashes", "cached"]);

/** Runs all sections. Returns the number of rows of each, and what was wrong. */
export function runCases(lib, cases) {
  const text = documentOf(cases.catalog);
  const open = (options = {}, head = {}) => new lib.CatalogIndex(documentOf({ ...cases.catalog, ...head }), { accepting: new Set(), ...options });
  const index = new lib.CatalogIndex(text, { accepting: new Set(lib.typesOf(open().head)) });
  const images = [...index.images].map(({ image }) => image);
  const variants = images.flatMap((image) => image.variants ?? []);
  const variant = (reference) => variants.find(({ files }) => referenceOf(files[0]) === reference);
  // A file, or no answer, as the table names it.
  const name = (file) => file?.reference;
  const context = { lib, cases, open, images, index, variant, name };
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
  const known = [...Object.keys(sectionTests), ...notCovered, "about", "catalog"];
  for (const name of Object.keys(cases)) if (!known.includes(name)) mistakes.push(`${name}: has no check`);
  return { sections, mistakes };
}

/** A number that JSON may not have. */
const number = (value) => ({ nan: NaN, inf: Infinity, "-inf": -Infinity })[value] ?? value;
/** A slot, or a box. */
const place = (value) => (typeof value === "string" ? value
  : { ...value, ...("width" in value ? { width: number(value.width) } : {}), ...("height" in value ? { height: number(value.height) } : {}) });

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

const boxes = (title) => ({ cases, index }, check) => {
  for (const row of cases[title]) check(row, sides(index.image(row[0])?.box(place(row[1]))), row[2]);
};
const frames = (title) => ({ cases, index }, check) => {
  for (const row of cases[title]) check(row, frame(index.image(row[0])?.frame(place(row[1]))), row[2]);
};
const files = (title) => ({ cases, index, name }, check) => {
  for (const row of cases[title]) check(row, name(index.image(row[0])?.file(place(row[1]), number(row[2]))), row[3]);
};

const sectionTests = {
  slotSizes: boxes("slotSizes"), boxSizes: boxes("boxSizes"),
  slotFrames: frames("slotFrames"), boxFrames: frames("boxFrames"),
  slotFiles: files("slotFiles"), boxFiles: files("boxFiles"),
  motion({ cases, open }, check) {
    for (const row of cases.motion) {
      const file = open({ accepting: new Set(row[3]) }).image(row[0])?.file(place(row[1]), row[2], row[4] ?? undefined);
      check(row, [file?.reference ?? null, file?.isAnimated ?? null], row.slice(5));
    }
  },
  blurRule({ lib, cases }, check) {
    check("blurRule", lib.blurRule(), cases.blurRule);
  },
  types({ lib, cases, index }, check) {
    check("types", lib.typesOf(index.head), cases.types);
  },
  filesFor({ cases, open, images, variant, name }, check) {
    for (const row of cases.filesFor) {
      const image = images.find((each) => each.variants?.includes(variant(row[0])));
      const { width, height, crop } = variant(row[0]);
      // A slot of one scale that has this variant.
      const slots = { here: { width: 180, height: 180, variants: [image.variants.findIndex((each) => each.width === width && each.height === height && each.crop === crop)] } };
      const written = cases.catalog.images.map((each) => (each.id === image.id ? { ...each, slots } : each));
      check(row, name(open({ accepting: new Set(row[1]) }, { images: written, scales: [1] }).image(image.id).file("here", 1)), row[2]);
    }
  },
  highDynamicRange({ cases, variant }, check) {
    for (const row of cases.highDynamicRange) {
      const file = variant(row[0]).highDynamicRange;
      check(row, file && referenceOf(file), row[1]);
    }
  },
  acceptedFiles({ cases, open }, check) {
    for (const row of cases.acceptedFiles) {
      const index = open({ accepting: new Set(row[3]), from: row[4] ?? undefined });
      check(row, index.image(row[0])?.file(row[1], row[2])?.url, row[5]);
    }
  },
  resolved({ cases, open }, check) {
    for (const row of cases.resolved) check(row, open({ from: row[1] ?? "" }, { baseURL: row[0] ?? undefined }).url(row[2]), row[3]);
    const error = thrown(() => open({}, { baseURL: undefined }));
    check("from", error instanceof TypeError && error.message.includes('"from" must say'), true);
  },
  urls({ cases, index }, check) {
    for (const row of cases.urls) check(row, index.url(row[0]), row[1]);
  },
  prefetch({ lib, cases }, check) {
    const files = (names) => [...names].map((reference) => ({ reference }));
    const text = (list) => list.map(({ reference }) => reference).join("");
    const requests = (names, isVisible) => files(names).map((file) => ({ file, isVisible }));
    for (const row of cases.prefetch) {
      const step = new lib.Prefetch(row.requests, row.upcomingRequests).step({
        visible: row.visible.map(files), upcoming: files(row.upcoming),
        inFlight: [...requests(row.inFlight.visible, true), ...requests(row.inFlight.upcoming, false)],
        isLoaded: (reference) => row.loaded.includes(reference),
        failed: new Map(Object.entries(row.failed ?? {}).map(([reference, [count, time]]) => [reference, { count, time }])), now: row.now,
      });
      const started = (isVisible) => text(step.start.filter((each) => each.isVisible === isVisible).map(({ file }) => file));
      const changed = (isVisible) => [...step.priorities].filter((each) => each[1] === isVisible).map(([reference]) => reference).join("");
      const { start, cancel, promote, demote, wait } = row;
      check(row, [started(true), started(false), text(step.cancel), changed(true), changed(false), step.wait ?? null],
        [start.visible, start.upcoming, cancel, promote, demote, wait]);
    }
  },
  /** Samples may differ by 1: engines compute cosines with other last digits than the Swift library. */
  thumbhashes({ lib, cases }, check) {
    for (const row of cases.thumbhashes) {
      const pixels = lib.placeholderPixels({ thumbhash: row.hash }, Math.max(row.width ?? 32, row.height ?? 32));
      check(row, [pixels?.width, pixels?.height], [row.width, row.height]);
      // The first and the last two pixels.
      const ends = pixels && [...pixels.samples.slice(0, 8), ...pixels.samples.slice(-8)];
      check(row, ends?.length === row.ends?.length && (ends ?? []).every((sample, at) => Math.abs(sample - row.ends[at]) <= 1), true);
    }
  },
  errors({ lib, cases }, check) {
    for (const row of cases.errors) {
      const error = thrown(() => [...new lib.CatalogIndex(row[0], { accepting: new Set(), from: "/" }).images]);
      check(row, error instanceof lib.CatalogError && error.member, row[1]);
    }
  },
  references({ lib, cases }, check) {
    for (const row of cases.references) {
      const variants = [...new lib.CatalogIndex(row[0], { accepting: new Set(), from: "/" }).images].flatMap(({ image }) => image.variants);
      check(row, variants.flatMap(({ files }) => files.map(referenceOf)), row[1]);
    }
  },
  lenient({ lib, cases }, check) {
    const index = new lib.CatalogIndex(cases.lenient.text, { accepting: new Set(), from: "/" });
    const problems = [];
    const ids = Array.from({ length: index.head.count }, (_, position) => {
      let entry;
      const error = thrown(() => { entry = index.at(position); });
      if (error !== undefined) problems.push(error instanceof lib.CatalogError && error.member);
      return entry?.id;
    });
    check("ids", ids.filter((id) => id !== undefined), cases.lenient.ids);
    check("problems", problems, cases.lenient.problems);
    for (const id of cases.lenient.ids) check(id, index.image(id)?.id, id);
  },
  changesURLs({ lib, cases }, check) {
    for (const [digest, url, expected] of cases.changesURLs) check([digest, url], lib.changesURL(digest, url), expected);
  },
  // Not in the table: the same slots as in the Swift test.
  misspelt({ lib, index }, check) {
    lib.requireSlots(index, "card", "avatar");
    const error = thrown(() => lib.requireSlots(index, "card", "crad"));
    check("crad", error?.message, 'the catalog has no slot "crad"; did you mean "card"?');
    check("crad", error instanceof lib.UnknownSlotError, true);
    const other = thrown(() => lib.requireSlots(index, "banner"));
    check("banner", other?.message, 'the catalog has no slot "banner"; it has avatar, card, cover');
  },
};
