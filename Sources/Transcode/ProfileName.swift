/// The name that an ICC profile tells of itself (ICC.1:2022, 9.2.41; in version 2 of another type).
enum ProfileName {
  private static let longest = 100

  /// Nil where it tells none.
  static func of(_ profile: UnsafeRawBufferPointer) -> String? {
    func number(_ offset: Int, _ count: Int = 4) -> Int? {
      guard offset >= 0, offset + count <= profile.count else { return nil }
      return profile[offset..<offset + count].reduce(0) { $0 << 8 | Int($1) }
    }
    func text(_ offset: Int, _ count: Int) -> [UInt8]? {
      guard offset >= 0, count >= 0, offset + count <= profile.count else { return nil }
      return Array(profile[offset..<offset + count])
    }
    guard let tags = number(128) else { return nil }
    for index in 0..<min(tags, 100) {
      let entry = 132 + index * 12
      guard text(entry, 4) == Array("desc".utf8), let start = number(entry + 4) else { continue }
      if text(start, 4) == Array("desc".utf8), let count = number(start + 8),
        let name = text(start + 12, min(count, longest))
      {
        return cleaned(String(decoding: name.prefix { $0 != 0 }, as: UTF8.self))
      }
      // The first of several languages.
      if text(start, 4) == Array("mluc".utf8), let count = number(start + 20),
        let place = number(start + 24), let name = text(start + place, min(count, longest * 2))
      {
        let units = stride(from: 0, to: name.count - 1, by: 2).map {
          UInt16(name[$0]) << 8 | UInt16(name[$0 + 1])
        }
        return cleaned(String(decoding: units, as: UTF16.self))
      }
      return nil
    }
    return nil
  }

  /// Strangers write these names.
  private static func cleaned(_ name: String) -> String? {
    let shown = String(
      String.UnicodeScalarView(
        name.unicodeScalars.filter { $0.properties.generalCategory != .control }
          .prefix(longest)))
    return shown.isEmpty ? nil : shown
  }
}
