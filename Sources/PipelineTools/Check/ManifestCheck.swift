internal import TesseraFetch
internal import TesseraImageHeader
internal import TesseraJSON
internal import TesseraManifest
package import TesseraPipeline
package import TesseraPipelineFile
internal import TesseraPlan
internal import TesseraProbe
internal import TesseraState
internal import TesseraText

/// Reads a manifest to its end as a run would, without touching the output.
package struct ManifestCheck {
  private let file: PipelineFile
  private let settings: FetchSettings
  private let prober: ManifestProber?
  private var result = CheckReport()
  private let contactGap: UserAgent.Gap?
  /// What ladders would have to serve, of probed images.
  private var summary: PlanSummary

  /// - Parameter probes: whether the network may be used: for a manifest at a URL, and to probe each
  ///   image.
  package init(_ file: PipelineFile, probes: Bool) throws(PipelineError) {
    let remote: String? =
      switch file.manifest {
      case .url(let url): file.shown(url)
      case .object(let place): place
      case .file, .standardInput: nil
      }
    if let remote, !probes {
      throw PipelineError.manifest(
        path: remote,
        reason: "check does not use the network; --probe lets it, and probes each image, too")
    }
    self.file = file
    settings = file.fetch.fetchSettings
    contactGap = UserAgent.gap(in: file.fetch.userAgent)
    prober = probes ? try ManifestProber(file) : nil
    let own = LadderPrice(file.plan.rounding.steps, file.plan)
    summary = PlanSummary(ladders: [own], file.plan, countsFiles: false)
  }

  /// - Parameter report: called for each line, and each image, that can't be used.
  package mutating func run(
    report: (_ line: Int, _ message: String) -> Void
  ) async throws -> CheckReport {
    let manifest = try await ManifestStream.open(file)
    var entries = try EntryStream(reading: manifest, file.fetch)
    while let batch = try await entries.next() {
      for record in batch {
        switch record {
        case .problem(let problem): add(problem, report)
        case .repeated: result.repeated += 1
        case .forgotten, .standing: break
        case .item(let item, _):
          noteContact(for: item)
          if let problem = problem(of: item) {
            add(problem, report)
          } else if let prober {
            add(try await prober.add(item), report)
          } else {
            result.items += 1
          }
        }
      }
    }
    if let prober { add(try await prober.flush(), report) }
    result.leftOut = manifest.leftOut.counts
    result.secrets = manifest.secrets
    result.encoded = manifest.encoded
    if prober != nil, result.items > 0 { result.choice = LadderChoice(summary, wanted: nil) }
    return result
  }

  /// Only a server that others run needs a contact.
  private mutating func noteContact(for item: Item) {
    if result.contact == nil, let contactGap, AddressPolicy.isPublic(item.requestURL) {
      result.contact = contactGap
    }
  }

  private mutating func add(
    _ problem: ManifestProblem, isProbed: Bool = false, _ report: (Int, String) -> Void
  ) {
    result.add(problem, isProbed: isProbed)
    report(problem.line, problem.message)
  }

  private mutating func add(
    _ answers: [ManifestProber.Answer], _ report: (Int, String) -> Void
  ) {
    for (item, answer) in answers {
      switch answer {
      case .success(let header):
        result.items += 1
        let source = header.facts.planned(header.format.rawValue, focus: item.focus)
        summary.add(source, id: item.id, slots: item.slots, views: item.views, file.plan)
      case .failure(let failure):
        let problem = ManifestProblem(item.entry, item.shownURL, failure.message, failure.code)
        add(problem, isProbed: true, report)
      }
    }
  }

  /// What the line alone shows.
  private func problem(of item: Item) -> ManifestProblem? {
    let slots = file.plan.slots.map(\.name)
    if let unknown = item.slots?.first(where: { !slots.contains($0) }) {
      return ManifestProblem(item.entry, unknown: unknown, among: slots.sorted())
    }
    return settings.refusal(ofSource: item.requestURL).map { error in
      ManifestProblem(item.entry, item.shownURL, error.message, error.code.rawValue)
    }
  }
}

extension ManifestProblem {
  /// An image that could not be probed, or that a run would reject.
  fileprivate init(_ entry: ManifestEntry, _ shown: String, _ message: String, _ code: String) {
    let sentence = message.hasSuffix(".") ? message.dropLast() : message[...]
    self.init(line: entry.line, message: "\(shown): \(sentence) (\(code))")
  }

  /// An entry for a slot that the pipeline does not have.
  fileprivate init(_ entry: ManifestEntry, unknown slot: String, among slots: [String]) {
    self.init(
      line: entry.line,
      message: "the pipeline has no slot \"\(slot)\"" + Nearest.hint(for: slot, among: slots))
  }
}
