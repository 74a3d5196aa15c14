internal import TesseraCatalog
internal import TesseraFetch
internal import TesseraFiles
internal import TesseraImageHeader
internal import TesseraManifest
internal import TesseraOutput
internal import TesseraPipelineFile
internal import TesseraPlan
internal import TesseraState
internal import TesseraWire

/// One item's way, from its line of the manifest to its line of the catalog:
///
///     state (is it fresh?) -> one GET, whose first bytes give the header -> plan -> spool, digest
///       -> (those bytes are known: reuse) -> worker -> files renamed into place -> state
///
/// What goes wrong with an item becomes part of its result. Only what would hit every item alike
/// (no space, no workers) is thrown.
struct ItemRunner: ItemRunning {
  let memory: ItemMemory
  let fetch: ItemFetch
  let cache: SourceCache?
  let transcode: ItemTranscode
  /// One task at a time for each content.
  private let contents = KeyedQueue<Never>()

  private var file: PipelineFile { memory.file }

  init(
    memory: ItemMemory, fetch: ItemFetch, cache: SourceCache?, transcode: ItemTranscode
  ) {
    self.memory = memory
    self.fetch = fetch
    self.cache = cache
    self.transcode = transcode
  }

  func result(
    for entry: ManifestEntry, position: Int, finding: ItemFinding?
  ) async throws -> ItemResult {
    let shown = SourceURL.shown(entry.url, ignoring: file.fetch.ignoredQuery)
    if let image = memory.unknownSlot(entry, shown) {
      return ItemResult(image, "nothing was asked for", finding: finding)
    }
    let source = try await memory.source(for: entry)
    let digest = source.record?.content
    let occasion = memory.occasion(source)
    if let known = source.known, source.isReady, memory.isFresh(source) {
      return ItemResult(memory.reused(entry, shown, known), occasion, content: digest)
    }
    func failed(_ error: FetchError) -> ItemResult {
      let image = memory.failed(entry, shown, .init(error), source, isStale: error.leavesStale)
      return ItemResult(
        image, "\(occasion); it could not be fetched: \(error.message)", content: digest,
        finding: .unreachable(error))
    }
    func refused(_ refusal: Intake.Refusal, _ reason: String) -> ItemResult {
      ItemResult(
        memory.refused(entry, shown, refusal, source), "\(reason); \(refusal.message)",
        finding: .refused(refusal))
    }
    func undecodable(
      _ image: CatalogImage, _ failure: CatalogImage.Failure, _ reason: String
    ) -> ItemResult {
      let finding = ItemFinding.undecodable(
        failure, format: image.format, width: image.width, height: image.height)
      guard source.isReady else { return ItemResult(image, reason, finding: finding) }
      return ItemResult(
        memory.failed(entry, shown, failure, source, isStale: true), reason, content: digest,
        finding: finding)
    }
    let spool = memory.output.spoolPath("\(position)")
    /// From the copy of a source that is fresh; nil where there is none.
    func fromCopy(_ occasion: String) async throws -> ItemResult? {
      guard let cache, let record = source.record, let known = source.known,
        file.letsIn(known.content), cache.restore(record.content, to: spool)
      else { return nil }
      defer { try? FileSystem.remove(spool) }
      let made = try await contents.work(contents.place(record.content)) { _ in
        (
          try await make(
            entry, shown, Looked(known.content), record.content, spool: spool, position: position),
          nil
        )
      }
      guard let made else { return failed(.runDeadline) }
      return ItemResult(
        made.image, "\(occasion); its kept copy was used; \(made.reason)", content: record.content)
    }
    if memory.isFresh(source), let result = try await fromCopy(occasion) { return result }
    let again = "another item of this run has asked for the same source"
    switch finding {
    case nil: break
    case .unreachable(let error): return failed(error)
    case .refused(let refusal): return refused(refusal, again)
    case .undecodable(let failure, let format, let width, let height):
      let size = width.flatMap { width in height.map { Size(width, $0) } }
      let image = Assembly.failed(entry, url: shown, failure, format: format, size: size)
      return undecodable(image, failure, "\(again); \(failure.message)")
    }
    // A server is asked "has it changed?" only where a "no" would be of use.
    let isKept = source.record.flatMap { cache?.has($0.content) } ?? false
    let validators =
      source.isReady || source.known != nil && isKept ? source.record?.confirmation.validators : nil
    switch try await fetch.fetch(
      file.requestURL(for: entry), validators: validators, spoolPath: spool,
      turn: memory.turn(position))
    {
    case .notModified(let response):
      guard let record = source.record, let known = source.known else {
        throw PipelineError.local("a source is unchanged, but nothing is known of it")
      }
      try await save(record.content, response, key: source.key, before: record)
      let answer = "\(occasion); the server said that it has not changed"
      if source.isReady {
        return ItemResult(memory.reused(entry, shown, known), answer, content: digest)
      }
      // Where the copy turned out not to be whole, the source is asked for as a whole.
      if let result = try await fromCopy(answer) { return result }
      return try await self.result(for: entry, position: position, finding: nil)
    case .failed(let error): return failed(error)
    case .arrived(_, let intake, .refused(let refusal)):
      intake.discard()
      return refused(refusal, occasion)
    case .arrived(let response, let intake, .picture(let header, let digest)):
      fetch.fetcher.hold(1, limit: spoolLimit)
      defer {
        intake.discard()
        fetch.fetcher.hold(-1, limit: spoolLimit)
      }
      let change = memory.change(source, to: digest, response)
      let made = try await contents.work(contents.place(digest)) { _ in
        (
          try await make(
            entry, shown, Looked(header), digest, spool: spool, position: position), nil
        )
      }
      guard let made else { return failed(.runDeadline) }
      let reason = "\(occasion); \(change); \(made.reason)"
      if made.image.status == .ok {
        cache?.keep(spool, as: digest)
        try await save(digest, response, key: source.key, before: nil)
      } else if let error = made.image.error {
        return undecodable(made.image, error, reason)
      }
      return ItemResult(made.image, reason, content: digest)
    }
  }

  private func save(
    _ content: String, _ response: FetchResponse, key: String, before: SourceRecord?
  ) async throws {
    let confirmation = memory.confirmation(response, before: before?.confirmation)
    let source = SourceRecord(
      content: content, confirmation: confirmation,
      url: SourceURL.shown(response.url, ignoring: file.fetch.ignoredQuery),
      // A 304 may leave out what has not changed.
      robots: response.robots ?? before?.robots)
    try await memory.state.save(source, key: key)
  }

  /// What a source's header told.
  private struct Looked {
    var format: String
    var facts: SourceFacts
    var width: Int?
    var height: Int?
    var orientation: Int?

    init(_ header: ImageHeader) {
      format = header.format.rawValue
      facts = header.facts
      (width, height) = (header.pixelWidth, header.pixelHeight)
      orientation = header.orientation.rawValue
    }

    init(_ content: ContentRecord) {
      format = content.format
      facts = content.facts
      (width, height) = (content.headerWidth, content.headerHeight)
      orientation = content.orientation
    }
  }

  /// So many sources may lie in the spool before fetching waits for the workers.
  private var spoolLimit: Int { file.fetch.concurrency + 8 }

  /// From bytes in the spool to an entry; nil where the run's deadline came first.
  private func make(
    _ entry: ManifestEntry, _ shown: String, _ looked: Looked, _ digest: String,
    spool: String, position: Int
  ) async throws -> (image: CatalogImage, reason: String)? {
    if let known = try await memory.known(digest, for: entry), known.blueprint.isComplete,
      file.letsIn(known.content)
    {
      return (
        memory.reused(entry, shown, known), "these bytes were worked on before: all files reused"
      )
    }
    var facts = try await memory.state.content(digest)?.facts ?? looked.facts
    // The decoder may see another size than the header told, once.
    for attempt in 0..<2 {
      var blueprint = try await memory.blueprint(digest, looked.format, facts, for: entry)
      let outcome = try await transcode.make(
        blueprint, from: spool, format: looked.format, name: "\(position)-\(attempt)",
        identifier: position)
      switch outcome {
      case .made(let records, let seen, let placeholders, let warnings):
        let missing = blueprint.missing
        blueprint.placeholder = placeholders
        for (index, record) in zip(missing, records) { blueprint.records[index] = record }
        var content = ContentRecord(
          format: looked.format, width: seen.size.width, height: seen.size.height,
          hasAlpha: seen.hasAlpha, frames: seen.frames, warnings: warnings,
          headerWidth: looked.width, headerHeight: looked.height)
        content.bytes = FileSystem.size(ofFile: spool)
        content.orientation = looked.orientation
        content.colourSpace = seen.colourSpace
        content.profile = seen.profile
        let variants = zip(missing, records).map { (key: blueprint.keys[$0], record: $1) }
        try await memory.state.save(
          content, digest: digest, variants: variants,
          placeholder: (key: blueprint.placeholderKey, record: placeholders))
        memory.count(blueprint, made: missing.count)
        let image = Assembly.image(
          entry, url: shown, content: content, blueprint: blueprint, file)
        let reused = blueprint.keys.count - missing.count
        return (image, "decoded: \(missing.count) files made, \(reused) reused")
      case .differs(let seen): facts = seen
      case .late: return nil
      case .failed(let failure):
        let image = Assembly.failed(
          entry, url: shown, .init(failure), format: looked.format, size: facts.size)
        return (image, failure.message)
      }
    }
    let failure = TranscodeFailure(
      .workerProtocol, "the worker contradicted itself about this picture")
    return (Assembly.failed(entry, url: shown, .init(failure)), failure.message)
  }
}

extension FetchError {
  /// Whether the last good files stand after this error: the source was not reached. A server that
  /// says "gone", and an address that is not allowed, are answers.
  var leavesStale: Bool {
    switch code {
    case .httpStatus: ![404, 410, 451].contains(status)
    case .addressRefused, .badURL, .notFound: false
    default: true
    }
  }
}

extension CatalogImage.Failure {
  init(_ error: FetchError) {
    self.init(
      code: error.code.rawValue, message: error.message.asSentence, retryable: error.isRetryable)
  }

  init(_ failure: TranscodeFailure) {
    // A crash may be the machine's fault; everything else is the picture's, and stays.
    self.init(
      code: failure.code.rawValue, message: failure.message.asSentence,
      retryable: [.workerCrashed, .workerTimeout, .workerProtocol].contains(failure.code))
  }
}

extension String {
  /// With a capital letter and a full stop.
  var asSentence: String {
    guard let first else { return self }
    let text = first.uppercased() + dropFirst()
    return text.hasSuffix(".") ? text : text + "."
  }
}
