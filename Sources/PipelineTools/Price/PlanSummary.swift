internal import TesseraCatalog
package import TesseraPlan

/// The price of a pipeline for a manifest: which files would be requested, and which made.
package struct PlanSummary: Sendable {
  package var items = 0
  /// Items that cannot be planned for: their size is not known, or a run would refuse them.
  package var unknown = 0
  /// Images with files, from whose bytes those of other sizes follow.
  package internal(set) var measured = 0
  /// Images whose files were requested, if there is a log.
  package internal(set) var viewed = 0
  /// The log that says how often files were requested; nil if the pipeline's weights do.
  package internal(set) var log: AccessLog?
  /// Of the files of earlier runs.
  var formats: [CatalogFormat] = []
  /// Of the first images that could not be probed: the URL without secrets, and why.
  package internal(set) var failures: [(source: String, reason: String)] = []
  private static let listedFailures = 5
  package private(set) var longBoxes = LongBoxes()
  /// The price on each compared ladder; the pipeline's own if none is compared.
  package var ladders: [LadderPrice]
  /// With exact sizes.
  package internal(set) var exact: ViewPrice
  /// What a ladder has to serve.
  var demand: LadderDemand
  /// Whether files are counted, and not only what a ladder has to serve.
  private let countsFiles: Bool
  /// Which side of it.
  let side: Rounding.Side

  init(
    ladders: [LadderPrice], _ settings: PlanSettings, cost: LadderDemand.Cost = .bytes,
    countsFiles: Bool = true
  ) {
    self.ladders = ladders
    self.countsFiles = countsFiles
    exact = ViewPrice(settings)
    demand = LadderDemand(cost)
    side = settings.rounding.side
  }

  mutating func addFailure(_ source: String, _ reason: String) {
    unknown += 1
    if failures.count < Self.listedFailures { failures.append((source, reason)) }
  }

  /// - Parameters:
  ///   - views: how often it is viewed, relative to others.
  ///   - line: of the item in the catalog, if it has one.
  mutating func add(
    _ source: PlanSource, id: String, slots: [String]? = nil, views: Double = 1,
    _ settings: PlanSettings, line: ArraySlice<UInt8>? = nil
  ) {
    let known = line.flatMap { FileBytes.factor($0, formats, of: source, settings) }
    if known != nil { measured += 1 }
    let factor = known ?? 1
    var weights = ViewWeights(settings).times(views)
    if log != nil {
      let logged = line.flatMap { log?.takeWeights(of: $0, formats, settings) }
      if logged != nil { viewed += 1 }
      weights = logged ?? weights.times(0)
    }
    settings.forEachDemand(of: source, slots: slots, weights) { request, weight in
      demand.add(request, weight: weight * (demand.cost == .bytes ? factor : 1))
    }
    guard countsFiles else { return }
    longBoxes.add(source, id: id, slots: slots, settings)
    var settings = settings
    settings.rounding.steps = .exact
    let plan = Plan(for: source, settings: settings, slots: slots)
    exact.add(plan, of: source, weights, factor: factor)
    for index in ladders.indices {
      settings.rounding.steps = ladders[index].steps
      let plan = Plan(for: source, settings: settings, slots: slots)
      ladders[index].add(plan, of: source, id: id, weights, factor: factor)
    }
  }
}

extension PlanSummary {
  /// Of one image, whose plans on several ladders these are.
  package init(of plans: [ImagePlan], cost: LadderCost?, _ settings: PlanSettings) {
    self.init(
      ladders: plans.map { LadderPrice($0.steps, settings) }, settings, cost: cost ?? .bytes)
    items = 1
    if let source = plans.first?.source { add(source, id: "", settings) }
  }
}
