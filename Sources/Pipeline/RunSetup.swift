internal import TesseraCatalog
internal import TesseraManifest
internal import TesseraNet
internal import TesseraOutput
internal import TesseraPipelineFile
internal import TesseraState
internal import TesseraSystem
internal import TesseraWorkers

/// Opens the parts of a run, each with a warning of what it lacks.
struct RunSetup: Sendable {
  let file: PipelineFile
  let options: RunOptions
  let held: HeldOutput
  let services: RunServices
  let meter: ProgressMeter

  var budget: WorkerBudget {
    WorkerBudget(
      requested: file.workers, processors: Host.processors, memory: file.limits.memory,
      available: Host.memoryLimit)
  }

  /// Decides whose the output is, and on the number of items by that of its catalog.
  ///
  /// - Throws: ``TesseraError`` of the code `otherPipeline` if another pipeline made that catalog.
  func checks(_ state: StateStore) async throws -> (RunChecks, OutputOwner) {
    let last = try await state.lastCompletedRun()
    let owner = try OutputOwner(
      file, of: held.output.location, last, takesOver: options.takesOver)
    if let selection = options.selection {
      // Of a manifest of which some images are looked for, nothing can be missing; and what has failed can't be lost.
      let checks = RunChecks(
        forgotten: try await marks(state),
        allowsFailures: options.allowsLoss || selection.onlyFailed)
      return (checks, owner)
    }
    var checks = RunChecks(
      owner: owner, forgotten: try await marks(state),
      allowsFailures: options.allowsLoss)
    if let last { meter.noteLast(last.items) }
    if let last, !options.allowsShrink {
      checks.shrinking = ShrinkGuard(
        limit: file.shrinkAbove, before: last.items, isPart: options.shard != nil)
    }
    return (checks, owner)
  }

  func startWorkers() async throws -> any Transcoding {
    let budget = budget
    let pool: any Transcoding
    pool = try await services.startWorkers(
      WorkerSettings(
        executable: options.workerPath, count: budget.count, memory: budget.memory,
        time: file.limits.time,
        replaced: { [meter] in meter.happened(.workerReplaced(reason: $0)) }))
    if let shortfall = file.shortfall(lacking: pool.capabilities.lacks) {
      pool.close()
      throw TesseraError(.workers, shortfall)
    }
    if let gap = pool.capabilities.confinement.gap {
      let sentence = "this kernel can't confine a worker that an image has taken over: \(gap)"
      guard !file.requiresSandbox else {
        pool.close()
        throw TesseraError(
          .workers, "\(sentence), and the pipeline has \"require-sandbox: true\"",
          remedy: "use a kernel and a container that offer both")
      }
      meter.warn(sentence)
    }
    if budget.memory < file.limits.memory {
      meter.warn(
        "the control group's memory leaves each of \(budget.count) workers "
          + "\(budget.memory / 1_000_000) MB, less than limits.memory")
    }
    return pool
  }

  func startFetcher(end: ContinuousClock.Instant?) throws -> any Fetching {
    var settings = file.fetch.fetchSettings
    settings.store = StoreClient(file.store.settings)
    settings.end = end
    settings.hostSlowed = { [meter] host, error, pause in
      meter.happened(.hostSlowed(host: host, reason: error.message, pause: pause))
    }
    return try services.startFetcher(settings)
  }

  /// Removes what an earlier run could not bring to the disk before the machine stopped. To be called before any item: the
  /// record of a file that is not whole would be reused.
  func recover(_ state: StateStore, boot: String) async throws {
    let recovery = Recovery(held)
    let lost = try await recovery.removeUnwritten(state, boot: boot)
    guard lost > 0 else { return }
    meter.warn(
      "the machine stopped during an earlier run; \(lost) incomplete files will be regenerated")
  }

  /// An unusable cache is not a reason to stop: sources are then requested.
  func openCache() -> SourceCache? {
    guard let limit = file.fetch.cache else { return nil }
    do throws(SystemError) {
      return try SourceCache(in: held.workspace, limit: limit)
    } catch {
      meter.warn("no sources are cached (fetch.cache): \(error)")
      return nil
    }
  }
}

/// Images that were forgotten, maybe on another machine, whose `forget` can't reach this state.
extension RunSetup {
  /// Their marks.
  ///
  /// - Throws: also if they are missing although this state has seen some.
  func marks(_ state: StateStore) async throws -> ForgottenItems {
    try await ForgottenItems.of(
      held.output, isExpected: !(try await state.forgottenMarks() ?? "").isEmpty)
  }

  /// Removes what this state still has of them, once for each change of the marks.
  func takeOut(_ forgotten: ForgottenItems?, of state: StateStore) async throws {
    guard let forgotten, try await state.forgottenMarks() ?? "" != forgotten.digest else { return }
    let ids = try await state.ids { forgotten.has(id: $0, request: $1 ?? "") }
    if !ids.isEmpty {
      let contents = try await state.erase(ids, try await state.possessions(of: ids))
      for content in contents { try held.workspace.removeCached(content) }
    }
    try held.workspace.documentCopy.remove()
    try await state.note(forgottenMarks: forgotten.digest)
    // No page of the file has them.
    if !ids.isEmpty { try await state.rewrite() }
  }
}

/// What a run believes of what earlier runs left behind, after something went wrong below them.
///
/// A killed process loses nothing that it wrote, because the system still has it. A machine that stops
/// loses what was not on the disk, and that may be a file's bytes without its name. So before a catalog
/// gets its name, everything that was written goes to the disk (syncfs(2)), and the files of a run that
/// did not get that far are compared with the digests in the state, once, if the machine was booted
/// since.
struct Recovery: Sendable {
  private let held: HeldOutput
  private var output: any Output { held.output }

  init(_ held: HeldOutput) { self.held = held }

  private static let batch = 500

  /// Examines the files of runs that ended together with the machine, and removes those that are not
  /// whole.
  ///
  /// - Parameter boot: the machine's boot id.
  /// - Returns: how many were removed.
  func removeUnwritten(_ state: StateStore, boot: String) async throws -> Int {
    guard try await state.hasDoubts(boot: boot) else { return 0 }
    var removed = 0
    var key = ""
    while true {
      let files = try await state.doubtful(boot: boot, after: key, limit: Self.batch)
      guard let last = files.last else { break }
      try Task.checkCancellation()
      key = last.key
      var (whole, broken): ([String], [String]) = ([], [])
      for file in files {
        if try await isWhole(file.file) { whole.append(file.key) } else { broken.append(file.key) }
      }
      try await state.forgetVariants(broken)
      try await state.endDoubts(of: whole)
      removed += broken.count
    }
    try await state.endDoubts(boot: boot)
    return removed
  }

  /// Removes the file if it is not whole.
  private func isWhole(_ file: VariantRecord?) async throws -> Bool {
    // A path that Tessera does not make is not Tessera's to remove.
    guard let file, FileName.parts(of: file.path) != nil else { return false }
    // A file that can't be read is as good as a broken one.
    if (try? await output.digest(of: file.path)) == file.sha256 { return true }
    try await output.delete(file.path)
    return false
  }

  /// Moves a damaged state out of the way. Returns a warning for the user.
  func setAside(_ error: StateError) async throws -> String {
    try await StateStore.replace(
      after: error, by: held.workspace.statePath(), aside: try await held.setStateAside())
  }
}
