extension PlannedVariant {
  /// Whether the files are the same. The reasons of their fallbacks do not count.
  func isSame(as other: PlannedVariant) -> Bool {
    size == other.size && crop == other.crop && isOriginal == other.isOriginal
      && files.elementsEqual(other.files) { $0.encoding == $1.encoding }
  }

  /// Takes over the reasons of an equal variant if it has more.
  ///
  /// One request may exceed the limit of a format while another one just meets it. Both get the
  /// same file, and the file has the reasons of the former.
  mutating func addReasons(of other: PlannedVariant) {
    for (index, file) in other.files.enumerated() {
      let old = files[index].fallback?.reasons.count ?? 0
      let new = file.fallback?.reasons.count ?? 0
      if new > old { files[index].fallback = file.fallback }
    }
  }

  /// The order of variants: the smallest first. Everything else breaks ties, so that the order is
  /// total and does not depend on the order of slots and scales.
  func precedes(_ other: PlannedVariant) -> Bool {
    if size.area != other.size.area { return size.area < other.size.area }
    if size.width != other.size.width { return size.width < other.size.width }
    return ties.lexicographicallyPrecedes(other.ties)
  }

  private var ties: [Int] {
    let place: [Int] =
      switch crop?.place {
      case nil: [-1, -1]
      case .found: [-2, -2]
      case .at(let x, let y): [x, y]
      }
    return place + [isOriginal ? 1 : 0, crop?.size.width ?? 0, crop?.size.height ?? 0]
      + files.map(\.encoding.format.index)
  }
}
