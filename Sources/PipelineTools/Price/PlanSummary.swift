internal import TesseraPipeline
internal import TesseraPlan

/// The price of a pipeline for a manifest: which files would be requested, and which made.
package struct PlanSummary: Sendable {
  package var items = 0
  /// Items that cannot be planned for: their size is not known, or a run would refuse them.
  package var unknown = 0
  /// Of the first images that could not be probed: the URL without secrets, and why.
  package internal(set) var failures: [(source: String, reason: String)] = []
  private static let listedFailures = 5
  /// The price on each compared ladder; the pipeline's own if none is compared.
  package var ladders: [LadderPrice]

  mutating func addFailure(_ source: String, _ reason: String) {
    unknown += 1
    if failures.count < Self.listedFailures { failures.append((source, reason)) }
  }

  mutating func add(_ source: PlanSource, of item: Item, _ settings: PlanSettings) {
    for index in ladders.indices {
      var settings = settings
      settings.rounding = ladders[index].rounding
      let plan = Plan(for: source, settings: settings, slots: item.slots)
      ladders[index].add(plan, of: source, id: item.id)
    }
  }
}
