internal import TesseraPlan
internal import TesseraText

/// Decodes `slots`: names with a size, and a mode if it is not `fit`.
enum SlotDecoding {
  /// In points. No layout has a longer side, so a larger number is a typing mistake.
  private static let longestSide = 65_536

  static func slots(_ top: inout KeyGroup) -> [Slot]? {
    guard let group = top.group("slots") else { return nil }
    let names = group.names
    if names.isEmpty {
      group.context.report(group.mark, "\"slots\" must name at least one slot")
    }
    // Sorted by name, so that the order in the file has no effect.
    return names.compactMap { slot($0.name, $0.pair, in: group) }.sorted { $0.name < $1.name }
  }

  private static func slot(_ name: String, _ pair: YAMLNode.Pair, in group: KeyGroup) -> Slot? {
    let isName =
      !name.isEmpty
      && name.unicodeScalars.allSatisfy { scalar in
        scalar.properties.isAlphabetic || scalar.properties.numericType != nil
          || "-_.".unicodeScalars.contains(scalar)
      }
    if !isName {
      group.context.report(
        pair.key.mark, "a slot's name consists of letters, digits, \"-\", \"_\" and \".\"")
    }
    var keys = KeyGroup(pair.value, prefix: "\(group.prefix)\(name).", context: group.context)
    let expected = "a size in points, such as 36x36, 180x (free height) or x200 (free width)"
    let sizeNode = keys.node("size")
    let size = keys.value("size", expected: expected) { text in
      Units.slotSize(text).flatMap { size in
        [size.width, size.height].compactMap(\.self).allSatisfy { (1...longestSide).contains($0) }
          ? size : nil
      }
    }
    let mode = keys.choice("mode", Mode.allCases) ?? .fit
    keys.finish()
    if sizeNode == nil {
      keys.context.report(pair.key.mark, "\"slots.\(name)\" has no size; give it \(expected)")
    }
    guard let size else { return nil }
    if mode == .clip, size.width == nil || size.height == nil {
      keys.context.report(
        sizeNode?.mark ?? pair.key.mark,
        "\"slots.\(name)\": mode clip needs both sides, such as 36x36, to know the crop's shape")
      return nil
    }
    return Slot(name, width: size.width, height: size.height, mode: mode)
  }
}
