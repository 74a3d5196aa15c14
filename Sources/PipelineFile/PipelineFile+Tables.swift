internal import TesseraCatalog
internal import TesseraPlan
internal import TesseraText

extension PipelineFile {
  /// Gives tables their scales, and reports those that can't be made of the pipeline's slots.
  mutating func completeTables(_ context: DecodingContext) {
    for index in tables.indices {
      let (name, scales) = (tables[index].slot, tables[index].scales)
      guard let pair = context.pair("tables.\(name)") else { continue }
      if let other = scales.first(where: { !plan.scales.contains($0) }) {
        let mark = context.pair("tables.\(name).scales")?.value.mark ?? pair.key.mark
        let all = plan.scales.map(String.init).joined(separator: ", ")
        context.report(
          mark,
          "\"tables.\(name).scales\" must be some of the pipeline's scales (\(all)), found \(other)"
        )
      }
      if scales.isEmpty { tables[index].scales = plan.scales }
      // Slots with mistakes of their own are reported already.
      guard let slot = plan.slots.first(where: { $0.name == name }) else {
        if plan.slots.isEmpty { continue }
        let hint = Nearest.hint(for: name, among: plan.slots.map(\.name))
        context.report(
          pair.key.mark, "\"tables.\(name)\": \"slots\" has no slot of this name\(hint)")
        continue
      }
      let longest = TableGeometry.longestSide
      let sides = tables[index].scales.compactMap { scale in
        slot.leastLongestSide.map { (scale: scale, side: $0 * scale) }
      }
      guard let (scale, side) = sides.first(where: { $0.side > longest }) else { continue }
      context.report(
        pair.key.mark,
        "\"tables.\(name)\": at scale \(scale) its images have up to \(side) pixels on a side, and tables hold at most \(longest); "
          + "name smaller scales, or leave the slot out")
    }
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
