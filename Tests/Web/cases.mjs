// The sections of Examples/catalog/cases.json, as Tests/CatalogTests/CaseTests.swift reads them, for the package in
// Sources/Clients/web. Runs in Node and in browsers.

/** Runs all sections. Returns the number of rows of each, and what was wrong. */
export function runCases(lib, cases) {
  const catalog = lib.readCatalog(JSON.stringify(cases.catalog));
  const index = new lib.CatalogIndex(catalog);
  const variants = catalog.images.flatMap((image) => image.variants ?? []);
  const variant = (reference) => variants.find((each) => lib.referenceOf(each) === reference);
  // A file, or no answer, as the table names it.
  const name = (file) => file && lib.referenceOf(file);
  const context = { lib, cases, catalog, index, variant, name };
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
    for (const row of cases.slotSizes) check(row, sides(index.layoutSize(row[0], row[1])), row[2]);
  },
  slotFiles({ cases, index, name }, check) {
    for (const row of cases.slotFiles) check(row, name(index.variant(row[0], row[1], row[2])), row[3]);
  },
  slotFrames({ cases, index }, check) {
    for (const row of cases.slotFrames) check(row, frame(index.frame(row[0], row[1])), row[2]);
  },
  boxFrames({ cases, index }, check) {
    for (const row of cases.boxFrames) check(row, frame(index.frame(row[0], row[1])), row[2]);
  },
  boxSizes({ cases, index }, check) {
    for (const row of cases.boxSizes) check(row, sides(index.layoutSize(row[0], row[1])), row[2]);
  },
  boxFiles({ cases, index, name }, check) {
    for (const row of cases.boxFiles) check(row, name(index.variant(row[0], row[1], row[2])), row[3]);
  },
  blurRule({ lib, cases }, check) {
    check("blurRule", lib.blurRule(), cases.blurRule);
  },
  types({ cases, index }, check) {
    check("types", index.types, cases.types);
  },
  filesFor({ lib, cases, variant, name }, check) {
    for (const row of cases.filesFor) {
      const accepting = new Set(row[1]);
      check(row, name(lib.fileFor(variant(row[0]), accepting)), row[2]);
      check(row, name(lib.filesFor(variant(row[0]), accepting)[0]), row[2]);
    }
  },
  highDynamicRange({ lib, cases, variant, name }, check) {
    for (const row of cases.highDynamicRange) check(row, name(lib.highDynamicRangeFile(variant(row[0]))), row[1]);
  },
  accept({ lib, cases }, check) {
    for (const row of cases.accept) check(row, [...lib.supportedTypes(row[0])].sort(), row[1]);
  },
  urls({ lib, cases, catalog }, check) {
    const files = catalog.images.flatMap(({ variants = [] }) => variants.flatMap((each) => [each, ...lib.filesFor(each)]));
    for (const row of cases.urls) {
      check(row, lib.url(catalog, row[0]), row[1]);
      for (const file of files) if (lib.referenceOf(file) === row[0]) check(row, lib.url(catalog, file), row[1]);
    }
  },
  appearance({ lib, cases, index, variant }, check) {
    for (const row of cases.appearance) {
      const found = lib.appearance(index.get(row[0]), row[1], variant(row[2]));
      const words = {
        placeholder: () => found.placeholder.kind,
        failure: () => (found.error ? `failure ${found.error.code}` : "failure"),
      };
      check(row, words[found.kind]?.() ?? found.kind, row[3]);
    }
  },
  cached({ lib, cases, catalog, variant, name }, check) {
    for (const row of cases.cached) {
      const wanted = variant(row[0]);
      const image = catalog.images.find((each) => each.variants?.includes(wanted));
      check(row, name(lib.cachedVariant(image, wanted, (reference) => row[1].includes(reference))), row[2]);
    }
  },
  prefetch({ lib, cases }, check) {
    const requests = (names = "") => [...names].map((path) => ({ path, bytes: 100 }));
    const names = (list) => list.map(({ path }) => path).join("");
    for (const row of cases.prefetch) {
      const step = new lib.Prefetch(row.requests, row.bytes).step({
        visible: row.visible.map(requests), upcoming: requests(row.upcoming), underWay: requests(row.underWay),
        isLoaded: (path) => (row.loaded ?? "").includes(path),
      });
      check(row, [names(step.start), names(step.cancel)], [row.start, row.cancel]);
    }
  },
  prefetchVariants({ lib, cases, variant }, check) {
    for (const row of cases.prefetchVariants) {
      const upcoming = row.upcoming.map(variant);
      // A variant is its own first file.
      for (const list of [upcoming, upcoming.map((each) => lib.filesFor(each)[0])]) {
        const step = new lib.Prefetch(row.requests, row.bytes).step({
          visible: row.visible.map((group) => group.map(variant)), upcoming: list, underWay: row.underWay.map(variant),
          isLoaded: (reference) => row.loaded.includes(reference),
        });
        check(row, [step.start.map(lib.referenceOf), step.cancel.map(lib.referenceOf)], [row.start, row.cancel]);
      }
    }
  },
  thumbhashes: (context, check) => placeholders(context, check, "thumbhash"),
  blurhashes: (context, check) => placeholders(context, check, "blurhash"),
  errors({ lib, cases }, check) {
    for (const row of cases.errors) {
      const error = thrown(() => lib.readCatalog(row[0]));
      check(row, error instanceof lib.CatalogError && error.member, row[1]);
      if (row.length > 2) check(row, error.reason, row[2]);
    }
  },
  references({ lib, cases, name }, check) {
    for (const row of cases.references) {
      const variants = lib.readCatalog(row[0]).images.flatMap((image) => image.variants);
      check(row, variants.flatMap((each) => lib.filesFor(each)).map(name), row[1]);
    }
  },
  lenient({ lib, cases }, check) {
    const problems = [];
    const rest = lib.readCatalog(cases.lenient.text, { skip: (problem) => problems.push(problem.member) });
    check("ids", rest.images.map(({ id }) => id), cases.lenient.ids);
    check("problems", problems, cases.lenient.problems);
  },
  patches({ lib, cases, catalog, name }, check) {
    for (const row of cases.patches) {
      const old = row.digest === undefined ? catalog : { ...catalog, digest: row.digest };
      const before = JSON.stringify(old);
      // As parsed by the engine, and by the package from text.
      const apply = [() => lib.applyPatch(old, row.patch),
        () => lib.applyPatch(old, lib.readPatch(JSON.stringify(row.patch)))];
      for (const body of apply) {
        const error = thrown(body);
        if (row.images === undefined) {
          check(row, error instanceof lib.CatalogError && error.reason !== "", true);
        } else {
          const made = error === undefined ? body() : undefined;
          check(row, [made?.images.map(({ id }) => id) ?? String(error), made?.digest], [row.images, row.result ?? undefined]);
          for (const [id, expected] of Object.entries(row.variants ?? {})) {
            check(row, made?.images.find((image) => image.id === id)?.variants?.map(name), expected);
          }
        }
      }
      check("the old catalog is as before", JSON.stringify(old) === before, true);
    }
  },
  canonical({ lib, cases, catalog }, check) {
    check("canonical", lib.canonicalJSON(catalog), cases.canonical);
    check("canonical", lib.canonicalJSON(cases.catalog), cases.canonical);
    check("canonical", lib.canonicalJSON(lib.readCatalog(cases.canonical)), cases.canonical);
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
    const pixels = lib.pixelsOf({ kind, data: row.hash }, { width: 4, height: 3 });
    check(row, [pixels?.width, pixels?.height], [row.width, row.height]);
    // The first and the last two pixels.
    const ends = pixels && [...pixels.samples.slice(0, 8), ...pixels.samples.slice(-8)];
    const isNear = (sample, place) => Math.abs(sample - row.ends[place]) <= 1;
    check(row, ends?.length === row.ends?.length && (ends ?? []).every(isNear), true);
  }
}
