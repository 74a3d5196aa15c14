internal import TesseraImageHeader
package import TesseraManifest
package import TesseraPipelineFile
internal import TesseraPlan
internal import TesseraProbe
internal import TesseraState
internal import TesseraText

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
        path: file.shown(url),
        reason: "check does not use the network; --probe lets it, and looks at each picture, too")
    }
    let manifest = try await ManifestStream.open(file)
    let prober = probes ? try EntryProber(file) : nil
    var entries = try EntryStream(reading: manifest, file.fetch)
    let slots = Set(file.plan.slots.map(\.name))
    var result = CheckReport()
    func tell(_ problem: ManifestProblem) {
      result.problemCount += 1
      report(problem)
    }
    func tell(_ answers: [(Item, Result<ImageHeader, Prober.Failure>)]) {
      for (item, answer) in answers {
        guard case .failure(let failure) = answer else { continue }
        tell(ManifestProblem(item.entry, item.shownURL, failure))
      }
    }
    while let batch = try await entries.next() {
      for record in batch {
        switch record {
        case .problem(let problem): tell(problem)
        case .repeated: result.repeated += 1
        case .item(let item, _):
          if let unknown = item.slots?.first(where: { !slots.contains($0) }) {
            tell(ManifestProblem(item.entry, unknown: unknown, among: slots.sorted()))
          } else if let prober {
            tell(try await prober.add(item))
          }
        }
      }
    }
    if let prober { tell(try await prober.flush()) }
    result.items = entries.count
    return result
  }
}

extension ManifestProblem {
  /// A picture that could not be looked at, or would not be let in.
  fileprivate init(_ entry: ManifestEntry, _ shown: String, _ failure: Prober.Failure) {
    let sentence =
      failure.message.hasSuffix(".") ? failure.message.dropLast() : failure.message[...]
    self.init(
      line: entry.line,
      message: "\(shown): \(sentence) (\(failure.code))")
  }

  /// An entry for a slot that the pipeline does not have.
  fileprivate init(_ entry: ManifestEntry, unknown slot: String, among slots: [String]) {
    self.init(
      line: entry.line,
      message: "the pipeline has no slot \"\(slot)\"" + Nearest.hint(for: slot, among: slots))
  }
}
