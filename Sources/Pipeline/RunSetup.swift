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
