internal import TesseraPlan

/// Decodes the keys that decide the sizes of variants: `scales` and `rounding`.
enum SizeDecoding {
  static func scales(_ top: inout KeyGroup) -> [Int]? {
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
    // Sorted, so that the order in the file has no effect.
    return scales.sorted()
  }

  static func rounding(_ top: inout KeyGroup) -> Rounding? {
    guard let node = top.node("rounding") else { return nil }
    if case .sequence(let nodes) = node.content {
      var sizes: [Int] = []
      for node in nodes {
        let size = top.value(
          of: node, "rounding", expected: "a list of sizes from 1 to 65500 pixels"
        ) { Int($0).flatMap { (1...Rounding.longestRung).contains($0) ? $0 : nil } }
        guard let size else { continue }
        if sizes.contains(size) {
          top.context.report(node.mark, "\"rounding\" names \(size) twice")
        } else {
          sizes.append(size)
        }
      }
      if nodes.isEmpty {
        top.context.report(node.mark, "\"rounding\" must have at least one size")
      }
      return .list(sizes.sorted())
    }
    return top.value(
      of: node, "rounding",
      expected: "\"power-of-two\", \"half-steps\", \"exact\" or a list such as [320, 640, 1280]"
    ) { text in Rounding.named.first { $0.name == text }?.rounding }
  }
}
