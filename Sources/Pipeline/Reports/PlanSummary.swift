internal import Synchronization
internal import TesseraBytes
internal import TesseraFetch
internal import TesseraImageHeader
package import TesseraManifest
internal import TesseraOutput
package import TesseraPipelineFile
package import TesseraPlan
package import TesseraProbe
internal import TesseraState
internal import TesseraSystem
internal import TesseraText

/// The price of a pipeline for a manifest: what would be asked for, and what would be made.
package struct PlanSummary: Sendable {
  package var items = 0
  /// Items of which nothing can be said: their size is not known, or a run would refuse them.
  package var unknown = 0
  /// The price on each ladder that was asked for; the pipeline's own, where none was.
  package var ladders: [LadderPrice]

  mutating func add(_ source: PlanSource, of item: Item, _ settings: PlanSettings) {
    for index in ladders.indices {
      var settings = settings
      settings.rounding = ladders[index].rounding
      let plan = Plan(for: source, settings: settings, slots: item.slots)
      ladders[index].add(plan, of: source, id: item.id)
    }
  }
}

extension PlanSummary {
  fileprivate mutating func add(
    _ answers: [(Item, Result<ImageHeader, Prober.Failure>)], _ settings: PlanSettings
  ) {
    for (item, answer) in answers {
      switch answer {
      case .success(let header):
        let source = header.facts.planned(header.format.rawValue, focus: item.focus)
        add(source, of: item, settings)
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
  package var fallbacks: [String: Fallen] = [:]

  /// Files that are not what the pipeline asks for, all for the same reasons.
  package struct Fallen: Sendable {
    package var files = 0
    /// The pictures that they are made of.
    package var items = 0
    /// The ids of the first of these pictures, at most ``mostExamples``.
    package var examples: [String] = []

    package static let mostExamples = 3
  }

  package var shared: Int { asked - made }

  /// How many more pixels rounding delivers than were asked for, as a part of those asked for.
  package var overDelivery: Double {
    pixelsAsked > 0 ? pixelsDelivered / pixelsAsked - 1 : 0
  }

  /// Files by powers of two that their longer side is at most; of those that there are.
  package var ranges: [(limit: Int, files: Int)] {
    var files: [Int: Int] = [:]
    for (length, count) in rungs {
      var limit = 1
      while limit < length { limit *= 2 }
      files[limit, default: 0] += count
    }
    return files.sorted { $0.key < $1.key }.map { (limit: $0.key, files: $0.value) }
  }

  package init(_ rounding: Rounding) { self.rounding = rounding }

  package mutating func add(_ plan: Plan, of source: PlanSource, id: String) {
    asked += plan.asked
    bytes += plan.estimatedBytes(hasAlpha: source.hasAlpha)
    for variant in plan.variants {
      made += variant.files.count
      rungs[variant.size.longerSide, default: 0] += variant.files.count
    }
    addFallbacks(plan, id: id)
    for request in plan.slots.flatMap(\.requests) {
      let size = plan.variants[request.variant].size
      let delivered = Double(size.width) * Double(size.height)
      pixelsDelivered += delivered
      // A slot may ask for more than numbers of pixels can be whole in.
      pixelsAsked += min(Double(request.asked.width) * Double(request.asked.height), delivered)
    }
  }
}

extension LadderPrice {
  private mutating func addFallbacks(_ plan: Plan, id: String) {
    var reasons: [String: Int] = [:]
    for fallback in plan.files.lazy.compactMap(\.fallback) {
      reasons[fallback.text, default: 0] += 1
    }
    for (reason, files) in reasons {
      var fallen = fallbacks[reason] ?? Fallen()
      fallen.files += files
      fallen.items += 1
      if fallen.examples.count < Fallen.mostExamples { fallen.examples.append(id) }
      fallbacks[reason] = fallen
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
    var entries = try EntryStream(reading: manifest, file.fetch)
    let slots = Set(file.plan.slots.map(\.name))
    let workspace = DirectoryOutput(file.output).workspace
    let state =
      workspace.hasState
      ? try PipelineError.wrap { try StateStore(path: workspace.statePath) } : nil
    let prober = probes ? try EntryProber(file) : nil
    let ladders = ladders.isEmpty ? [file.plan.rounding] : ladders
    var summary = PlanSummary(ladders: ladders.map { LadderPrice($0) })
    while let batch = try await entries.next() {
      var known: [Item] = []
      for record in batch {
        switch record {
        case .problem(let problem): report(problem)
        case .repeated: break
        case .item(let item, _):
          if item.slots?.allSatisfy(slots.contains) ?? true {
            known.append(item)
          } else {
            summary.unknown += 1
          }
        }
      }
      let sources = try await lastSeen(known, file: file, state: state)
      for (item, source) in zip(known, sources) {
        if let source {
          summary.add(source, of: item, file.plan)
        } else if let prober {
          summary.add(try await prober.add(item), file.plan)
        } else {
          summary.unknown += 1
        }
      }
    }
    if let prober { summary.add(try await prober.flush(), file.plan) }
    summary.items = entries.count
    return summary
  }

  /// Probes one picture with a pipeline's settings of the network, to plan for it.
  package static func probe(
    _ source: String, as file: PipelineFile
  ) async throws -> Result<PlanSource, Prober.Failure> {
    try await EntryProber(file).probe(source).result.map { header in
      header.facts.planned(header.format.rawValue, focus: nil)
    }
  }

  /// What must be known of entries' sources to plan for them; nil where nothing is known, or where a run
  /// would refuse what is.
  private static func lastSeen(
    _ items: [Item], file: PipelineFile, state: StateStore?
  ) async throws -> [PlanSource?] {
    guard let state else { return items.map { _ in nil } }
    let seen = try await state.lastSeen(items.map(\.sourceKey))
    let acceptance = Acceptance(file)
    return zip(items, seen).map { item, seen in
      switch seen {
      case .content(let content) where acceptance.accepts(content):
        content.facts.planned(content.format, focus: item.focus)
      case .header(let header) where acceptance.accepts(header):
        header.facts.planned(header.format, focus: item.focus)
      default: nil
      }
    }
  }
}
