internal import TesseraPipelineFile
internal import TesseraPlan
internal import TesseraState

/// The steps of an item, from the manifest to its record.
protocol ItemPipeline: Sendable {
  /// - Parameter lookup: what was known of the item when it was read.
  func result(of context: ItemContext, _ lookup: LineReuse.Lookup?) async throws -> ItemDone
}

/// The steps of an item of which files are made: at each stage, one step decides about the next.
final class FilesPipeline: ItemPipeline {
  private let check: CheckItem
  private let lookUp: LookUp
  private let confirmLine: ConfirmLine
  private let useKnown: UseKnown
  private let share: ShareFailure
  private let sendRequest: SendRequest
  private let takeAnswer: TakeAnswer
  private let planFiles: PlanFiles
  private let make: Make
  private let publish: Publish
  private let keep: Keep
  private let record: Record
  private let failedUpgrades: FailedUpgrades

  init(_ runContext: RunContext) {
    failedUpgrades = FailedUpgrades(runContext)
    check = CheckItem(runContext)
    lookUp = LookUp(runContext)
    sendRequest = SendRequest(runContext)
    confirmLine = ConfirmLine(sendRequest, runContext)
    useKnown = UseKnown(runContext)
    share = ShareFailure(includesBytes: true)
    takeAnswer = TakeAnswer(runContext)
    planFiles = PlanFiles(runContext)
    make = Make(runContext)
    publish = Publish(runContext)
    keep = Keep(runContext)
    record = Record(runContext)
  }

  func result(of context: ItemContext, _ lookup: LineReuse.Lookup?) async throws -> ItemDone {
    try await result(of: context, from: .read(lookup))
  }

  func result(of context: ItemContext, from first: Stage) async throws -> ItemDone {
    // Also after an error: it gives back turns and removes spooled files.
    defer { context.close() }
    var stage = first
    while true {
      switch stage {
      case .confirmed(let line): return try await record.keep(line, context)
      case .done(let done): return try await record.perform(done, context)
      default: stage = try await self.stage(after: stage, context)
      }
    }
  }

  /// Makes the files of a better format of an item that wants them, and records its new line. Whatever fails, its line stays
  /// as it is.
  func upgrade(_ context: ItemContext) async throws -> UpgradeEnd {
    defer { context.close() }
    var stage = Stage.read(nil)
    while true {
      switch stage {
      case .known(let known) where try await failedUpgrades.hasFailed(context.item, known):
        return .failed
      case .done(let done):
        guard let filePlan = done.outcome.shown?.filePlan, filePlan.isUpgraded else {
          return try await failedUpgrades.note(done, context)
        }
        _ = try await record.perform(done, context)
        return .upgraded
      default: stage = try await self.stage(after: stage, context)
      }
    }
  }

  /// The next stage; an end remains.
  @inline(never)
  func stage(after stage: Stage, _ context: ItemContext) async throws -> Stage {
    if let next = decided(after: stage, context) { return next }
    return switch stage {
    case .read(let lookup): try await lookUp.perform(lookup, context)
    case .line(let line): try await confirmLine.perform(line, context)
    case .unconfirmed(let line, let answer): try await lookUp.perform(line, answer, context)
    case .requesting(let pending): try await sendRequest.perform(pending, context)
    case .received(let received): try await planFiles.perform(received, context)
    case .planned(let planned): try await make.perform(planned, context)
    case .made(let planned, let files): try await publish.perform(planned, files, context)
    case .known, .answered, .complete, .confirmed, .done: stage
    }
  }

  /// The next stage, if nothing has to be waited for.
  @inline(never)
  private func decided(after stage: Stage, _ context: ItemContext) -> Stage? {
    switch stage {
    case .read:
      check.failure(of: context.item).map { .done(KnownSource(), .failed($0)) }
    case .known(let known):
      useKnown.perform(known, context) ?? share.outcome(context).map { .done(known.source, $0) }
        ?? .requesting(PendingRequest(known, known.verdict.conditions))
    case .answered(let pending, let answer): takeAnswer.perform(pending, answer, context)
    case .complete(let complete): keep.perform(complete, context)
    default: nil
    }
  }
}

/// The steps of an item of which only the size is learned. If an image service can't make its image, it may go on as one of which
/// files are made.
final class SizesPipeline: ItemPipeline {
  private let check: CheckItem
  private let lookUp: LookUp
  private let useKnownSize: UseKnownSize
  private let share: ShareFailure
  private let readHeader: ReadHeader
  private let record: Record
  private let entries: ImageEntries
  /// Nil if no image has files.
  private let files: FilesPipeline?

  init(_ runContext: RunContext) {
    entries = ImageEntries(runContext.file)
    files =
      runContext.file.deliveringService?.filesFor.isEmpty == false ? FilesPipeline(runContext) : nil
    check = CheckItem(runContext)
    lookUp = LookUp(runContext)
    useKnownSize = UseKnownSize(runContext)
    // It decodes nothing.
    share = ShareFailure(includesBytes: false)
    readHeader = ReadHeader(runContext)
    record = Record(runContext)
  }

  func result(of context: ItemContext, _ lookup: LineReuse.Lookup?) async throws -> ItemDone {
    defer { context.close() }
    if let rejected = rejected(context) { return try await record.perform(rejected, context) }
    let source = try await lookUp.source(of: context.item)
    if let files = files(KnownSize(source), context.item) {
      return try await files.result(of: context, lookup)
    }
    let done = try await done(source, context)
    if case .pending(let size) = done.outcome, let files = files(size, context.item) {
      // It is learned again, with the bytes.
      context.change.header = nil
      return try await files.result(of: context, lookup)
    }
    return try await record.perform(done, context)
  }

  /// The steps of an image of which files have to be made; nil for all others.
  @inline(never)
  private func files(_ size: KnownSize?, _ item: Item) -> FilesPipeline? {
    guard let files, let size, entries.needsFiles(item, size) else { return nil }
    return files
  }

  @inline(never)
  private func done(_ source: KnownSource, _ context: ItemContext) async throws -> Done {
    let (verdict, known) = known(source, context)
    if let known { return known }
    return Done(source, try await readHeader.outcome(source, verdict, context))
  }

  @inline(never)
  private func rejected(_ context: ItemContext) -> Done? {
    check.failure(of: context.item).map { Done(KnownSource(), .failed($0)) }
  }

  @inline(never)
  private func known(_ source: KnownSource, _ context: ItemContext) -> (Verdict, Done?) {
    let (verdict, outcome) = useKnownSize.outcome(source, context)
    return (verdict, (outcome ?? share.outcome(context)).map { Done(source, $0) })
  }
}
