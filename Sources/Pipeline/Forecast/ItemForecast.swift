internal import TesseraImageHeader
internal import TesseraPlan
internal import TesseraState

/// What a run will do with one item, by the decisions of the run itself.
enum ItemForecast: Sendable {
  case nothing
  /// The server is asked whether the source has changed. If it has not, files may be made of a copy.
  case confirm(KnownFiles?, makes: KnownFiles?)
  /// The source is fetched. What is known of it is nil for a new one, and for one that was rejected.
  case fetch(KnownFiles?, isRejected: Bool)
  /// Files are made of a kept copy.
  case copy(KnownFiles)

  /// The files of a known content.
  struct KnownFiles: Sendable {
    let format: String
    let facts: SourceFacts
    /// Of the source; nil if that is not known.
    let bytes: Int?
    /// All files, or those that have to be made, with their keys.
    let files: [(key: String, file: PlannedFile)]
  }
}

/// Decides what becomes of items, as ``FilesWay`` and ``LayoutWay`` do.
final class ItemForecaster: Sendable {
  private let check: CheckItem
  private let lookUp: LookUp
  private let useKnown: UseKnown
  private let ask: Ask
  private let planner: FilePlanner
  private let refreshes: Bool
  /// In a run that learns sizes only.
  private let sizes: (use: UseKnownSize, read: ReadHeader)?
  private let entries: ImageEntries

  init(_ parts: RunParts, _ extent: RunExtent) {
    entries = ImageEntries(parts.file)
    check = CheckItem(parts)
    lookUp = LookUp(parts)
    useKnown = UseKnown(parts)
    ask = Ask(parts)
    planner = parts.planner
    refreshes = parts.freshness.refreshes
    sizes = extent == .layout ? (UseKnownSize(parts), ReadHeader(parts)) : nil
  }

  /// - Returns: also the plan that a known source has now.
  func forecast(
    _ item: Item, _ lookup: LineReuse.Lookup?
  ) async throws -> (ItemForecast, plan: FilePlan?) {
    if check.failure(of: item) != nil { return (.nothing, nil) }
    let context = ItemContext(item)
    if let sizes {
      let source = try await lookUp.source(of: item)
      if KnownSize(source).map({ !entries.needsFiles(item, $0) }) ?? true {
        return (forecast(source, sizes.use, sizes.read, context), nil)
      }
    }
    switch try await lookUp.perform(lookup, context) {
    case .known(let known): return (try await forecast(known, context), known.source.filePlan)
    // The line of an earlier run, if the source has not changed.
    default: return (.confirm(nil, makes: nil), nil)
    }
  }

  private func forecast(
    _ source: KnownSource, _ use: UseKnownSize, _ read: ReadHeader, _ context: ItemContext
  ) -> ItemForecast {
    if use.outcome(source, context) != nil { return .nothing }
    return read.condition(source) == nil
      ? .fetch(nil, isRejected: false) : .confirm(nil, makes: nil)
  }

  private func forecast(_ known: Known, _ context: ItemContext) async throws -> ItemForecast {
    let missing = files(of: known.source) { $0.missing }
    switch useKnown.use(of: known, for: context.item) {
    case .done: return .nothing
    case .copy: return missing.map { .copy($0) } ?? .nothing
    case .request: break
    }
    guard case .asking(let asked) = ask.perform(known, context) else { return .nothing }
    let all = files(of: known.source) { Array($0.keys.indices) }
    let isRejected = known.source.rejection != nil
    if asked.question.condition != nil {
      let isMaking = !isRejected && !known.source.isFinished
      return .confirm(all, makes: isMaking ? missing : nil)
    }
    return .fetch(isRejected ? nil : refreshes ? all : missing, isRejected: isRejected)
  }

  private func files(
    of source: KnownSource, _ indices: (FilePlan) -> [Int]
  ) -> ItemForecast.KnownFiles? {
    source.shown.map { content, filePlan in
      ItemForecast.KnownFiles(
        format: content.format, facts: content.facts, bytes: content.bytes,
        files: indices(filePlan).map { (filePlan.keys[$0], filePlan.plan.files[$0]) })
    }
  }
}
