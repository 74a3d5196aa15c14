internal import TesseraCatalog
internal import TesseraFetch
internal import TesseraImageHeader
internal import TesseraManifest
internal import TesseraPipelineFile
internal import TesseraPlan
internal import TesseraProbe
internal import TesseraState
internal import TesseraWire

/// One item's way in a run that learns sizes alone:
///
///     state (is it fresh?) -> a few ranges of the source, which give the header -> state
///
/// What is made already stays: an item with all its files is `ok` until its source is seen to have
/// changed. Every other item whose size is known is `pending`.
final class LayoutRunner: ItemRunning {
  let memory: ItemMemory
  let fetch: HeaderFetch
  let limits: Intake.Limits

  private var file: PipelineFile { memory.file }

  init(memory: ItemMemory, fetch: HeaderFetch, limits: Intake.Limits) {
    self.memory = memory
    self.fetch = fetch
    self.limits = limits
  }

  func result(
    for entry: ManifestEntry, position: Int, finding: ItemFinding?
  ) async throws -> ItemResult {
    if let result = ItemAnswers.unknownSlot(memory, entry, finding: finding) { return result }
    let source = try await memory.source(for: entry)
    let answers = ItemAnswers(memory, entry, source)
    // What is not let in any more is asked for anew, so that it is refused like the first time.
    let known = Last(source).flatMap { isLetIn($0) ? $0 : nil }
    let extent = "a run for sizes alone"
    if let known, memory.isLeftAlone(source) {
      return result(
        answers, known,
        "\(extent): only what failed, is stale or new was asked for (--retry-failed)")
    }
    if let known, memory.isFresh(known.confirmation) {
      return result(answers, known, "\(extent): what is known is fresh")
    }
    switch finding {
    case .unreachable(let error): return answers.failed(error, extent)
    case .refused(let refusal): return answers.refused(refusal, extent, finding: finding)
    case nil, .undecodable: break
    }
    let answer = try await fetch.fetch(
      file.requestURL(for: entry), validators: known?.confirmation.validators,
      turn: memory.turn(position))
    switch answer.outcome {
    case .notModified(let response):
      guard let known else {
        throw PipelineError.local("a source is unchanged, but nothing is known of it")
      }
      try await save(known, response, key: source.key)
      return result(answers, known, "\(extent): the server said that it has not changed")
    case .failed(let error):
      if error.code == .local { throw PipelineError.local(error.message) }
      return answers.failed(error, extent)
    case .told(let reading, let response, let length):
      if let refusal = refusal(of: reading, length: length) {
        return answers.refused(refusal, extent, finding: .refused(refusal))
      }
      guard case .header(let header) = reading else {
        throw PipelineError.local("a header was told, and is not there")
      }
      // The bytes that are known may be back after others; after bad ones of the same size only a version tells.
      for known in [Last(bytesOf: source), known].compactMap(\.self)
      where isLetIn(known) && known.isSame(as: header, response)
        && (source.rejection == nil || known.isSameVersion(as: response))
      {
        var response = response
        // What looks alike may be another version all the same, whose validators are not those of what is known.
        if !known.isSameVersion(as: response) { response.validators = nil }
        try await save(known, response, key: source.key)
        return result(answers, known, "\(extent): its first bytes are those that are known")
      }
      let record = HeaderRecord(header, memory.confirmation(response, before: nil))
      try await memory.state.save(record, key: source.key)
      return pending(answers, .header(record), "\(extent): its first bytes told its size")
    }
  }

  /// Why a full run would not let the source in, as far as its header tells.
  private func refusal(of reading: HeaderReading, length: Int?) -> Intake.Refusal? {
    if let refusal = limits.refusal(of: reading) { return refusal }
    guard case .header(let header) = reading, let length, length > file.fetch.maximumBytes else {
      return nil
    }
    return Intake.Refusal(
      code: FetchError.Code.tooLarge.rawValue,
      message: "the file is larger than \(file.fetch.maximumBytes) bytes (max-bytes)",
      picture: Intake.Picture(header))
  }

  // MARK: What was last seen

  /// What is known of a source already: its bytes, or its header alone, whichever was confirmed last.
  private enum Last {
    case bytes(SourceRecord, ItemMemory.Known, isReady: Bool)
    case header(HeaderRecord)

    init?(_ source: ItemMemory.Source) {
      if let header = source.header { self = .header(header) } else { self.init(bytesOf: source) }
    }

    init?(bytesOf source: ItemMemory.Source) {
      guard let record = source.record, let known = source.known else { return nil }
      self = .bytes(record, known, isReady: source.isReady)
    }

    var confirmation: Confirmation {
      switch self {
      case .bytes(let record, _, _): record.confirmation
      case .header(let record): record.confirmation
      }
    }

    /// Whether a server that did not say "not modified" sent the same all the same. Versions are
    /// compared weakly (RFC 9110, section 8.8.3.2): it is the size that matters. Without a validator
    /// to go by, a picture of the same format and size counts as the same: a run that fetches it will
    /// know.
    func isSame(as header: ImageHeader, _ response: FetchResponse) -> Bool {
      if let isSameVersion = sameVersion(response) { return isSameVersion }
      switch self {
      case .bytes(_, let known, _): return known.content.isLike(header)
      case .header: return false
      }
    }

    func isSameVersion(as response: FetchResponse) -> Bool { sameVersion(response) ?? false }

    /// Nil where there is nothing to go by.
    private func sameVersion(_ response: FetchResponse) -> Bool? {
      let (one, other) = (confirmation.validators, response.validators)
      if let one = one?.etag, let other = other?.etag { return one.weakly == other.weakly }
      if let one = one?.lastModified, let other = other?.lastModified { return one == other }
      return nil
    }
  }

  private func save(_ last: Last, _ response: FetchResponse, key: String) async throws {
    let confirmation = memory.confirmation(response, before: last.confirmation)
    switch last {
    case .bytes(var record, _, _):
      record.confirmation = confirmation
      try await memory.state.save(record, key: key)
    case .header(var record):
      record.confirmation = confirmation
      try await memory.state.save(record, key: key)
    }
  }

  /// Whether the pipeline, as it is now, lets in what is known.
  private func isLetIn(_ last: Last) -> Bool {
    switch last {
    case .bytes(_, let known, _): file.letsIn(known.content)
    case .header(let record): file.letsIn(record)
    }
  }

  /// The line for what is known. Counts the places that it serves.
  @inline(never)
  private func result(_ answers: ItemAnswers, _ last: Last, _ reason: String) -> ItemResult {
    if case .bytes(_, let known, isReady: true) = last {
      return answers.reused(known, reason, content: answers.source.record?.content)
    }
    return pending(answers, last, reason, content: answers.source.record?.content)
  }

  @inline(never)
  private func pending(
    _ answers: ItemAnswers, _ last: Last, _ reason: String, content: String? = nil
  ) -> ItemResult {
    let (format, facts) =
      switch last {
      case .bytes(_, let known, _): (known.content.format, known.content.facts)
      case .header(let record): (record.format, record.facts)
      }
    let entry = answers.entry
    let plan = Plan(
      for: facts.planned(format, focus: entry.planFocus), settings: file.plan, slots: entry.slots)
    memory.count(plan)
    var image = Assembly.pending(entry, url: answers.shown, facts, plan)
    image.format = format
    switch last {
    case .bytes(_, let known, _):
      image.placeholder = known.blueprint.placeholder?.shown(file.placeholders)
      (image.animated, image.frames) = (facts.frames > 1, facts.frames)
    case .header(let record):
      image.animated = record.isAnimated
      image.frames = record.isAnimated == false ? 1 : nil
    }
    return ItemResult(image, reason, content: content)
  }
}

extension ContentRecord {
  /// Whether a header may be this content's. Header is compared with header, where it was noted: the
  /// decoder may have seen another size.
  fileprivate func isLike(_ header: ImageHeader) -> Bool {
    guard format == header.format.rawValue else { return false }
    guard let headerWidth, let headerHeight else {
      return width == header.width && height == header.height
    }
    return headerWidth == header.pixelWidth && headerHeight == header.pixelHeight
  }
}

extension String {
  /// An ETag without the mark of a weak one.
  fileprivate var weakly: Substring { hasPrefix("W/") ? dropFirst(2) : self[...] }
}
