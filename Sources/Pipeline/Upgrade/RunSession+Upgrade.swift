internal import TesseraNet
internal import TesseraPipelineFile
internal import TesseraState
internal import TesseraWorkers

extension RunSession {
  /// Adds files of the better format, as far as the budget goes, and publishes what names them.
  ///
  /// - Returns: whether the run was stopped meanwhile.
  func addBetterFiles(
    _ runContext: RunContext, _ result: RunResult, _ pool: any Transcoding, _ fetcher: any Fetching,
    boot: String
  ) async throws -> Bool {
    guard let queue = runContext.upgrades else { return false }
    let (items, offered) = queue.take()
    recorder.update { $0.upgradesWaiting = offered }
    guard !items.isEmpty else { return false }
    let loop = UpgradeLoop(
      runContext, budget: queue.upgrade.budget, workers: setup.budget.count)
    options.stop.onRequest {
      loop.stop()
      pool.drain()
      fetcher.close()
    }
    defer { options.stop.onRequest(nil) }
    // The files are not on the disk before they are published.
    try await runContext.state.reopenRun(runContext.run, boot: boot)
    let end = try await withTaskCancellationHandler {
      try await loop.run(items)
    } onCancel: {
      pool.close()
      fetcher.close()
    }
    try Task.checkCancellation()
    recorder.update { $0.upgradesWaiting = offered - end.upgraded }
    // Tables need workers. The next run shows what was done.
    if end.upgraded > 0, !end.isStopped || file.tables.isEmpty {
      var result = result
      if !file.tables.isEmpty {
        result.tables = try await TableWriter(runContext, result.lines, meter).write()
      }
      try await runContext.state.save(try await publish(result, runContext, replaces: true))
    }
    try await runContext.state.closeRun(runContext.run)
    return end.isStopped
  }
}
