internal import TesseraOutput
internal import TesseraPipelineFile
internal import TesseraPlan
internal import TesseraState
internal import TesseraSystem
internal import TesseraWorkers

/// Plans the files of an item and looks up which of them exist.
struct FilePlanner: Sendable {
  let settings: PlanSettings
  let names: FileNames
  let placeholders: [Placeholders.Kind]
  let state: StateStore
  let output: any Output
  /// With the better format; nil without an upgrade.
  var upgraded: PlanSettings?

  /// - Parameters:
  ///   - digest: SHA-256 of the source's bytes.
  ///   - format: the source's, as the catalog names it.
  ///   - isNew: whether the state has no content with this digest, and so no files of it.
  ///   - makesAll: whether files that are there do not count.
  @inline(never)
  func filePlan(
    _ digest: String, _ format: String, _ facts: SourceFacts, for item: Item, isNew: Bool = false,
    makesAll: Bool = false
  ) async throws -> FilePlan {
    let hasNone = isNew || makesAll
    let own = try await filePlan(settings, digest, format, facts, for: item, isNew: hasNone)
    guard let upgraded else { return own }
    var better = try await filePlan(upgraded, digest, format, facts, for: item, isNew: hasNone)
    better.isUpgraded = true
    // The files are there, or the image can't have any of that format.
    let needsNoMore = better.isComplete || better.plan.hasFiles(of: own.plan)
    if item.wantsUpgrade || needsNoMore { return better }
    guard makesAll, !isNew else { return own }
    // One that is upgraded gets new files of that format, too.
    let known = try await filePlan(upgraded, digest, format, facts, for: item, isNew: false)
    return known.isComplete ? better : own
  }

  @inline(never)
  private func filePlan(
    _ settings: PlanSettings, _ digest: String, _ format: String, _ facts: SourceFacts,
    for item: Item, isNew: Bool
  ) async throws -> FilePlan {
    let planned = facts.planned(format, focus: item.focus)
    var plan = Plan(for: planned, settings: settings, slots: item.slots)
    // How to decode follows from all slots, whatever the item names: the bytes of a file must not
    // depend on which item needed it first.
    let whole = item.slots == nil ? plan : Plan(for: planned, settings: settings)
    let source = ContentKeys(
      content: digest, format: format, facts: facts, decode: whole.decode(of: facts.size),
      names)
    let searches = try await searches(settings, source, &plan, isNew: isNew)
    let keys = plan.files.map(source.key(of:))
    let (variants, placeholder) =
      isNew
      ? (keys.map { _ in nil }, nil) : try await state.made(keys, placeholder: source.placeholder)
    var records: [VariantRecord?] = []
    for record in variants {
      if let record { try await records.append(published(record)) } else { records.append(nil) }
    }
    return FilePlan(
      source: source, plan: plan, keys: keys, records: records,
      placeholder: placeholders.isEmpty
        ? Placeholders() : placeholder.flatMap { $0.has(placeholders) ? $0 : nil },
      searches: searches)
  }

  /// What views of an item fetch.
  func viewCost(_ filePlan: FilePlan, _ format: String, for item: Item) -> ViewCost {
    var exact = settings
    exact.rounding.steps = .exact
    let source = filePlan.facts.planned(format, focus: item.focus)
    return ViewCost(
      filePlan, exact: Plan(for: source, settings: exact, slots: item.slots), settings,
      times: item.views)
  }

  // MARK: Qualities

  /// The searches that the plan needs. Gives its files the qualities that are known.
  private func searches(
    _ settings: PlanSettings, _ source: ContentKeys, _ plan: inout Plan, isNew: Bool
  ) async throws -> [FilePlan.KnownSearch] {
    guard settings.findsQuality else { return [] }
    var searches = plan.prepareSearches(of: source.facts.size, source.decode).map { search in
      FilePlan.KnownSearch(search: search, key: source.quality(search))
    }
    guard !isNew, !searches.isEmpty else { return searches }
    let records = try await state.qualities(searches.map(\.key))
    for (index, record) in records.enumerated() {
      guard let record else { continue }
      searches[index].found = record.found
      plan.resolve(searches[index].search.encoding, record.found.quality)
    }
    return searches
  }

  /// The filePlan with the qualities that a worker has found. Nil if these are not those that it lacks.
  ///
  /// - Parameter found: in the order of the missing files' encodings.
  func resolved(_ filePlan: FilePlan, _ found: [FoundQuality]) -> FilePlan? {
    let wanted = filePlan.missing.map { filePlan.plan.files[$0] }.unresolvedEncodings
    guard wanted.count == found.count else { return nil }
    var filePlan = filePlan
    for (encoding, found) in zip(wanted, found) {
      guard let index = filePlan.searches.firstIndex(where: { $0.search.encoding == encoding }),
        encoding.automatic?.range.contains(found.quality) == true,
        filePlan.searches[index].search.size == found.size
      else { return nil }
      filePlan.searches[index].found = found
      filePlan.plan.resolve(encoding, found.quality)
    }
    return filePlan
  }

  /// Nil if the file is missing or not whole: then the record counts as missing.
  private func published(_ record: VariantRecord) async throws -> VariantRecord? {
    try await output.has(record.path, bytes: record.bytes) ? record : nil
  }
}

/// What one item needs of a content, and which of it exists: the plan, with the published record of
/// each of its files.
struct FilePlan: Sendable {
  /// What it is of, and how that is decoded.
  let source: ContentKeys
  var plan: Plan
  /// Of the record of each of the plan's files.
  let keys: [String]
  /// One for each of the plan's files; nil if it is not published.
  var records: [VariantRecord?]
  var placeholder: Placeholders?
  /// Whether it has the files of the better format, as far as there can be any.
  var isUpgraded = false

  /// The searches for qualities that the plan needs, with what they found.
  var searches: [KnownSearch] = []

  /// A search for a quality.
  struct KnownSearch: Sendable {
    let search: Plan.QualitySearch
    /// In the state.
    let key: String
    /// Nil if the search has to be made.
    var found: FoundQuality?
  }

  /// SHA-256 of the source's bytes.
  var content: String { source.content }
  var facts: SourceFacts { source.facts }
  var decode: DecodePlan { source.decode }
  var placeholderKey: String { source.placeholder }

  var isComplete: Bool { !records.contains(nil) && placeholder != nil }

  /// Indices of the files that have to be made.
  var missing: [Int] { records.indices.filter { records[$0] == nil } }
}
