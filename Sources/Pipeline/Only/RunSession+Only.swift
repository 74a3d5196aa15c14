internal import TesseraCatalog
internal import TesseraJSON
internal import TesseraManifest
internal import TesseraOutput
internal import TesseraPipelineFile
internal import TesseraState
internal import TesseraSystem
internal import TesseraWorkers

/// A run of some images, which leaves all others as the current catalog has them.
///
/// The others are neither looked up nor claimed: their lines are copied from the catalog. In the state, the images of the run
/// leave their chunks, so that the next run of all images looks at these again, and at the images as it finds
/// them. The last completed run stays the one with which it compares its manifest.
extension RunSession {
  /// Members of a catalog's head that follow from its images.
  private static let ofImages: Set<String> = ["count", "digest", "images", "tables"]

  /// - Throws: ``TesseraError`` of the code `notOnly` if there is no catalog of a run of all images.
  private func checkHasCatalog() async throws {
    guard try await CurrentCatalog.isThere(in: output) else {
      throw TesseraError.notOnly(
        "the output has no catalog yet; run once without --only, --only-failed and --only-host")
    }
  }

  /// - Throws: ``TesseraError`` of the code `notOnly` if no run of all images has been completed.
  private func checkHasState(_ state: StateStore) async throws {
    guard try await state.lastCompletedRun() != nil else {
      throw TesseraError.notOnly(
        "the output has no state of a run of all images, because its catalog was merged from shards or its state is "
          + "lost; run without --only, --only-failed and --only-host, or the shard that has the image, and merge"
      )
    }
  }

  /// Selects the images of the run; nil for a run of all.
  ///
  /// - Parameter settings: as runs of all images have them.
  /// - Throws: ``TesseraError`` of the code `notOnly` if the other images' entries would be others with this pipeline.
  func entrySelection(
    _ state: StateStore, _ settings: String, _ parent: ParentLines, _ libvips: String
  ) async throws -> EntrySelection? {
    guard let selection = options.selection else { return nil }
    try await checkHead(libvips)
    try await checkHasState(state)
    return EntrySelection(
      selection, state, usualChunks(parent, since: nil, settings))
  }

  /// The head says what shapes entries: a fingerprint of the pipeline, the versions, the slots.
  private func checkHead(_ libvips: String) async throws {
    try await checkHasCatalog()
    var texts = CatalogTexts(CurrentCatalog.path, in: output)
    let members = try await texts.readHead()?.members
    let old = Self.shaping(members)
    let new = Self.shaping(try JSONParser.parse(CatalogHead(file, libvips: libvips).line))
    guard old != new else { return }
    let isOtherVersion =
      old.first { $0.name == "generator" } != new.first { $0.name == "generator" }
      && old.filter { $0.name != "generator" } == new.filter { $0.name != "generator" }
    throw TesseraError.notOnly(
      (isOtherVersion
        ? "another version of tessera made the catalog"
        : "the pipeline has changed since the catalog was made")
        + ", so that the entries of all images may change; run once without --only, --only-failed and --only-host"
    )
  }

  private static func shaping(_ head: JSONValue?) -> [JSONValue.Member] {
    guard case .object(let members)? = head else { return [] }
    return members.filter { !ofImages.contains($0.name) }.map { member in
      // Another version of libvips changes no entry: of a name the first file stands.
      guard member.name == "generator", case .object(let parts) = member.value else {
        return member
      }
      return JSONValue.Member("generator", .object(parts.filter { $0.name != "libvips" }))
    }
  }

  /// Writes the catalog, as a run of all images does.
  ///
  /// - Parameter last: the end of the last run, if the output is as it was then.
  func finishSelection(
    _ selection: EntrySelection, _ runContext: RunContext, _ items: Int, since last: LastEnd?
  ) async throws -> RunResult {
    try await checkHasCatalog()
    try await runContext.state.commit()
    let lines = try await CurrentLines(
      of: output, runContext, selection, items: items,
      without: try await ForgottenItems.of(output))
    recorder.update { $0.others = lines.count - items }
    if !options.allowsLoss {
      try await LossGuard(
        limit: file.lostAbove, output: output, state: runContext.state, run: runContext.run,
        claims: runContext.claims, extent: extent, hasOtherAddresses: false, keepsOthers: true
      ).check(recorder.current)
    }
    // Before the catalog, which names them.
    let tables = extent == .layout ? nil : try await TableWriter(runContext, lines, meter).write()
    let result = RunResult(
      file: file, libvips: runContext.transcoder.capabilities.libvips, tables: tables, lines: lines,
      shard: nil)
    let chunks = try await publish(result, runContext)
    try await runContext.state.endSelection(
      runContext.run, chunks, settings: Fingerprint.line(file))
    // The next run finds the output as this one leaves it.
    if let last, let mark = try await output.mark(after: last.mark) {
      try await runContext.state.note(
        StateStore.RunEnd(output: mark.text, ended: services.clock.now()), of: runContext.run)
    }
    return result
  }
}
