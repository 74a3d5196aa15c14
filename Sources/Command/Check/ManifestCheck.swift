internal import TesseraImageHeader
internal import TesseraJSON
internal import TesseraManifest
internal import TesseraNet
internal import TesseraPipeline
internal import TesseraPipelineFile
internal import TesseraPlan
internal import TesseraState
internal import TesseraSystem
internal import TesseraText
internal import TesseraWorkers

/// Reads a manifest to its end as a run would, without touching the output.
struct ManifestCheck {
  private let file: PipelineFile
  private let settings: FetchSettings
  private let prober: ManifestProber?
  private var result = CheckReport()
  private let contactGap: UserAgent.Gap?
  private var hosts: NamedHosts
  /// What ladders would have to serve, of probed images.
  private var summary: PlanSummary

  /// - Parameter probes: whether the network may be used: for a manifest at a URL, and to probe each
  ///   image.
  init(_ file: PipelineFile, probes: Bool) throws {
    let remote = file.manifest.all.compactMap { list -> String? in
      switch list {
      case .url(let url): file.shown(url)
      case .object(let place): place
      case .file, .standardInput, .query, .several: nil
      }
    }.first
    if let remote, !probes {
      throw TesseraError.manifest(
        path: remote,
        reason: "check does not use the network; --probe lets it, and probes each image, too")
    }
    self.file = file
    settings = file.fetch.fetchSettings
    hosts = NamedHosts(file.fetch.hosts, file.fetch.headers)
    contactGap = UserAgent.gap(in: file.fetch.userAgent)
    prober = probes ? try ManifestProber(file) : nil
    let own = LadderPrice(file.plan.rounding.steps, file.plan)
    summary = PlanSummary(ladders: [own], file.plan, countsFiles: false)
  }

  /// The list is nil if the manifest is one list.
  typealias Report = (_ list: String?, _ line: Int, _ message: String) -> Void

  /// - Parameter report: called for each line, and each image, that can't be used.
  mutating func run(
    report: Report
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
          hosts.add(item.requestURL)
          if let message = problem(of: item) {
            add(manifest.problem(line: item.entry.line, message), report)
          } else if let prober {
            add(try await prober.add(item), of: manifest, report)
          } else {
            result.items += 1
          }
        }
      }
    }
    if let prober { add(try await prober.flush(), of: manifest, report) }
    result.leftOut = manifest.leftOut.counts
    result.columns = file.columns
    (result.imageless, result.unpublished) = (
      manifest.omitted.imageless, manifest.omitted.unpublished
    )
    (result.secrets, result.warnings) = (manifest.secrets, manifest.warnings + hosts.warnings)
    result.warnings += manifest.leftOut.mistakes
    if let warning = LongBoxes.warning(on: file.plan) { result.warnings.append(warning) }
    if result.items + result.problemCount == 0 { result.warnings.append(manifest.emptiness) }
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
    _ problem: ManifestProblem, isProbed: Bool = false, _ report: Report
  ) {
    result.add(problem, isProbed: isProbed)
    report(problem.list, problem.line, problem.message)
  }

  private mutating func add(
    _ answers: [ManifestProber.Answer], of manifest: ManifestStream, _ report: Report
  ) {
    for (item, answer) in answers {
      switch answer {
      case .success(let header):
        result.items += 1
        let source = header.facts.planned(header.format.rawValue, focus: item.focus)
        summary.add(source, id: item.id, slots: item.slots, views: item.views, file.plan)
      case .failure(let failure):
        let message = Self.message(item.shownURL, failure.message, failure.code)
        add(manifest.problem(line: item.entry.line, message), isProbed: true, report)
      }
    }
  }

  /// What the line alone shows.
  private func problem(of item: Item) -> String? {
    let slots = file.plan.slots.map(\.name)
    if let unknown = item.slots?.first(where: { !slots.contains($0) }) {
      return "the pipeline has no slot \"\(unknown)\""
        + Nearest.hint(for: unknown, among: slots.sorted())
    }
    return settings.rejection(ofSource: item.requestURL).map { error in
      Self.message(item.shownURL, error.message, error.code.rawValue)
    }
  }

  /// Of an image that could not be probed, or that a run would reject.
  private static func message(_ shown: String, _ message: String, _ code: String) -> String {
    let sentence = message.hasSuffix(".") ? message.dropLast() : message[...]
    return "\(shown): \(sentence) (\(code))"
  }
}

/// Whether this machine can write the formats that a pipeline names.
enum EncoderCheck {
  /// - Parameter workerPath: the path of `tessera-worker`, which is started only for formats that a machine may lack.
  /// - Throws: ``TesseraError`` of the code `workers` if a format is missing, or if no worker can be started to find out.
  static func run(
    _ file: PipelineFile, workerPath: String
  ) async throws {
    guard file.needsEncoders else { return }
    let pool: WorkerPool
    pool = try await WorkerPool.start(
      WorkerSettings(
        executable: workerPath, count: 1, memory: 2_000_000_000, time: .seconds(60)))
    defer { pool.close() }
    if let shortfall = file.shortfall(lacking: pool.capabilities.lacks) {
      throw TesseraError(.workers, shortfall)
    }
  }
}
