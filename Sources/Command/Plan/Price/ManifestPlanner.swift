internal import TesseraImageHeader
internal import TesseraManifest
internal import TesseraNet
internal import TesseraOutput
internal import TesseraPipeline
internal import TesseraPipelineFile
internal import TesseraPlan
internal import TesseraState
internal import TesseraSystem
internal import TesseraText

/// Plans a whole manifest from the sizes that earlier runs learned. Makes nothing.
struct ManifestPlanner {
  private let file: PipelineFile
  private let state: StateReading?
  /// The state may be a copy that ends with this.
  private let stateFile: ReadableState?
  /// The lines of the catalog.
  private let lines: ParentLines
  private let prober: ManifestProber?
  private var summary: PlanSummary

  /// - Parameters:
  ///   - ladders: the ladders to compare; none means the pipeline's own.
  ///   - cost: what the summary's ``PlanSummary/demand`` is about; nil for bytes.
  ///   - countsFiles: whether the summary has more than that.
  ///   - log: how often files were requested; nil for the pipeline's weights.
  ///   - probes: whether unknown sizes are probed over the network.
  init(
    _ file: PipelineFile, ladders: [Ladder] = [], cost: LadderCost? = nil,
    countsFiles: Bool = true, log: AccessLog? = nil, probes: Bool
  ) async throws {
    self.file = file
    // Opening a state that does not exist would create it, and planning writes nothing.
    stateFile = try await OpenOutput.readableState(
      of: file.output, file.state, file.store.settings)
    if let stateFile {
      let state = try StateReading(path: stateFile.path)
      self.state = state
      lines = try await ParentLines(of: file, try await state.store.chunkIndex())
    } else {
      (state, lines) = (nil, try ParentLines())
    }
    prober = probes ? try ManifestProber(file) : nil
    let all = ladders.isEmpty ? [Ladder(file.plan.rounding.steps)] : ladders
    summary = PlanSummary(
      ladders: all.map { LadderPrice($0.steps, file.plan) }, file.plan, cost: cost ?? .bytes,
      countsFiles: countsFiles)
    summary.formats = FileNames(file).formats
    summary.log = log
  }

  /// - Parameter report: called for each line of the manifest that can't be used.
  mutating func run(
    report: (_ line: Int, _ message: String) -> Void
  ) async throws -> PlanSummary {
    var entries = try EntryStream(reading: try await ManifestStream.open(file), file.fetch)
    let slots = Set(file.plan.slots.map(\.name))
    while let batch = try await entries.next() {
      var known: [Item] = []
      for record in batch {
        switch record {
        case .problem(let problem): report(problem.line, problem.text)
        case .repeated, .forgotten, .standing: break
        case .item(let item, _):
          if item.slots?.allSatisfy(slots.contains) ?? true {
            known.append(item)
          } else {
            summary.unknown += 1
          }
        }
      }
      // In one visit to the state: a visit for each line made planning five times as slow.
      try await add(known)
    }
    if let prober { add(try await prober.flush()) }
    summary.items = entries.count
    return summary
  }

  private mutating func add(_ items: [Item]) async throws {
    let seen = try await lastSeen(items)
    // Only what was decoded has files.
    let decoded = zip(items, seen).filter { $1?.isDecoded == true }.map(\.0.id)
    var lineOf: [Identifier: ArraySlice<UInt8>] = [:]
    for (id, chunk) in zip(decoded, try await state?.store.chunkNumbers(of: decoded) ?? []) {
      lineOf[id] = chunk.flatMap { lines.line(id, inChunk: $0)?.text }
    }
    for (item, seen) in zip(items, seen) {
      if let seen {
        summary.add(
          seen.source, id: item.id, slots: item.slots, views: item.views, file.plan,
          line: lineOf[item.id])
      } else if let prober {
        add(try await prober.add(item))
      } else {
        summary.unknown += 1
      }
    }
  }

  private mutating func add(_ answers: [ManifestProber.Answer]) {
    for (item, answer) in answers {
      switch answer {
      case .success(let header):
        let source = header.facts.planned(header.format.rawValue, focus: item.focus)
        summary.add(source, id: item.id, slots: item.slots, views: item.views, file.plan)
      case .failure(let failure): summary.addFailure(item.shownURL, failure.message)
      }
    }
  }

  /// What earlier runs know of each item's source; nil if nothing is known, or if a run would reject
  /// it.
  private func lastSeen(
    _ items: [Item]
  ) async throws -> [(source: PlanSource, isDecoded: Bool)?] {
    guard let state else { return items.map { _ in nil } }
    let seen = try await state.store.lastSeen(items.map(\.sourceKey))
    let acceptance = Acceptance(file)
    return zip(items, seen).map { item, seen in
      switch seen {
      case .content(let content) where acceptance.accepts(content):
        (content.facts.planned(content.format, focus: item.focus), true)
      case .header(let header) where acceptance.accepts(header):
        (header.facts.planned(header.format, focus: item.focus), false)
      default: nil
      }
    }
  }
}
