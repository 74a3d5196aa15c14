internal import TesseraBytes
internal import TesseraCatalog
internal import TesseraFetch
internal import TesseraImageHeader
internal import TesseraJSON
internal import TesseraManifest
internal import TesseraOutput
internal import TesseraPipelineFile
internal import TesseraPlan
internal import TesseraState
internal import TesseraSystem
internal import TesseraText
internal import TesseraWire

/// What earlier runs, and this one so far, know of items: asks the state, and looks which files are
/// there.
///
/// A class, like those that run items: as a value, with the pipeline in it, it would be copied into each of a
/// thousand tasks, many times over.
final class ItemMemory: Sendable {
  let file: PipelineFile
  let run: Int
  let libvips: String
  let state: StateStore
  let output: DirectoryOutput
  let recorder: RunRecorder
  /// Whether only what failed, is stale or new is asked for.
  let retriesFailed: Bool
  /// Stands for everything but the bytes that decides whether there is something to show of them.
  let rejectionSettings: String

  init(
    file: PipelineFile, run: Int, libvips: String, state: StateStore, output: DirectoryOutput,
    recorder: RunRecorder, retriesFailed: Bool
  ) {
    self.file = file
    self.run = run
    self.libvips = libvips
    self.state = state
    self.output = output
    self.recorder = recorder
    self.retriesFailed = retriesFailed
    rejectionSettings = Fingerprint.rejection(file, libvips: libvips)
  }

  /// A content that was decoded before, planned for an entry.
  final class Known: Sendable {
    let content: ContentRecord
    let blueprint: Blueprint

    init(content: ContentRecord, blueprint: Blueprint) {
      self.content = content
      self.blueprint = blueprint
    }
  }

  /// The source of an entry, as it was last confirmed.
  final class Source: Sendable {
    let key: String
    /// SHA-256 of the URL that is asked for.
    let url: String
    let record: SourceRecord?
    let known: Known?
    /// What the source's header told, where that was later: its bytes have changed since.
    let header: HeaderRecord?
    /// Why there was nothing to show of what it led to the last time, where that may still be so.
    let rejection: RejectionRecord?
    /// Whether the files are there that the entry needs, and the pipeline lets the content in. What
    /// it no longer lets in is looked at anew, and refused as if for the first time.
    let isReady: Bool
    /// What the entry's line of the catalog was the last time, where only what failed is asked for; nil where that is
    /// not known, was of another URL, or does not matter.
    let lastStatus: CatalogImage.Status?

    init(
      key: String, url: String, record: SourceRecord?, known: Known?, header: HeaderRecord?,
      rejection: RejectionRecord?, isReady: Bool, lastStatus: CatalogImage.Status?
    ) {
      self.key = key
      self.url = url
      self.record = record
      self.known = known
      self.header = header
      self.rejection = rejection
      self.isReady = isReady
      self.lastStatus = lastStatus
    }
  }

  /// The place of an item in the fetcher's queue.
  func turn(_ position: Int) -> Int { file.fetch.order == .newestFirst ? -position : position }

  func source(for entry: ManifestEntry) async throws -> Source {
    let key = file.sourceKey(for: entry)
    let url = urlDigest(entry)
    let knowledge = try await state.knowledge(of: key, url: url)
    let (record, header) = (knowledge.source, knowledge.header)
    var known: Known?
    if let record, let content = knowledge.content {
      known = try await self.known(record.content, content, for: entry)
    }
    let isLater = header.map { $0.confirmation.checked > record?.confirmation.checked ?? 0 }
    return Source(
      key: key, url: url, record: record, known: known, header: isLater == true ? header : nil,
      rejection: rejection(knowledge.rejection),
      isReady: known.map { $0.blueprint.isComplete && file.letsIn($0.content) } ?? false,
      lastStatus: retriesFailed ? try await lastStatus(of: entry) : nil)
  }

  /// SHA-256 of the URL that is asked for, without its fragment.
  func urlDigest(_ entry: ManifestEntry) -> String {
    SHA256.of(SourceURL.cacheKey(file.requestURL(for: entry)))
  }

  /// An item that is new has none, and neither has one of a state that was damaged.
  private func lastStatus(of entry: ManifestEntry) async throws -> CatalogImage.Status? {
    guard let last = try await state.lastResult(of: entry.id),
      let image = try? JSONParser.parse(Array(last.result.utf8)),
      image["url"]?.stringValue == SourceURL.shown(entry.url, ignoring: file.fetch.ignoredQuery)
    else { return nil }
    return CatalogImage.Status(rawValue: last.status)
  }

  func known(_ digest: String, for entry: ManifestEntry) async throws -> Known? {
    guard let content = try await state.content(digest) else { return nil }
    return try await known(digest, content, for: entry)
  }

  private func known(
    _ digest: String, _ content: ContentRecord, for entry: ManifestEntry
  ) async throws -> Known {
    Known(
      content: content,
      blueprint: try await blueprint(digest, content.format, content.facts, for: entry))
  }

  func blueprint(
    _ digest: String, _ format: String, _ facts: SourceFacts, for entry: ManifestEntry
  ) async throws -> Blueprint {
    let source = facts.planned(format, focus: entry.planFocus)
    let plan = Plan(for: source, settings: file.plan, slots: entry.slots)
    // Of all slots, whatever the item asks for: files must not depend on who asked first.
    let whole = entry.slots == nil ? plan : Plan(for: source, settings: file.plan)
    let decode = whole.decode(of: facts.size)
    let keys = plan.files.map {
      Fingerprint.variant(content: digest, decode: decode, recipe: $0.recipe, libvips: libvips)
    }
    let placeholderKey = Fingerprint.placeholder(
      content: digest, decode: decode, libvips: libvips)
    let (variants, placeholder) = try await state.made(keys, placeholder: placeholderKey)
    // A record whose file is gone, or not whole, counts as none.
    let records = try variants.map { record in
      try record.flatMap { output.has($0.path, bytes: $0.bytes) ? try digested($0) : nil }
    }
    return Blueprint(
      content: digest, facts: facts, decode: decode, plan: plan, keys: keys, records: records,
      placeholderKey: placeholderKey, placeholder: placeholder)
  }

  /// With the digest, where the catalog tells it and an earlier version did not note it.
  private func digested(_ record: VariantRecord) throws(PipelineError) -> VariantRecord {
    guard file.profile == .full, record.sha256 == nil else { return record }
    var record = record
    record.sha256 = try PipelineError.wrap {
      try FileSystem.sha256(of: FileSystem.join(output.root, record.path))
    }
    return record
  }

  /// Where an entry's picture came from, as far as that is known.
  func provenance(_ entry: ManifestEntry) async throws -> CatalogSource? {
    guard let record = try await state.source(file.sourceKey(for: entry)),
      let content = try await state.content(record.content)
    else { return nil }
    return CatalogSource(
      url: record.url, bytes: content.bytes, sha256: record.content, width: content.headerWidth,
      height: content.headerHeight, orientation: content.orientation,
      colourSpace: content.colourSpace, profile: content.profile, etag: record.confirmation.etag,
      lastModified: record.confirmation.lastModified, robots: record.robots)
  }

  func count(_ blueprint: Blueprint, made: Int) {
    count(blueprint.plan)
    recorder.update { $0.variantsReused += blueprint.keys.count - made }
  }

  /// Counts the files that a plan's places ask for.
  func count(_ plan: Plan) {
    recorder.update { $0.variantsAsked += plan.asked }
  }

  // MARK: Freshness

  /// Whether a source's bytes may be used without asking.
  func isFresh(_ source: Source) -> Bool {
    if retriesFailed, source.isReady, source.header == nil, let record = source.record {
      switch source.lastStatus {
      case .ok: return true
      // Another item with the source may have found that it is well again.
      case .stale, .failed: return record.confirmation.run == run
      case .pending, nil: break
      }
    }
    return source.header == nil && source.record.map { isFresh($0.confirmation) } ?? false
  }

  /// Whether a run for sizes alone has nothing to do with a source because only what failed, is stale or new was asked
  /// for.
  func isLeftAlone(_ source: Source) -> Bool {
    retriesFailed && (source.lastStatus == .ok || source.lastStatus == .pending)
  }

  /// Why a source is asked for, or not.
  func occasion(_ source: Source) -> String {
    guard let record = source.record else {
      return source.rejection == nil ? "asked for: it was not known" : Self.nothingToShow
    }
    let moment = Host.timestamp(record.confirmation.checked)
    if isFresh(source) {
      if retriesFailed, source.isReady, source.lastStatus == .ok {
        return "nothing to do: only what failed, is stale or new was asked for (--retry-failed)"
      }
      if let known = source.known, !source.isReady {
        let missing = known.blueprint.missing.count
        return missing > 0
          ? "asked for: \(missing) of its \(known.blueprint.keys.count) files are not there"
          : "asked for: the pipeline does not let in what was let in before"
      }
      if record.confirmation.run == run {
        return "nothing to do: another item of this run has asked for the same source"
      }
      if file.fetch.revalidation == .never {
        return "nothing to do: what is known is never asked for again (revalidate: never)"
      }
      let end = record.confirmation.freshUntil.map { Host.timestamp($0) } ?? moment
      return "nothing to do: the server's answer is fresh until \(end)"
    }
    if source.rejection != nil { return Self.nothingToShow }
    if source.header != nil { return "asked for: a run for sizes alone saw another picture there" }
    if file.fetch.revalidation == .always { return "asked for: it always is (revalidate: always)" }
    guard let end = record.confirmation.freshUntil else {
      return "asked for: the server did not say how long its answer of \(moment) is fresh"
    }
    return "asked for: the answer of \(moment) was fresh until \(Host.timestamp(end))"
  }

  private static let nothingToShow =
    "asked for: there was nothing to show of what came the last time"

  /// What a body that came is to what was known.
  func change(_ source: Source, to digest: String, _ response: FetchResponse) -> String {
    if source.rejection?.content == digest { return "fetched: the same bytes as the last time" }
    guard let record = source.record else {
      return source.rejection == nil ? "fetched for the first time" : "fetched"
    }
    if record.content == digest { return "fetched: the same bytes as before" }
    let (old, new) = (record.confirmation.etag, response.validators?.etag)
    if let old, let new, old != new { return "fetched: it has changed (ETag \(old) is now \(new))" }
    return "fetched: it has changed"
  }

  func isFresh(_ confirmation: Confirmation) -> Bool {
    if confirmation.run == run { return true }
    switch file.fetch.revalidation {
    case .always: return false
    case .never: return true
    case .whenStale:
      // A clock that was set back must not make an answer fresh for ever.
      let now = Host.now
      return confirmation.checked <= now && now < confirmation.freshUntil ?? 0
    }
  }

  /// What a server said just now. A 304 may leave out what has not changed (RFC 9111, 4.3.4), how
  /// long it stays fresh for one.
  func confirmation(_ response: FetchResponse, before: Confirmation?) -> Confirmation {
    let now = Host.now
    let last = before.flatMap { before in before.freshUntil.map { $0 - before.checked } }
    let lifetime = response.freshness.map { Double($0.components.seconds) } ?? last
    return Confirmation(
      etag: response.validators?.etag ?? before?.etag,
      lastModified: response.validators?.lastModified ?? before?.lastModified, checked: now,
      freshUntil: lifetime.map { now + $0 }, run: run)
  }
}

extension Confirmation {
  var validators: Validators? { Validators(etag: etag, lastModified: lastModified) }
}

extension SourceFacts {
  /// - Parameter format: the source's, as it is named in the catalog.
  func planned(_ format: String, focus: PlanSource.Focus?) -> PlanSource {
    PlanSource(
      size: size, format: OutputFormat(rawValue: format), hasAlpha: hasAlpha,
      isAnimated: frames > 1, focus: focus)
  }
}

extension ContentRecord {
  /// Whether it would be decoded with this much strictness. What was let in at one level may be refused at
  /// another; only a new look can tell.
  func passes(_ failOn: FailOn) -> Bool {
    func isDamaged(_ level: FailOn) -> Bool {
      warnings.contains { $0.hasPrefix(TranscodeReply.damageWarning(level)) }
    }
    return switch failOn {
    case .none: true
    case .truncated: !isDamaged(.none)
    case .error: !isDamaged(.none) && !isDamaged(.truncated)
    }
  }

  var facts: SourceFacts {
    SourceFacts(size: Size(width, height), hasAlpha: hasAlpha, frames: frames)
  }
}

extension HeaderRecord {
  init(_ header: ImageHeader, _ confirmation: Confirmation) {
    self.init(
      format: header.format.rawValue, width: header.width, height: header.height,
      hasAlpha: header.hasAlpha, isAnimated: header.movesDecoded, confirmation: confirmation)
  }

  var facts: SourceFacts {
    SourceFacts(Size(width, height), hasAlpha: hasAlpha, isAnimated: isAnimated)
  }
}

extension ImageHeader {
  /// What the header promises.
  var facts: SourceFacts {
    SourceFacts(Size(width, height), hasAlpha: hasAlpha, isAnimated: movesDecoded)
  }

  /// Whether it moves when it is decoded.
  var movesDecoded: Bool? { format.hasFrames ? isAnimated : false }
}

extension SourceFacts {
  /// What is not told yet is planned for as a still one; its decoder knows.
  fileprivate init(_ size: Size, hasAlpha: Bool, isAnimated: Bool?) {
    self.init(size: size, hasAlpha: hasAlpha, frames: isAnimated == true ? 2 : 1)
  }
}
