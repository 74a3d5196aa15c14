/// Where the bytes of items begin (`iloc`; ISO/IEC 14496-12, section 8.11.3).
struct HEIFLocations {
  /// Where the content of the `idat` box begins, in which items may be.
  var data: Int?
  private var items: [Int: (isInData: Bool, place: Range<Int>)] = [:]

  init() {}

  init(_ file: borrowing HeaderView, _ start: Int, _ end: Int) throws(HeaderStop) {
    let version = try file.byte(start)
    let sizes = try file.big16(start + 4)
    let (offsetSize, lengthSize, baseSize) = (sizes >> 12, sizes >> 8 & 15, sizes >> 4 & 15)
    let indexSize = version > 0 ? sizes & 15 : 0
    let isWide = version == 2
    var at = start + 6
    func next(_ size: Int, _ file: borrowing HeaderView) throws(HeaderStop) -> Int {
      defer { at += size }
      return switch size {
      case 0: 0
      case 2: try file.big16(at)
      case 4: try file.big32(at)
      case 8: try file.big64(at)
      default: throw .malformed("a number in its list of places has \(size) bytes")
      }
    }
    let count = try next(isWide ? 4 : 2, file)
    guard count <= HeaderLimits.steps else { throw .malformed("it has \(count) items") }
    for _ in 0..<count where at < end {
      let item = try next(isWide ? 4 : 2, file)
      let method = version > 0 ? try next(2, file) & 15 : 0
      _ = try next(2, file)  // the file it is in
      let base = try next(baseSize, file)
      let extents = try next(2, file)
      guard extents <= HeaderLimits.steps else { throw .malformed("an item is in too many pieces") }
      for extent in 0..<extents {
        _ = try next(indexSize, file)
        let offset = try base + next(offsetSize, file)
        let length = try next(lengthSize, file)
        // The first one has what is looked for.
        if extent == 0, method < 2 { items[item] = (method == 1, offset..<offset + length) }
      }
    }
  }

  /// The first bytes of an item, in the file.
  func place(of item: Int) -> Range<Int>? {
    guard let found = items[item] else { return nil }
    guard found.isInData else { return found.place }
    return data.map { found.place.lowerBound + $0..<found.place.upperBound + $0 }
  }
}
