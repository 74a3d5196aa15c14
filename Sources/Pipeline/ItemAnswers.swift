internal import TesseraCatalog
internal import TesseraFetch
internal import TesseraImageHeader
internal import TesseraManifest
internal import TesseraPipelineFile
internal import TesseraPlan
internal import TesseraState
internal import TesseraSystem
internal import TesseraText
internal import TesseraWire

/// The lines of the catalog that one item can come to, each with what was decided about it.
///
/// Nothing here waits, and nothing is inlined into what does: whatever a function works with while it may wait is
/// kept for it in memory, for each of the thousand items that are on their way.
final class ItemAnswers: Sendable {
  let memory: ItemMemory
  let entry: ManifestEntry
  /// The URL as it may be told.
  let shown: String
  let source: ItemMemory.Source

  init(_ memory: ItemMemory, _ entry: ManifestEntry, _ source: ItemMemory.Source) {
    self.memory = memory
    self.entry = entry
    self.source = source
    shown = SourceURL.shown(entry.url, ignoring: memory.file.fetch.ignoredQuery)
  }

  private var file: PipelineFile { memory.file }
  /// SHA-256 of the bytes that are known.
  private var digest: String? { source.record?.content }

  /// An entry that names a slot which the pipeline does not have; nil where it does not.
  @inline(never)
  static func unknownSlot(
    _ memory: ItemMemory, _ entry: ManifestEntry, finding: ItemFinding?
  ) -> ItemResult? {
    let slots = memory.file.plan.slots
    guard let unknown = entry.slots?.first(where: { name in !slots.contains { $0.name == name } })
    else { return nil }
    let image = Assembly.failed(
      entry, url: SourceURL.shown(entry.url, ignoring: memory.file.fetch.ignoredQuery),
      .init(
        code: "unknown-slot",
        message: "The pipeline has no slot \"\(unknown)\"; it has "
          + "\(slots.map(\.name).joined(separator: ", ")).", retryable: false))
    return ItemResult(image, "nothing was asked for", finding: finding)
  }

  /// With what is known; nil where that is nothing.
  @inline(never)
  func reused(_ reason: String) -> ItemResult? {
    source.known.map { reused($0, reason, content: digest) }
  }

  @inline(never)
  func reused(_ known: ItemMemory.Known, _ reason: String, content: String?) -> ItemResult {
    memory.count(known.blueprint, made: 0)
    let image = Assembly.image(
      entry, url: shown, content: known.content, blueprint: known.blueprint, file)
    return ItemResult(image, reason, content: content)
  }

  /// With files that were made just now.
  @inline(never)
  func made(_ content: ContentRecord, _ blueprint: Blueprint, count: Int) -> ItemResult {
    memory.count(blueprint, made: count)
    let image = Assembly.image(entry, url: shown, content: content, blueprint: blueprint, file)
    return ItemResult(
      image, "decoded: \(count) files made, \(blueprint.keys.count - count) reused",
      content: blueprint.content)
  }

  /// A picture that no files can be made of.
  @inline(never)
  func notMade(
    _ failure: CatalogImage.Failure, _ reason: String, format: String?, size: Size?
  ) -> ItemResult {
    ItemResult(Assembly.failed(entry, url: shown, failure, format: format, size: size), reason)
  }

  /// The source could not be had.
  @inline(never)
  func failed(_ error: FetchError, _ occasion: String) -> ItemResult {
    ItemResult(
      failed(.init(error), isStale: error.leavesStale),
      "\(occasion); it could not be fetched: \(error.message)", content: digest,
      finding: .unreachable(error))
  }

  /// What somebody has found out before.
  ///
  /// - Parameters:
  ///   - occasion: why the source would be asked for.
  ///   - reason: how it is known.
  @inline(never)
  func found(_ finding: ItemFinding, _ occasion: String, _ reason: String) -> ItemResult {
    switch finding {
    case .unreachable(let error): return failed(error, occasion)
    case .refused(let refusal): return refused(refusal, reason, finding: finding)
    case .undecodable(let failure, let format, let size):
      let reason = "\(reason); \(failure.message.asClause)"
      return undecodable(notMade(failure, reason, format: format, size: size), reason)
    }
  }

  /// The source's bytes are not let in. A page that answers in a picture's place leaves the picture stale; another
  /// picture is an answer.
  @inline(never)
  func refused(
    _ refusal: Intake.Refusal, _ reason: String, finding: ItemFinding?
  ) -> ItemResult {
    let failure = CatalogImage.Failure(
      code: refusal.code, message: refusal.message.asSentence, retryable: refusal.isRetryable)
    let image =
      source.isReady && refusal.picture == nil
      ? failed(failure, isStale: true)
      : Assembly.failed(
        entry, url: shown, failure, format: refusal.picture?.format, size: refusal.picture?.size)
    return ItemResult(image, "\(reason); \(refusal.message)", finding: finding)
  }

  /// A picture that was let in, and could not be decoded: what was shown before goes on being shown.
  ///
  /// - Parameter result: what is told where there was nothing before.
  @inline(never)
  func undecodable(_ result: ItemResult, _ reason: String) -> ItemResult {
    let image = result.image
    guard let failure = image.error else { return result }
    let size = image.width.flatMap { width in image.height.map { Size(width, $0) } }
    let finding = ItemFinding.undecodable(failure, format: image.format, size: size)
    guard source.isReady else { return ItemResult(image, reason, finding: finding) }
    return ItemResult(
      failed(failure, isStale: true), reason, content: digest, finding: finding)
  }

  /// A line for something that went wrong: with the last good files where it is stale, with the size where that is
  /// known.
  private func failed(_ failure: CatalogImage.Failure, isStale: Bool) -> CatalogImage {
    // For a while; then there is nothing to show any more.
    let age = source.record.map { Host.now - $0.confirmation.checked } ?? 0
    let isKept = age <= file.fetch.keepStale.inSeconds
    if isStale, isKept, source.isReady, let known = source.known {
      return Assembly.image(
        entry, url: shown, content: known.content, blueprint: known.blueprint, file,
        error: failure)
    }
    // Of the size what was seen last.
    let size = source.header.map { Size($0.width, $0.height) } ?? source.known?.blueprint.facts.size
    return Assembly.failed(
      entry, url: shown, failure, format: source.header?.format ?? source.known?.content.format,
      size: size,
      // What is known to be gone can't stand for what is there now.
      placeholder: source.header == nil
        ? source.known?.blueprint.placeholder?.shown(file.placeholders) : nil)
  }
}
