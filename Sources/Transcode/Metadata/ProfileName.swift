/// The description that an ICC profile contains (ICC.1:2022, 9.2.41; version 2 uses another tag
/// type).
enum ProfileName {
  /// Catalogs show the name; longer ones are cut.
  private static let longest = 100

  /// Nil if the profile has no description, or is too short for it.
  static func of(_ profile: UnsafeRawBufferPointer) -> String? {
    let reader = Reader(bytes: profile)
    // The tag table follows the header of 128 bytes: a count, then 12 bytes a tag. Real profiles
    // have some twenty tags.
    guard let tags = reader.number(128) else { return nil }
    for index in 0..<min(tags, 100) {
      let entry = 132 + index * 12
      guard reader.text(entry) == "desc", let start = reader.number(entry + 4) else { continue }
      return reader.description(at: start).flatMap(cleaned)
    }
    return nil
  }

  private struct Reader {
    let bytes: UnsafeRawBufferPointer

    func number(_ offset: Int) -> Int? {
      slice(offset, 4).map { $0.reduce(0) { $0 << 8 | Int($1) } }
    }

    /// A signature of four characters.
    func text(_ offset: Int) -> String? {
      slice(offset, 4).map { String(decoding: $0, as: UTF8.self) }
    }

    func slice(_ offset: Int, _ count: Int) -> [UInt8]? {
      guard offset >= 0, count >= 0, offset + count <= bytes.count else { return nil }
      return Array(bytes[offset..<offset + count])
    }

    /// The text of a `desc` tag: ASCII in version 2, UTF-16 in several languages in version 4, of
    /// which the first is taken.
    func description(at start: Int) -> String? {
      if text(start) == "desc", let count = number(start + 8),
        let name = slice(start + 12, min(count, longest))
      {
        return String(decoding: name.prefix { $0 != 0 }, as: UTF8.self)
      }
      if text(start) == "mluc", let count = number(start + 20), let place = number(start + 24),
        let name = slice(start + place, min(count, longest * 2))
      {
        let units = stride(from: 0, to: name.count - 1, by: 2).map {
          UInt16(name[$0]) << 8 | UInt16(name[$0 + 1])
        }
        return String(decoding: units, as: UTF16.self)
      }
      return nil
    }
  }

  /// Without control characters: the text comes from an untrusted source and is shown on terminals.
  private static func cleaned(_ name: String) -> String? {
    let shown = String(
      String.UnicodeScalarView(
        name.unicodeScalars.filter { $0.properties.generalCategory != .control }
          .prefix(longest)))
    return shown.isEmpty ? nil : shown
  }
}
