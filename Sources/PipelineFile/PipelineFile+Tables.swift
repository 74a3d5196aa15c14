package import TesseraCatalog
internal import TesseraPlan
internal import TesseraText

extension PipelineFile {
  /// Which tables of ready pixels a slot gets.
  package struct Table: Sendable, Equatable {
    /// The name of a slot.
    package var slot: String
    /// Some of the pipeline's scales, ascending.
    package var scales: [Int]
    package var pixels: [TablePixels]
  }

  /// - Parameter plan: the slots and scales that there are.
  static func tables(_ top: inout KeyGroup, _ plan: PlanSettings) -> [Table] {
    guard let group = top.group("tables") else { return [] }
    let names = group.names
    if names.isEmpty {
      group.context.report(group.mark, "\"tables\" must name at least one slot")
    }
    // Sorted by name, so that the order in the file has no effect.
    return names.compactMap { table($0.name, $0.pair, in: group, plan) }
      .sorted { $0.slot < $1.slot }
  }

  private static func table(
    _ name: String, _ pair: YAMLNode.Pair, in group: KeyGroup, _ plan: PlanSettings
  ) -> Table? {
    var keys = KeyGroup(pair.value, prefix: "\(group.prefix)\(name).", context: group.context)
    let pixels = pixels(&keys)
    let scales = scales(&keys, plan.scales)
    keys.finish()
    // Slots with mistakes of their own are reported already.
    guard let slot = plan.slots.first(where: { $0.name == name }) else {
      guard !plan.slots.isEmpty else { return nil }
      let hint = Nearest.hint(for: name, among: plan.slots.map(\.name))
      group.context.report(
        pair.key.mark, "\"tables.\(name)\": \"slots\" has no slot of this name\(hint)")
      return nil
    }
    for scale in scales {
      guard let side = slot.leastLongestSide, side * scale > TableGeometry.longestSide else {
        continue
      }
      group.context.report(
        pair.key.mark,
        "\"tables.\(name)\": at scale \(scale) its images have up to \(side * scale) pixels on a side, "
          + "and tables hold at most \(TableGeometry.longestSide); name smaller scales, or leave the slot out"
      )
      return nil
    }
    return Table(slot: name, scales: scales, pixels: pixels)
  }

  private static func pixels(_ keys: inout KeyGroup) -> [TablePixels] {
    guard let nodes = keys.list("pixels") else { return [.bgra8] }
    if nodes.isEmpty {
      keys.context.report(keys.mark, "\"\(keys.prefix)pixels\" must name at least one format")
    }
    var found: [TablePixels] = []
    for node in nodes {
      guard let pixels = keys.choice(of: node, "pixels", TablePixels.allCases) else { continue }
      if found.contains(pixels) {
        keys.context.report(
          node.mark, "\"\(keys.prefix)pixels\" names \(pixels.rawValue) twice")
      } else {
        found.append(pixels)
      }
    }
    return found
  }

  private static func scales(_ keys: inout KeyGroup, _ all: [Int]) -> [Int] {
    guard let nodes = keys.list("scales") else { return all }
    if nodes.isEmpty {
      keys.context.report(keys.mark, "\"\(keys.prefix)scales\" must name at least one scale")
    }
    let expected = "some of the pipeline's scales (\(all.map(String.init).joined(separator: ", ")))"
    var found: [Int] = []
    for node in nodes {
      let scale = keys.value(of: node, "scales", expected: expected) { text in
        Int(text).flatMap { all.contains($0) ? $0 : nil }
      }
      guard let scale else { continue }
      if found.contains(scale) {
        keys.context.report(node.mark, "\"\(keys.prefix)scales\" names \(scale) twice")
      } else {
        found.append(scale)
      }
    }
    return found.sorted()
  }
}

extension Slot {
  /// The longer side, in points, that every image has in the slot which is large enough; nil if that depends on
  /// the image's shape.
  fileprivate var leastLongestSide: Int? {
    let sides = [width, height].compactMap(\.self)
    return mode == .fit ? sides.min() : sides.max()
  }
}
