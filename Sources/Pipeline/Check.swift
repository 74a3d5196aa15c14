internal import TesseraImageHeader
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
  /// Reads a manifest to its end as a run would, without touching the output.
  ///
  /// - Parameters:
  ///   - probes: whether the network may be used: for a manifest at a URL, and to look at the first
  ///     bytes of each picture.
  ///   - report: called for each line that can't be used.
  package static func check(
    _ file: PipelineFile, probes: Bool, report: (ManifestProblem) -> Void
  ) async throws -> CheckReport {
    if case .url(let url) = file.manifest, !probes {
      throw PipelineError.manifest(
        path: SourceURL.withoutUserInfo(url),
        reason: "check does not use the network; --probe lets it, and looks at each picture, too")
    }
    let manifest = try await ManifestStream.open(file)
    let prober = probes ? try EntryProber(file) : nil
    // A temporary database on disk: ten million ids need no memory.
    let ledger = try PipelineError.wrap { try StateStore(path: "") }
    let slots = Set(file.plan.slots.map(\.name))
    var result = CheckReport()
    func tell(_ problem: ManifestProblem) {
      result.problemCount += 1
      report(problem)
    }
    func tell(_ answers: [(ManifestEntry, Result<ImageHeader, Prober.Failure>)]) {
      for (entry, answer) in answers {
        guard case .failure(let failure) = answer else { continue }
        tell(ManifestProblem(entry, failure))
      }
    }
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
        if problem == nil, claim == .new, let prober { tell(try await prober.add(entry)) }
      }
      if let problem { tell(problem) }
    }
    if let prober { tell(try await prober.flush()) }
    return result
  }
}

extension ManifestProblem {
  /// A picture that could not be looked at, or would not be let in.
  fileprivate init(_ entry: ManifestEntry, _ failure: Prober.Failure) {
    let sentence =
      failure.message.hasSuffix(".") ? failure.message.dropLast() : failure.message[...]
    self.init(
      line: entry.line,
      message: "\(SourceURL.withoutUserInfo(entry.url)): \(sentence) (\(failure.code))")
  }

  /// A repeated id with other content: the first stands.
  static func conflict(_ entry: ManifestEntry, with line: Int) -> ManifestProblem {
    ManifestProblem(
      line: entry.line,
      message: "the id \"\(entry.id)\" stands on line \(line) already, with other content")
  }
}
