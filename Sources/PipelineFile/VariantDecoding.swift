internal import TesseraPlan

/// Reads what shapes variants: `scales`, `rounding` and the keys under `variants`.
enum VariantDecoding {
  static func settings(_ top: inout KeyGroup, slots: [Slot]) -> PlanSettings {
    var settings = PlanSettings(slots: slots)
    settings.scales = scales(&top) ?? settings.scales
    settings.rounding = rounding(&top) ?? settings.rounding
    guard var group = top.group("variants") else { return settings }
    settings.format =
      group.choice(
        "format", OutputFormat.allCases, unbuilt: ["avif", "jxl", "source", "compatible"])
      ?? settings.format
    settings.quality = group.int("quality", 1...100) ?? settings.quality
    settings.effort = group.int("effort", 0...6) ?? settings.effort
    settings.oversized =
      group.choice("oversized", [OutputFormat.jpeg, .png]) ?? settings.oversized
    settings.background =
      group.value("background", expected: "a colour such as \"#ffffff\" (in quotes)") {
        Colour(hexadecimal: $0)
      } ?? settings.background
    _ = group.choice(
      "metadata", [Metadata.strip], unbuilt: ["keep", "icc", "exif", "xmp", "iptc"])
    if let animation = group.choice("animation", Animation.allCases) {
      settings.keepsAnimation = animation == .keep
    }
    settings.gravity =
      group.choice("gravity", Gravity.allCases, unbuilt: ["attention", "entropy"])
      ?? settings.gravity
    group.finish()
    return settings
  }

  private enum Metadata: String { case strip }
  private enum Animation: String, CaseIterable {
    case keep
    case firstFrame = "first-frame"
  }

  private static func scales(_ top: inout KeyGroup) -> [Int]? {
    guard let nodes = top.list("scales") else { return nil }
    var scales: [Int] = []
    for node in nodes {
      let scale = top.value(
        of: node, "scales", expected: "a list of whole numbers from 1 to 8, such as [1, 2, 3]"
      ) { Int($0).flatMap { (1...8).contains($0) ? $0 : nil } }
      guard let scale else { continue }
      if scales.contains(scale) {
        top.context.report(node.mark, "\"scales\" names \(scale) twice")
      } else {
        scales.append(scale)
      }
    }
    if nodes.isEmpty { top.context.report(top.mark, "\"scales\" must have at least one scale") }
    return scales.sorted()
  }

  private static func rounding(_ top: inout KeyGroup) -> Rounding? {
    guard let node = top.node("rounding") else { return nil }
    if case .sequence(let nodes) = node.content {
      let sizes = nodes.compactMap { node in
        top.value(of: node, "rounding", expected: "a list of sizes from 1 to 65500 pixels") {
          Int($0).flatMap { (1...Rounding.longestRung).contains($0) ? $0 : nil }
        }
      }
      if nodes.isEmpty {
        top.context.report(node.mark, "\"rounding\" must have at least one size")
      }
      return .list(Set(sizes).sorted())
    }
    return top.value(
      of: node, "rounding",
      expected: "\"power-of-two\", \"half-steps\", \"exact\" or a list such as [320, 640, 1280]"
    ) { text in Rounding.named.first { $0.name == text }?.rounding }
  }
}
