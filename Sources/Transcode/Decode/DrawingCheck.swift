internal import Glibc

/// What librsvg 2.54 leaves out of a drawing, or places otherwise than browsers.
enum DrawingCheck {
  /// A list for people; nil if nothing was found.
  static func missing(in source: SourceData) -> String? {
    var found = words.filter { place(of: $0, in: source.bytes, from: 0) != nil }
    if hasMediaRule(source.bytes) { found.insert("@media", at: 0) }
    if hasMarkerWithoutLine(source.bytes) { found.append("markers of paths without a line") }
    if hasInnerUnit(source.bytes) { found.append("lengths in units of print") }
    return found.isEmpty ? nil : found.joined(separator: ", ")
  }

  private static let words = ["dominant-baseline", "<foreignObject", "<textPath", "@font-face"]

  /// Rules for paper and for dark screens do not apply in browsers either.
  private static func hasMediaRule(_ bytes: UnsafeRawBufferPointer) -> Bool {
    var offset = 0
    while let start = place(of: "@media", in: bytes, from: offset) {
      offset = start + 6
      let query = String(
        decoding: bytes[offset...].prefix(200).prefix { $0 != 0x7B }, as: UTF8.self)
      if !query.contains("print"), !query.contains("dark") { return true }
    }
    return false
  }

  /// libvips 8.14 tells librsvg of 72 pixels per inch, not 96.
  private static func hasInnerUnit(_ bytes: UnsafeRawBufferPointer) -> Bool {
    let root = place(of: "<svg", in: bytes, from: 0) ?? 0
    let start = bytes[root...].firstIndex(of: UInt8(ascii: ">")) ?? bytes.count
    let units: Set<[UInt8]> = Set(["mm", "cm", "in", "pt", "pc"].map { Array($0.utf8) })
    let ends = Set("\"'; }".utf8)
    return (start..<max(start, bytes.count - 3)).contains { place in
      (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[place])
        && ends.contains(bytes[place + 3])
        && units.contains(Array(bytes[(place + 1)...(place + 2)]))
    }
  }

  private static func hasMarkerWithoutLine(_ bytes: UnsafeRawBufferPointer) -> Bool {
    var offset = 0
    while let start = place(of: "<path", in: bytes, from: offset) {
      let tag = bytes[start...].prefix { $0 != 0x3E }
      offset = tag.endIndex
      guard place(of: "marker-", in: bytes, from: start) ?? .max < offset,
        let data = [" d=\"", " d='"].compactMap({ place(of: $0, in: bytes, from: start) })
          .filter({ $0 < offset }).min()
      else { continue }
      let quote = bytes[data + 3]
      let commands = bytes[(data + 4)..<offset].prefix { $0 != quote }.filter { $0 | 32 >= 0x61 }
      // The letters of a path: only ones that move to a point (SVG 2, section 9.3).
      if !commands.isEmpty, commands.allSatisfy({ $0 | 32 == UInt8(ascii: "m") }) { return true }
    }
    return false
  }

  private static func place(
    of word: String, in bytes: UnsafeRawBufferPointer, from offset: Int
  ) -> Int? {
    let word = Array(word.utf8)
    guard let base = bytes.baseAddress else { return nil }
    var start = offset
    while start + word.count <= bytes.count,
      let found = memchr(base + start, Int32(word[0]), bytes.count - word.count + 1 - start)
    {
      start = UnsafeRawPointer(found) - base
      if memcmp(base + start, word, word.count) == 0 { return start }
      start += 1
    }
    return nil
  }
}
