internal import TesseraCatalog
internal import TesseraFetch
internal import TesseraImageHeader
internal import TesseraManifest
internal import TesseraOutput
internal import TesseraPipelineFile
internal import TesseraPlan
internal import TesseraState
internal import TesseraSystem
internal import TesseraText
internal import TesseraWire

/// One item's way, from its line of the manifest to its line of the catalog:
///
///     state (is it fresh?) -> one GET, whose first bytes give the header -> plan -> spool, digest
///       -> (those bytes are known: reuse) -> worker -> files renamed into place -> state
///
/// What goes wrong with an item becomes part of its result. Only what would hit every item alike
/// (no space, no workers) is thrown.
final class ItemRunner: ItemRunning {
  let memory: ItemMemory
  let fetch: ItemFetch
  let cache: SourceCache?
  let copies: RunCopies
  let transcode: ItemTranscode
  /// One task at a time for each content.
  private let contents = KeyedQueue()

  private var file: PipelineFile { memory.file }

  init(
    memory: ItemMemory, fetch: ItemFetch, cache: SourceCache?, copies: RunCopies,
    transcode: ItemTranscode
  ) {
    self.copies = copies
    self.memory = memory
    self.fetch = fetch
    self.cache = cache
    self.transcode = transcode
  }

  func result(
    for entry: ManifestEntry, position: Int, finding: ItemFinding?
  ) async throws -> ItemResult {
    try await result(for: entry, position: position, finding: finding, asksForChanges: true)
  }

  /// - Parameter asksForChanges: whether a server may be asked "has it changed?", and not for the source.
  private func result(
    for entry: ManifestEntry, position: Int, finding: ItemFinding?, asksForChanges: Bool
  ) async throws -> ItemResult {
    if let result = ItemAnswers.unknownSlot(memory, entry, finding: finding) { return result }
    let source = try await memory.source(for: entry)
    let answers = ItemAnswers(memory, entry, source)
    let occasion = memory.occasion(source)
    if memory.isFresh(source) {
      if source.isReady, let result = answers.reused(occasion) { return result }
      // What could not be decoded just now can't be either from its copy.
      if finding?.isOfBytes != true,
        let result = try await fromCopy(answers, occasion, position)
      {
        return result
      }
    }
    let again = "another item of this run has asked for the same source"
    if let finding { return answers.found(finding, occasion, again) }
    // A server is asked "has it changed?" only where a "no" would be of use. What there was nothing to show of came
    // after what there is.
    let rejection = asksForChanges ? memory.believedRejection(source) : nil
    let isOfUse = asksForChanges && (source.isReady || hasCopy(source))
    let validators =
      Validators(etag: rejection?.etag, lastModified: nil)
      ?? (isOfUse ? source.record?.confirmation.validators : nil)
    let spool = memory.output.spoolPath("\(position)")
    switch try await fetch.fetch(
      file.requestURL(for: entry), validators: validators, spoolPath: spool,
      turn: memory.turn(position))
    {
    case .notModified(let response):
      let answer = "\(occasion); the server said that it has not changed"
      if let rejection, rejection.etag != nil {
        if rejection.place == ItemMemory.place(of: response) {
          return answers.found(ItemFinding(rejection), occasion, answer)
        }
        return try await result(
          for: entry, position: position, finding: nil, asksForChanges: false)
      }
      guard let record = source.record, source.known != nil else {
        throw PipelineError.local("a source is unchanged, but nothing is known of it")
      }
      try await save(record.content, response, source, before: record)
      if source.isReady, let result = answers.reused(answer) { return result }
      // Where the copy turned out not to be whole, the source is asked for as a whole.
      if let result = try await fromCopy(answers, answer, position) { return result }
      return try await result(
        for: entry, position: position, finding: nil, asksForChanges: false)
    case .failed(let error): return answers.failed(error, occasion)
    case .arrived(let response, let intake, .refused(let refusal)):
      intake.discard()
      let result = answers.refused(refusal, occasion, finding: .refused(refusal))
      try await memory.remember(
        result.finding, of: source, content: nil, response)
      return result
    case .arrived(let response, let intake, .picture(let header, let digest)):
      fetch.fetcher.hold(1, limit: spoolLimit)
      defer {
        intake.discard()
        fetch.fetcher.hold(-1, limit: spoolLimit)
      }
      let change = memory.change(source, to: digest, response)
      let made = try await contents.work(contents.place(digest)) {
        try await make(answers, Looked(header), digest, spool: spool, position: position)
      }
      guard let made else { return answers.failed(.runDeadline, occasion) }
      let reason = "\(occasion); \(change); \(made.reason)"
      guard made.image.status == .ok else {
        let result = answers.undecodable(made, reason)
        try await memory.remember(result.finding, of: source, content: digest, response)
        return result
      }
      cache?.keep(spool, as: digest)
      copies.keep(spool, as: digest, of: source.key)
      try await save(digest, response, source, before: nil)
      return made.because(reason, content: digest)
    }
  }

  /// Whether there is a copy of a source that may be used.
  private func hasCopy(_ source: ItemMemory.Source) -> Bool {
    guard let record = source.record, let known = source.known else { return false }
    return file.letsIn(known.content)
      && (copies.has(record.content, of: source.key) || cache?.has(record.content) == true)
  }

  /// From the copy of a source that is fresh; nil where there is none.
  private func fromCopy(
    _ answers: ItemAnswers, _ occasion: String, _ position: Int
  ) async throws -> ItemResult? {
    let source = answers.source
    let spool = memory.output.spoolPath("\(position)")
    guard hasCopy(source), let record = source.record, let known = source.known,
      copies.restore(record.content, of: source.key, to: spool)
        || cache?.restore(record.content, to: spool) == true
    else { return nil }
    defer { try? FileSystem.remove(spool) }
    let made = try await contents.work(contents.place(record.content)) {
      try await make(
        answers, Looked(known.content), record.content, spool: spool, position: position)
    }
    guard let made else { return answers.failed(.runDeadline, occasion) }
    let reason = "\(occasion); its kept copy was used; \(made.reason)"
    guard made.image.status == .ok else { return answers.undecodable(made, reason) }
    return made.because(reason, content: record.content)
  }

  private func save(
    _ content: String, _ response: FetchResponse, _ source: ItemMemory.Source,
    before: SourceRecord?
  ) async throws {
    let confirmation = memory.confirmation(response, before: before?.confirmation)
    let record = SourceRecord(
      content: content, confirmation: confirmation,
      url: SourceURL.shown(response.url, ignoring: file.fetch.ignoredQuery),
      // A 304 may leave out what has not changed.
      robots: response.robots ?? before?.robots)
    try await memory.state.save(record, key: source.key)
    try await memory.state.forgetRejection(source.url)
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

    /// With what its decoder saw.
    func content(_ seen: SourceFacts, warnings: [String], bytes: Int?) -> ContentRecord {
      var content = ContentRecord(
        format: format, width: seen.size.width, height: seen.size.height,
        hasAlpha: seen.hasAlpha, frames: seen.frames, warnings: warnings,
        headerWidth: width, headerHeight: height)
      content.bytes = bytes
      content.orientation = orientation
      content.colourSpace = seen.colourSpace
      content.profile = seen.profile
      return content
    }
  }

  /// So many sources may lie in the spool before fetching waits for the workers.
  private var spoolLimit: Int { file.fetch.concurrency + 8 }

  /// From bytes in the spool to an entry; nil where the run's deadline came first.
  private func make(
    _ answers: ItemAnswers, _ looked: Looked, _ digest: String, spool: String, position: Int
  ) async throws -> ItemResult? {
    let entry = answers.entry
    if let known = try await memory.known(digest, for: entry), known.blueprint.isComplete,
      file.letsIn(known.content)
    {
      return answers.reused(
        known, "these bytes were worked on before: all files reused", content: digest)
    }
    if let rejection = memory.believedRejection(answers.source), rejection.content == digest,
      case .undecodable(let failure, let format, let size) = ItemFinding(rejection)
    {
      let reason = "these bytes could not be decoded before: \(failure.message.asClause)"
      return answers.notMade(failure, reason, format: format, size: size)
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
        let content = looked.content(
          seen, warnings: warnings, bytes: FileSystem.size(ofFile: spool))
        try await memory.state.save(
          content, digest: digest,
          variants: zip(missing, records).map { (key: blueprint.keys[$0], record: $1) },
          placeholder: (key: blueprint.placeholderKey, record: placeholders), run: memory.run)
        return answers.made(content, blueprint, count: missing.count)
      case .differs(let seen): facts = seen
      case .late: return nil
      case .failed(let failure):
        return answers.notMade(
          .init(failure), failure.message, format: looked.format, size: facts.size)
      }
    }
    let failure = TranscodeFailure(
      .workerProtocol, "the worker contradicted itself about this picture")
    return answers.notMade(.init(failure), failure.message, format: nil, size: nil)
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
