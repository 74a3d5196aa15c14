internal import TesseraState

/// What a run will do with one item, by the decisions of the run itself. Files are named by their keys.
enum ItemForecast: Sendable {
  case nothing
  /// The server is asked whether the source has changed. If it has not, files may be made of a copy.
  case confirm(all: [String], makes: [String])
  /// The source is fetched. Its files are nil if it is not known, or was rejected.
  case fetch([String]?, isRejected: Bool)
  /// Files are made of a kept copy.
  case copy([String])
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
    default: return (.confirm(all: [], makes: []), nil)
    }
  }

  private func forecast(
    _ source: KnownSource, _ use: UseKnownSize, _ read: ReadHeader, _ context: ItemContext
  ) -> ItemForecast {
    if use.outcome(source, context) != nil { return .nothing }
    return read.condition(source) == nil
      ? .fetch(nil, isRejected: false) : .confirm(all: [], makes: [])
  }

  private func forecast(_ known: Known, _ context: ItemContext) async throws -> ItemForecast {
    let files = known.source.filePlan
    let missing = files.map { plan in plan.missing.map { plan.keys[$0] } }
    switch useKnown.use(of: known, for: context.item) {
    case .done: return .nothing
    case .copy: return .copy(missing ?? [])
    case .request: break
    }
    guard case .asking(let asked) = ask.perform(known, context) else { return .nothing }
    let isRejected = known.source.rejection != nil
    if asked.question.condition != nil {
      let isMaking = !isRejected && !known.source.isFinished
      return .confirm(all: files?.keys ?? [], makes: isMaking ? missing ?? [] : [])
    }
    return .fetch(isRejected ? nil : refreshes ? files?.keys : missing, isRejected: isRejected)
  }
}
