internal import TesseraPlan

/// The keys `quality` and `quality-range`.
extension VariantDecoding {
  static func decodeQuality(_ group: inout KeyGroup, _ settings: inout PlanSettings) {
    var target: Int?
    func others(_ keys: inout KeyGroup) -> EncoderSetting? {
      target = self.target(&keys)
      // A target is for every format without a number.
      return target == nil ? nil : EncoderSetting { _ in nil }
    }
    settings.quality = encoderSetting(
      "quality", &group, .quality, common: 1...100,
      orGroup: "a group with one for each format, or with a target such as {target: high}",
      isAutomatic: \.hasQuality, others: others,
      { $0.hasQuality ? 1...100 : nil })
    if let target { settings.automaticQuality.target = target }
    if let range = range(&group) { settings.automaticQuality.range = range }
    guard !settings.findsQuality else { return }
    if target != nil, let node = group.node(of: "quality") {
      group.context.report(
        node.mark,
        "\"variants.quality.target\" has no effect: every format has a number; remove it, or a number"
      )
    }
    if let node = group.node(of: "quality-range") {
      group.context.report(
        node.mark,
        "\"variants.quality-range\" has no effect: no quality is \"auto\"; remove it, or say \"quality: auto\""
      )
    }
  }

  private static func target(_ keys: inout KeyGroup) -> Int? {
    let names = AutomaticQuality.names
    let (least, most) = (AutomaticQuality.targets.lowerBound, AutomaticQuality.targets.upperBound)
    let words = names.map { "\"\($0.name)\" (\($0.target))" }.joined(separator: ", ")
    return keys.value(
      "target", expected: "a whole number from \(least) to \(most), or one of \(words)"
    ) { text in
      names.first { $0.name == text }?.target
        ?? Int(text).flatMap { AutomaticQuality.targets.contains($0) ? $0 : nil }
    }
  }

  private static func range(_ group: inout KeyGroup) -> ClosedRange<Int>? {
    guard let node = group.node("quality-range") else { return nil }
    let expected = "two whole numbers from 1 to 100, the lower one first, such as [40, 92]"
    var ends: [Int] = []
    if case .sequence(let nodes) = node.content {
      ends = nodes.compactMap { end in
        group.value(of: end, "quality-range", expected: expected) { text in
          Int(text).flatMap { (1...100).contains($0) ? $0 : nil }
        }
      }
      // A mistake in an end is reported already.
      if ends.count < nodes.count { return nil }
    }
    guard ends.count == 2, ends[0] < ends[1] else {
      group.context.report(
        node.mark, "\"variants.quality-range\" must be \(expected), found \(node.kind)")
      return nil
    }
    return ends[0]...ends[1]
  }
}
