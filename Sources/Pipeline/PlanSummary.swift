internal import Synchronization
internal import TesseraFetch
internal import TesseraFiles
internal import TesseraImageHeader
package import TesseraManifest
internal import TesseraOutput
package import TesseraPipelineFile
package import TesseraPlan
internal import TesseraState

/// The price of a pipeline for a manifest: what would be asked for, and what would be made.
package struct PlanSummary: Sendable {
  package var items = 0
  /// Items of which nothing can be said: their size is not known, or a run would refuse them.
  package var unknown = 0
  /// The price on each ladder that was asked for; the pipeline's own, where none was.
  package var ladders: [LadderPrice]

  mutating func add(_ source: PlanSource, _ settings: PlanSettings, slots: [String]?) {
    for index in ladders.indices {
      var settings = settings
      settings.rounding = ladders[index].rounding
      ladders[index].add(Plan(for: source, settings: settings, slots: slots), of: source)
    }
  }
}

extension PlanSummary {
  fileprivate mutating func add(
    _ answers: [(ManifestEntry, Result<ImageHeader, Prober.Failure>)], _ settings: PlanSettings
  ) {
    for (entry, answer) in answers {
      switch answer {
      case .success(let header):
        let source = header.facts.planned(header.format.rawValue, focus: entry.planFocus)
        add(source, settings, slots: entry.slots)
      case .failure: unknown += 1
      }
    }
  }
}

/// The price of a manifest's files where their sizes are rounded up on one ladder.
package struct LadderPrice: Sendable {
  package var rounding: Rounding
  /// Files asked for: one in each format for a slot at a scale, for one picture.
  package var asked = 0
  package var made = 0
  /// Pixels of all requests as asked, and as the files have them that serve them. Where a source
  /// has fewer pixels than asked, its own count for both.
  package var pixelsAsked = 0.0
  package var pixelsDelivered = 0.0
  /// An estimate of all files' bytes; of an animation one frame's.
  package var bytes = 0.0
  /// Files by the length of their longer side.
  package var rungs: [Int: Int] = [:]
  /// Files that are not what the pipeline asks for, by the reasons.
  package var fallbacks: [String: Int] = [:]

  package var shared: Int { asked - made }

  /// How many more pixels rounding delivers than were asked for, as a part of those asked for.
  package var overDelivery: Double {
    pixelsAsked > 0 ? pixelsDelivered / pixelsAsked - 1 : 0
  }

  package init(_ rounding: Rounding) { self.rounding = rounding }

  package mutating func add(_ plan: Plan, of source: PlanSource) {
    asked += plan.asked
    bytes += plan.estimatedBytes(hasAlpha: source.hasAlpha)
    for variant in plan.variants {
      made += variant.files.count
      rungs[variant.size.longerSide, default: 0] += variant.files.count
      for file in variant.files {
        if let fallback = file.fallback { fallbacks[fallback.text, default: 0] += 1 }
      }
    }
    for request in plan.slots.flatMap(\.requests) {
      let size = plan.variants[request.variant].size
      let delivered = Double(size.width) * Double(size.height)
      pixelsDelivered += delivered
      // A slot may ask for more than numbers of pixels can be whole in.
      pixelsAsked += min(Double(request.asked.width) * Double(request.asked.height), delivered)
    }
  }
}

extension Pipeline {
  /// Plans a whole manifest from the sizes that earlier runs have learned. Makes nothing.
  ///
  /// - Parameters:
  ///   - ladders: the ladders to compare; none means the pipeline's own.
  ///   - probes: whether sizes that are not known are asked of the network.
  ///   - report: called for each line of the manifest that can't be used.
  package static func plan(
    _ file: PipelineFile, ladders: [Rounding] = [], probes: Bool,
    report: (ManifestProblem) -> Void
  ) async throws -> PlanSummary {
    let manifest = try await ManifestStream.open(file)
    let ledger = try PipelineError.wrap { try StateStore(path: "") }
    let slots = Set(file.plan.slots.map(\.name))
    let path = DirectoryOutput(file.output).statePath
    var state: StateStore?
    if FileSystem.size(ofFile: path) != nil {
      state = try PipelineError.wrap { try StateStore(path: path) }
    }
    let prober = probes ? try EntryProber(file) : nil
    let ladders = ladders.isEmpty ? [file.plan.rounding] : ladders
    var summary = PlanSummary(ladders: ladders.map { LadderPrice($0) })
    while let record = try await manifest.next() {
      switch record {
      case .problem(let problem): report(problem)
      case .entry(let entry):
        let claim = try await ledger.claim(
          id: entry.id, run: 1, position: summary.items, line: entry.line,
          entry: Digest.of(entry.content))
        switch claim {
        case .repeated: continue
        case .conflict(let line):
          report(.conflict(entry, with: line))
          continue
        case .new: summary.items += 1
        }
        guard entry.slots?.allSatisfy(slots.contains) ?? true else {
          summary.unknown += 1
          continue
        }
        if let source = try await knownSource(entry, file: file, state: state) {
          summary.add(source, file.plan, slots: entry.slots)
        } else if let prober {
          summary.add(try await prober.add(entry), file.plan)
        } else {
          summary.unknown += 1
        }
      }
    }
    if let prober { summary.add(try await prober.flush(), file.plan) }
    return summary
  }

  /// Probes one picture with a pipeline's settings of the network.
  package static func probe(
    _ source: String, as file: PipelineFile
  ) async throws -> Prober.Answer {
    try await EntryProber(file).probe(source)
  }

  private static func knownSource(
    _ entry: ManifestEntry, file: PipelineFile, state: StateStore?
  ) async throws -> PlanSource? {
    let key = file.sourceKey(for: entry)
    guard let state else { return nil }
    let source = try await state.source(key)
    // What was seen last counts.
    if let header = try await state.header(key),
      header.confirmation.checked > source?.confirmation.checked ?? 0
    {
      return header.facts.planned(header.format, focus: entry.planFocus)
    }
    guard let source else { return nil }
    return try await state.content(source.content).map {
      $0.facts.planned($0.format, focus: entry.planFocus)
    }
  }
}

extension PipelineFile {
  /// The URL that is asked for an entry: prefixes replaced as `fetch.rewrite` says.
  func requestURL(for entry: ManifestEntry) -> String {
    for rewrite in fetch.rewrites where entry.url.hasPrefix(rewrite.from) {
      return rewrite.to + entry.url.dropFirst(rewrite.from.count)
    }
    return entry.url
  }

  /// What identifies an entry's source: a digest, so that no secret of a URL gets into the state.
  func sourceKey(for entry: ManifestEntry) -> String {
    Digest.of(SourceURL.cacheKey(requestURL(for: entry), ignoring: fetch.ignoredQuery))
  }
}

extension ManifestEntry {
  var planFocus: PlanSource.Focus? { focus.map { .init(x: $0.x, y: $0.y) } }
}
