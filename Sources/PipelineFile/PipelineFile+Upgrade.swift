package import TesseraPlan

extension PipelineFile {
  /// The settings for images that are upgraded; nil if none is. They are those of a list of formats that begins with the
  /// better one.
  package var upgradedPlan: PlanSettings? {
    upgrade.map { upgrade in
      var plan = plan
      plan.formats.insert(.fixed(upgrade.format), at: 0)
      return plan
    }
  }

  /// The file that says the same with a list of formats: what it makes is what is there when all images are upgraded.
  package var upgraded: PipelineFile {
    guard let plan = upgradedPlan else { return self }
    var file = self
    (file.plan, file.upgrade) = (plan, nil)
    return file
  }
}
