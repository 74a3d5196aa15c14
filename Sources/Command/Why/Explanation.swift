internal import TesseraCatalog
internal import TesseraJSON
internal import TesseraManifest
internal import TesseraNet
internal import TesseraOutput
internal import TesseraPipeline
internal import TesseraPipelineFile
internal import TesseraState
internal import TesseraSystem
internal import TesseraText

/// What happened to one item, and why it was or was not processed again.
struct Explanation: Sendable, JSONDocument {
  let schema = "tessera-why/1"
  var id: String
  /// The item's line in the manifest.
  var line: Int
  /// The status and the error, as in the catalog; nil if a run was stopped before the item had any.
  var status: String?
  var error: Problem?
  var url: String?
  /// What the run decided, in order: a clause each.
  var decisions: [String]
  /// When the last of the runs ended that have found since that manifest, pipeline and sources are as they were, in UTC;
  /// nil if the run that decided was the last one.
  var unchangedUntil: String?
  /// Of the last run; nil if it made a catalog.
  var failure: Failure?
  /// The qualities that searches have found for its bytes, in this run or earlier ones, the last one first: a clause
  /// each. The pipeline's settings decide which of them counts, if any.
  @Omitting([]) var qualities: [String] = []
  /// SHA-256 of the source's bytes.
  var content: String?
  /// Another item with the same bytes.
  var twin: String?
  /// The status in the current catalog, if that is one of an earlier run (`rollback`) with another entry of this
  /// image; "missing" if it has none.
  var statusInCatalog: String?
  /// The process that is at work on the output: a clause; nil if none is. What it has decided so far counts already.
  var inProgress: String?

  /// What is wrong with the image.
  struct Problem: Sendable, Encodable {
    var code: String?
    var message: String
    /// What to do about it: a clause; nil if the message says it.
    var remedy: String?
    /// Whether it may pass by itself; nil if it is not known.
    var retryable: Bool?
  }

  /// Why a run made no catalog, and when it ended, in UTC.
  struct Failure: Sendable, Encodable {
    var reason: String
    var time: String
  }

  private enum CodingKeys: String, CodingKey {
    case schema, id, line, status, url, decisions, unchangedUntil, failure, qualities, error
    case content = "sha256"
    case twin = "sameBytesAs"
    case statusInCatalog, inProgress
  }

  /// - Parameters:
  ///   - id: of the image, or its URL.
  ///   - root: the output of a run.
  ///   - state: the directory of the state of an output in an object store.
  ///   - pipeline: whose list is asked about an id that no run has seen; nil if it is not known.
  ///   - isID: whether a URL in its place is looked up.
  /// - Throws: ``TesseraError`` if the output has no state, or the state has no such item.
  static func of(
    _ id: String, in root: String, state: String? = nil, store: StoreSettings = StoreSettings(),
    of pipeline: PipelineFile? = nil, isID: Bool = true
  ) async throws -> Explanation {
    let output = try OutputFolder(root, state: state, store: store)
    let states = try await output.existingStates(knowing: id)
    guard let newest = states.first else {
      throw TesseraError(
        .output, "\"\(root)\" holds no state (.tessera/state.sqlite)",
        remedy: "it must be the output of a run")
    }
    var (found, qualities): (StateStore.ItemHistory?, [QualityRecord]) = (nil, [])
    for state in states where found == nil {
      found = try await state.store.history(of: id)
      guard let content = found?.content else { continue }
      qualities = try await state.store.qualities(of: content)
    }
    guard let known = found else {
      guard isID, let named = try await self.id(ofURL: id, in: output) else {
        throw try await unknown(id, newest.store, output, pipeline)
      }
      return try await of(named, in: root, state: state, store: store, isID: false)
    }
    let line = try await line(of: id, known.chunk, in: output.published)
    let isLast = line.map { LineInputs.sum(of: $0) == known.sum } ?? false
    let image = line.flatMap { CatalogLine($0) }
    let (url, error) = (image?.url, (isLast ? image?.error : nil) ?? known.error)
    let ban = await HostBan.of(url, error, in: output)
    let runs = Self.runs(in: try await output.histories())
    let (last, good) = (runs.last, runs.last { $0.outcome.isSuccess })
    // The catalog shows paths of files without a scheme, from the folders that may be read.
    let isFile = url.map { [nil, "file"].contains(SourceURL.scheme(of: $0)) } ?? false
    return Explanation(
      id: id, line: known.line, status: known.status,
      error: problem(error, ban),
      url: url,
      decisions: known.reasons.map { $0.sentence(ofFile: isFile) },
      // A run that finds nothing to do has no number.
      unchangedUntil: good?.run == nil ? good.map { Host.timestamp($0.ended) } : nil,
      failure: last?.reason.map {
        Failure(reason: $0, time: Host.timestamp(last?.ended ?? 0))
      },
      qualities: qualities.sorted { $0.run > $1.run }.map(\.sentence), content: known.content,
      twin: known.twin,
      statusInCatalog: isLast ? nil : try await status(of: id, inEarlierCatalogOf: output),
      inProgress: try await output.activity()?.holder)
  }

  /// - Parameter error: the member `error` of a line.
  private static func problem(_ error: JSONValue?, _ ban: HostBan?) -> Problem? {
    guard let error, let message = error["message"]?.stringValue else { return nil }
    return Problem(
      code: error["code"]?.stringValue, message: message,
      remedy: ban.map { "\($0.clause); \($0.remedy)" } ?? ErrorWords.remedy(for: error),
      retryable: error["retryable"]?.boolValue)
  }

  /// The image with a URL, as the list has it; nil if there is none.
  ///
  /// - Throws: ``TesseraError`` if several images have it.
  private static func id(ofURL url: String, in output: OutputFolder) async throws -> String? {
    let keys = Set<Identifier>(of: ForgottenItems.requests(of: url))
    var ids: Set<Identifier> = []
    for state in try await output.existingStates() {
      for id in try await state.store.ids(where: { _, key in key.map { keys.contains($0) } ?? false
      }) {
        if try await state.store.has(id) { ids.insert(id) }
      }
    }
    // Paths of files, too, are shown in another form.
    if ids.isEmpty, SourceURL.isTransferred(url) || SourceURL.scheme(of: url) == nil {
      ids = try await Self.ids(shownAs: url, in: output)
    }
    guard ids.count > 1 else { return ids.first?.text }
    let list = ids.texts.sorted().prefix(listedIDs).map { "\"\($0)\"" }.joined(separator: ", ")
    throw TesseraError(
      .unknownImages, "\(ids.count) images have the URL \"\(url)\": \(list)",
      remedy: "name one of them")
  }

  /// The images that the catalog shows with a URL: one without its secrets, and without parameters that the pipeline ignores.
  private static func ids(
    shownAs url: String, in output: OutputFolder
  ) async throws -> Set<Identifier> {
    var ids: Set<Identifier> = []
    guard try await CurrentCatalog.isThere(in: output.published) else { return ids }
    var texts = CatalogTexts(CurrentCatalog.path, in: output.published)
    while let line = try await texts.next() {
      guard let names = CatalogLine.names(in: line), let id = names.id,
        Identifier(names.url) == Identifier(url)
      else { continue }
      ids.insert(id)
    }
    return ids
  }

  /// An image's line of the current catalog; nil if it has none.
  ///
  /// - Parameter chunk: where it was when a run made the catalog.
  private static func line(
    of id: String, _ chunk: Chunk?, in output: any Output
  ) async throws -> [UInt8]? {
    guard try await CurrentCatalog.isThere(in: output) else { return nil }
    let isImage = { (line: [UInt8]) in
      Identifier(CatalogLine.names(in: line)?.id) == Identifier(id)
    }
    if let chunk, chunk.length > 0 {
      let bytes = try await output.read(CurrentCatalog.path, chunk.length, at: chunk.offset)
      let lines = chunk.isOf(bytes) ? CatalogDocument.lines(bytes).map { Array($0) } : []
      if let line = lines.first(where: isImage) { return line }
    }
    var texts = CatalogTexts(CurrentCatalog.path, in: output)
    // One that can't be read has no answer, and the decisions are worth showing without it.
    while let line = try? await texts.next() {
      if isImage(line) { return line }
    }
    return nil
  }

  /// Nil if the current catalog is not one that another had replaced.
  private static func status(
    of id: String, inEarlierCatalogOf output: OutputFolder
  ) async throws -> String? {
    let current = try await CurrentCatalog(of: output.published)
    let kept = try await CatalogHistory.kept(in: output.published)?.catalogs
      .first { $0.path == current?.keptPath }
    guard let kept else { return nil }
    var images = KeptImages(kept, in: output.published, checksDigest: false)
    while let entry = try await images.next() {
      guard Identifier(entry.id) == Identifier(id) else { continue }
      return entry.status
    }
    return "missing"
  }

  /// Ids that are named where another is not found.
  private static let listedIDs = 3

  private static func runs(in histories: [RunHistory]) -> [HistoryEntry] {
    histories.flatMap(\.entries).filter { $0.kind == .run }.sorted { $0.ended < $1.ended }
  }

  private static func unknown(
    _ id: String, _ state: StateStore, _ output: OutputFolder, _ pipeline: PipelineFile?
  ) async throws -> TesseraError {
    let forgotten = try await ForgottenItems.of(output.published)
    if forgotten.has(id: id) {
      return TesseraError(
        .unknownImages, "the image \"\(id)\" was forgotten (tessera forget), and runs leave it out",
        remedy: "--undo with its id, and with its URL if that was named, ends that")
    }
    if let pipeline, let finding = try await pipeline.finding(on: id) {
      return TesseraError(
        .unknownImages, "no item of the last run has the id \"\(id)\"; \(finding)")
    }
    let status = try await status(of: id, inEarlierCatalogOf: output)
    if let status, status != "missing" {
      return TesseraError(
        .unknownImages,
        "no item of the last run has the id \"\(id)\"; "
          + "the current catalog is an earlier one (tessera rollback), in which this image is \(status)"
      )
    }
    if let kept = try await lastCatalog(of: output, with: id) {
      return TesseraError(
        .unknownImages,
        "no item of the last run has the id \"\(id)\"; "
          + "it left the catalog with that which was replaced at \(Host.timestamp(Double(kept.time))) (tessera rollback --list)"
      )
    }
    let near = try await state.ids(near: id, limit: listedIDs + 1)
    let list = near.prefix(listedIDs).map { "\"\($0)\"" }.joined(separator: ", ")
    return TesseraError(
      .unknownImages,
      "no item of the last run has the id \"\(id)\""
        + (near.isEmpty
          ? "" : "; there are \(list)" + (near.count > listedIDs ? " and others" : "")))
  }

  /// The last of the kept catalogs that has an image.
  private static func lastCatalog(
    of output: OutputFolder, with id: String
  ) async throws -> KeptCatalog? {
    let kept = try await CatalogHistory.kept(in: output.published)?.catalogs ?? []
    for catalog in kept.sorted(by: { $0.time > $1.time }) {
      var images = KeptImages(catalog, in: output.published, checksDigest: false)
      // One that can't be read has no answer, and the question is another.
      while let entry = try? await images.next() {
        if Identifier(entry.id) == Identifier(id) { return catalog }
      }
    }
    return nil
  }
}

extension StateStore.ItemHistory {
  /// The error of the item's line, as far as the decisions say it.
  fileprivate var error: JSONValue? {
    guard status != nil, status != "ok", case .failed(let code, let message)? = reasons.last else {
      return nil
    }
    return .object([.init("code", .string(code)), .init("message", .string(message))])
  }
}

extension PipelineFile {
  /// What the list says of an id that the last run did not have: a clause; nil if it says nothing, and for a list that would
  /// have to be fetched.
  fileprivate func finding(on id: String) async throws -> String? {
    let isHere = manifest.all.allSatisfy { list in
      switch list {
      // A pipe would be waited for.
      case .file(let path): !FileSystem.isPipe(path)
      case .query: true
      case .standardInput, .url, .object, .several: false
      }
    }
    guard isHere else { return nil }
    let list: ManifestStream
    do {
      list = try await ManifestStream.open(self, lookingFor: id)
      while let records = try await list.nextBatch() {
        for case .entry(let entry) in records where Identifier(entry.id) == Identifier(id) {
          return
            "\(list.words(forLine: entry.line)) of the list has it, and that run did not process it"
        }
        try Task.checkCancellation()
      }
    } catch  where !(error is CancellationError) {
      // One that can't be read has no answer; "run" and "check" say why.
      return nil
    }
    return list.foundRow.map { row in
      let line = list.words(forLine: row.line)
      return switch row.reason {
      case .imageless: "\(line) of the list has it, without an image"
      case .unpublished:
        "\(line) of the list has it, and does not say that it is published (\"published\" under columns; published: [] includes it)"
      }
    }
  }
}
