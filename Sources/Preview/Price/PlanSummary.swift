internal import TesseraPipeline
internal import TesseraPlan

/// The price of a pipeline for a manifest: which files would be requested, and which made.
package struct PlanSummary: Sendable {
  package var items = 0
  /// Items that cannot be planned for: their size is not known, or a run would refuse them.
  package var unknown = 0
  /// The price on each compared ladder; the pipeline's own if none is compared.
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
