package import TesseraManifest
package import TesseraPipelineFile
internal import TesseraPlan
internal import TesseraState

/// What `check` found in a manifest.
package struct CheckReport: Sendable {
  /// Items that a run would process.
  package var items = 0
  /// Lines that repeat an entry word for word.
  package var repeated = 0
  package var problemCount = 0
}

extension Pipeline {
  /// Reads a manifest to its end as a run would, without touching network or output.
  ///
  /// - Parameter report: called for each line that can't be used.
  package static func check(
    _ file: PipelineFile, report: (ManifestProblem) -> Void
  ) async throws -> CheckReport {
    let manifest = try ManifestStream(of: file)
    // A temporary database on disk: ten million ids need no memory.
    let ledger = try PipelineError.wrap { try StateStore(path: "") }
    let slots = Set(file.plan.slots.map(\.name))
    var result = CheckReport()
    while let record = try await manifest.next() {
      var problem: ManifestProblem?
      switch record {
      case .problem(let found): problem = found
      case .entry(let entry):
        let claim = try await ledger.claim(
          id: entry.id, run: 1, position: result.items, line: entry.line,
          entry: Digest.of(entry.content))
        switch claim {
        case .repeated: result.repeated += 1
        case .conflict(let line): problem = .conflict(entry, with: line)
        case .new: result.items += 1
        }
        if problem == nil, let unknown = entry.slots?.first(where: { !slots.contains($0) }) {
          problem = ManifestProblem(
            line: entry.line,
            message: "the pipeline has no slot \"\(unknown)\""
              + Nearest.hint(for: unknown, among: slots.sorted()))
        }
      }
      if let problem {
        result.problemCount += 1
        report(problem)
      }
    }
    return result
  }
}

extension ManifestProblem {
  /// A repeated id with other content: the first stands.
  static func conflict(_ entry: ManifestEntry, with line: Int) -> ManifestProblem {
    ManifestProblem(
      line: entry.line,
      message: "the id \"\(entry.id)\" stands on line \(line) already, with other content")
  }
}
