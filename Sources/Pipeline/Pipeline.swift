internal import TesseraManifest
internal import TesseraNet
internal import TesseraOutput
package import TesseraPipelineFile
internal import TesseraState
internal import TesseraSystem
internal import TesseraWorkers

/// A run of a pipeline, from the manifest to the catalog:
///
///     manifest ──> item ──> item ──> …             Manifest/: lines become items
///                   │                              Schedule/: how many at once, in which order
///                   │  the steps of its ItemPipeline             Item/: what is known and decided of one item
///                   ▼
///                  catalog.json, run.json          Catalog/, Reports/
///
/// Many items are in flight at once, so that network and processors are busy together. Their number
/// and their memory are bounded, so that memory does not grow with the manifest.
package struct Pipeline: Sendable {
  let file: PipelineFile
  let extent: RunExtent
  let options: RunOptions

  package init(_ file: PipelineFile, _ extent: RunExtent = .everything, _ options: RunOptions) {
    self.file = file
    // An image service makes the variants from their sizes alone.
    self.extent = file.deliveringService == nil ? extent : .layout
    self.options = options
  }

  /// The path of what a run writes last: the catalog, or the result of its shard.
  package var resultPath: String {
    options.shard.map {
      FileSystem.join(file.output, ShardHeader.path($0.index, of: $0.count))
    } ?? file.catalogPath
  }

  static func itemPipeline(_ extent: RunExtent, _ runContext: RunContext) -> any ItemPipeline {
    switch extent {
    case .everything: FilesPipeline(runContext)
    case .layout: SizesPipeline(runContext)
    }
  }
}

extension Pipeline {
  /// Runs the pipeline to its end.
  ///
  /// - Parameter observer: observes the run while it works.
  /// - Throws: ``TesseraError`` if the run as a whole could not go on, or `CancellationError`. The last
  ///   good catalog then remains, and what was done is kept for the next run.
  package func run(observer: any RunObserving) async throws -> RunReport {
    guard options.shard == nil || file.tables.isEmpty else { throw TesseraError.shardOfTables }
    let place = try OpenOutput(file.output, state: file.state, file.store.settings)
    do {
      // Before anything is touched: another run may be at work on this output.
      let held = try await place.hold(options.shard)
      let result = await runHolding(held, .system, observer)
      await held.release()
      return try result.get()
    } catch {
      throw error is CancellationError ? error : TesseraError(error)
    }
  }

  /// Runs the pipeline on an output that is locked.
  func runHolding(
    _ held: HeldOutput, _ services: RunServices, _ observer: any RunObserving
  ) async -> Result<RunReport, any Error> {
    var session = RunSession(self, held, services, observer)
    let begun = ContinuousClock.now
    let result = await run(&session)
    // Workers may leave files behind; when a run ends, none of them is in use. What can't be removed now is removed when
    // the next run starts. Before the history, which needs room on a disk that is full.
    try? held.workspace.clear()
    return await session.noting(result, since: begun)
  }

  /// - Parameter session: another one afterwards, if a damaged state was set aside.
  private func run(_ session: inout RunSession) async -> Result<RunReport, any Error> {
    do {
      try session.observer.held()
      try await session.prepare()
      do {
        return .success(try await session.run())
      } catch let error as StateError where StateStore.isDamaged(error) {
        session = try await session.afterSettingAside(error)
        // The catalog is then made from the sources again, unless the manifest can't be read twice.
        guard !file.manifest.isReadOnce else { throw error }
        return .success(try await session.run())
      } catch
        where !(error is CancellationError) && !TesseraError(error).isBusy && session.isPublished
      {
        return .success(session.report(after: error))
      }
    } catch {
      return .failure(error)
    }
  }
}
