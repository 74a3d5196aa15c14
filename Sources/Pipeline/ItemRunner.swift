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
struct ItemRunner: Sendable {
  let file: PipelineFile
  let run: Int
  let libvips: String
  let state: StateStore
  let output: DirectoryOutput
  let fetch: ItemFetch
  let transcode: ItemTranscode
  let recorder: RunRecorder
  /// One task at a time for each URL, and for each content.
  let sources = KeyedQueue<FetchError>()
  let contents = KeyedQueue<Never>()

  /// Takes an entry's place among those with the same source. To be called in the order of the
  /// manifest, so that it is the first of them whose URL is asked.
  func place(for entry: ManifestEntry) -> KeyedQueue<FetchError>.Place {
    sources.place(file.sourceKey(for: entry))
  }

  func image(
    for entry: ManifestEntry, position: Int, place: KeyedQueue<FetchError>.Place
  ) async throws -> CatalogImage {
    try await sources.work(place) { failure in
      try await image(for: entry, position: position, failure: failure)
    }
  }

  /// - Parameter failure: why the item before, with the same source, could not fetch it just now.
  private func image(
    for entry: ManifestEntry, position: Int, failure: FetchError?
  ) async throws -> (CatalogImage, FetchError?) {
    let shown = SourceURL.shown(entry.url, ignoring: file.fetch.ignoredQuery)
    if let unknown = entry.slots?.first(where: { name in
      !file.plan.slots.contains { $0.name == name }
    }) {
      let names = file.plan.slots.map(\.name).joined(separator: ", ")
      let image = Assembly.failed(
        entry, url: shown,
        .init(
          code: "unknown-slot",
          message: "The pipeline has no slot \"\(unknown)\"; it has \(names).", retryable: false))
      return (image, failure)
    }
    let key = file.sourceKey(for: entry)
    let source = try await state.source(key)
    var known: Known?
    if let source { known = try await self.known(source.content, for: entry) }
    // What the pipeline no longer lets in is looked at anew, and refused as if for the first time.
    let isReady = known.map { $0.blueprint.isComplete && isLetIn($0.content) } ?? false
    if let source, let known, isReady, isFresh(source) {
      return (reused(entry, shown, known), nil)
    }
    if let failure {
      return (
        failed(entry, shown, .init(failure), known, isStale: isReady && failure.leavesStale),
        failure
      )
    }
    // A server is asked "has it changed?" only where a "no" would be of use.
    let validators =
      isReady ? source.flatMap { Validators(etag: $0.etag, lastModified: $0.lastModified) } : nil
    let spool = output.spoolPath("\(position)")
    switch try await fetch.fetch(
      file.requestURL(for: entry), validators: validators, spoolPath: spool)
    {
    case .notModified(let response):
      guard let source, let known else {
        throw PipelineError.local("a source is unchanged, but nothing is known of it")
      }
      try await save(source.content, response, key: key, before: source)
      return (reused(entry, shown, known), nil)
    case .failed(let error):
      return (
        failed(entry, shown, .init(error), known, isStale: isReady && error.leavesStale), error
      )
    case .arrived(_, let intake, .refused(let refusal)):
      intake.discard()
      let failure = CatalogImage.Failure(
        code: refusal.code, message: refusal.message.asSentence,
        retryable: refusal.code == "truncated")
      if isReady && refusal.header == nil {
        return (failed(entry, shown, failure, known, isStale: true), nil)
      }
      let image = Assembly.failed(
        entry, url: shown, failure, format: refusal.header?.format.rawValue,
        size: refusal.header.map { Size($0.width, $0.height) })
      return (image, nil)
    case .arrived(let response, let intake, .picture(let header, let digest)):
      fetch.fetcher.hold(1, limit: spoolLimit)
      defer {
        intake.discard()
        fetch.fetcher.hold(-1, limit: spoolLimit)
      }
      var image = try await contents.work(contents.place(digest)) { _ in
        (try await make(entry, shown, header, digest, spool: spool, position: position), nil)
      }
      if image.status == .ok {
        try await save(digest, response, key: key, before: nil)
      } else if isReady, let error = image.error {
        image = failed(entry, shown, error, known, isStale: true)
      }
      return (image, nil)
    }
  }

  /// So many sources may lie in the spool before fetching waits for the workers.
  private var spoolLimit: Int { file.fetch.concurrency + 8 }

  /// An entry for something that went wrong: with the last good files where it is stale.
  private func failed(
    _ entry: ManifestEntry, _ shown: String, _ failure: CatalogImage.Failure, _ known: Known?,
    isStale: Bool
  ) -> CatalogImage {
    if let known, isStale {
      return Assembly.image(
        entry, url: shown, content: known.content, blueprint: known.blueprint, error: failure)
    }
    return Assembly.failed(
      entry, url: shown, failure, format: known?.content.format, size: known?.blueprint.facts.size)
  }

  private func isLetIn(_ content: ContentRecord) -> Bool {
    file.accept.contains { $0.rawValue == content.format } && content.frames <= file.limits.frames
      && content.width * content.height * content.frames <= file.limits.pixels
  }

  /// From bytes in the spool to an entry.
  private func make(
    _ entry: ManifestEntry, _ shown: String, _ header: ImageHeader, _ digest: String,
    spool: String, position: Int
  ) async throws -> CatalogImage {
    if let known = try await known(digest, for: entry), known.blueprint.isComplete,
      isLetIn(known.content)
    {
      return reused(entry, shown, known)
    }
    var facts = try await state.content(digest)?.facts ?? header.facts
    // The decoder may see another size than the header told, once.
    for attempt in 0..<2 {
      var blueprint = try await blueprint(digest, facts, for: entry)
      let outcome = try await transcode.make(
        blueprint, from: spool, format: header.format.rawValue, name: "\(position)-\(attempt)",
        identifier: position)
      switch outcome {
      case .made(let records, let seen, let warnings):
        let missing = blueprint.missing
        for (index, record) in zip(missing, records) { blueprint.records[index] = record }
        let content = ContentRecord(
          format: header.format.rawValue, width: seen.size.width, height: seen.size.height,
          hasAlpha: seen.hasAlpha, frames: seen.frames, warnings: warnings)
        let variants = zip(missing, records).map { (key: blueprint.keys[$0], record: $1) }
        try await state.save(content, digest: digest, variants: variants)
        count(blueprint, made: missing.count)
        return Assembly.image(entry, url: shown, content: content, blueprint: blueprint)
      case .differs(let seen): facts = seen
      case .failed(let failure):
        return Assembly.failed(
          entry, url: shown, .init(failure), format: header.format.rawValue, size: facts.size)
      }
    }
    return Assembly.failed(
      entry, url: shown,
      .init(TranscodeFailure(.workerProtocol, "the worker contradicted itself about this picture")))
  }

  // MARK: What is known

  /// A content that was decoded before, planned for an entry.
  private struct Known: Sendable {
    var content: ContentRecord
    var blueprint: Blueprint
  }

  private func known(_ digest: String, for entry: ManifestEntry) async throws -> Known? {
    guard let content = try await state.content(digest) else { return nil }
    return Known(
      content: content, blueprint: try await blueprint(digest, content.facts, for: entry))
  }

  private func blueprint(
    _ digest: String, _ facts: SourceFacts, for entry: ManifestEntry
  ) async throws -> Blueprint {
    let source = PlanSource(
      size: facts.size, hasAlpha: facts.hasAlpha, isAnimated: facts.frames > 1,
      focus: entry.planFocus)
    let plan = Plan(for: source, settings: file.plan, slots: entry.slots)
    // Of all slots, whatever the item asks for: files must not depend on who asked first.
    let base =
      entry.slots == nil
      ? plan.base(of: facts.size) : Plan(for: source, settings: file.plan).base(of: facts.size)
    let keys = plan.variants.map {
      Fingerprint.variant(content: digest, base: base, recipe: $0.recipe, libvips: libvips)
    }
    // A record whose file is gone, or not whole, counts as none.
    let records = try await state.variants(keys).map { record in
      record.flatMap { output.has($0.path, bytes: $0.bytes) ? $0 : nil }
    }
    return Blueprint(
      content: digest, facts: facts, base: base, plan: plan, keys: keys, records: records)
  }

  private func reused(_ entry: ManifestEntry, _ shown: String, _ known: Known) -> CatalogImage {
    count(known.blueprint, made: 0)
    return Assembly.image(
      entry, url: shown, content: known.content, blueprint: known.blueprint)
  }

  private func count(_ blueprint: Blueprint, made: Int) {
    recorder.update { report in
      report.variantsAsked += blueprint.plan.slots.reduce(0) { $0 + $1.requests.count }
      report.variantsReused += blueprint.plan.variants.count - made
    }
  }

  // MARK: Freshness

  private func isFresh(_ source: SourceRecord) -> Bool {
    if source.run == run { return true }
    switch file.fetch.revalidation {
    case .always: return false
    case .never: return true
    case .whenStale:
      // A clock that was set back must not make an answer fresh for ever.
      let now = Host.now
      return source.checked <= now && now < source.freshUntil ?? 0
    }
  }

  /// Remembers what a server said. A 304 may leave out what has not changed (RFC 9111, 4.3.4).
  private func save(
    _ content: String, _ response: FetchResponse, key: String, before: SourceRecord?
  ) async throws {
    let now = Host.now
    let lifetime = response.freshness.map { Double($0.components.seconds) }
    try await state.save(
      SourceRecord(
        content: content, etag: response.validators?.etag ?? before?.etag,
        lastModified: response.validators?.lastModified ?? before?.lastModified, checked: now,
        freshUntil: lifetime.map { now + $0 }, run: run),
      key: key)
  }
}

extension FetchError {
  /// Whether the last good files stand after this error: the source was not reached. A server that
  /// says "gone", and an address that is not allowed, are answers.
  fileprivate var leavesStale: Bool {
    switch code {
    case .httpStatus: ![404, 410, 451].contains(status)
    case .addressRefused, .badURL: false
    default: true
    }
  }
}

extension ContentRecord {
  fileprivate var facts: SourceFacts {
    SourceFacts(size: Size(width, height), hasAlpha: hasAlpha, frames: frames)
  }
}

extension ImageHeader {
  /// What the header promises. A GIF that does not tell yet is planned for as a still one; its
  /// decoder knows.
  fileprivate var facts: SourceFacts {
    SourceFacts(size: Size(width, height), hasAlpha: hasAlpha, frames: isAnimated == true ? 2 : 1)
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
