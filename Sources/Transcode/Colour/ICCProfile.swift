/// What an ICC profile says of itself (ICC.1:2022).
struct ICCProfile {
  private let reader: Reader
  private let tags: [(name: String, start: Int)]

  /// - Parameter bytes: valid as long as the profile is used.
  init(_ bytes: UnsafeRawBufferPointer) {
    reader = Reader(bytes: bytes)
    let reader = reader
    // The tag table follows the header of 128 bytes: a count, then 12 bytes a tag. Real profiles
    // have some twenty tags.
    tags = (0..<min(reader.number(128) ?? 0, 100)).compactMap { index in
      let entry = 132 + index * 12
      guard let name = reader.text(entry), let start = reader.number(entry + 4) else { return nil }
      return (name, start)
    }
  }

  /// Catalogs show the name; longer ones are cut.
  private static let longest = 100

  /// The description (9.2.41; version 2 uses another tag type). Nil if there is none, or it is cut off.
  var name: String? {
    guard let tag = tags.first(where: { $0.name == "desc" }) else { return nil }
    return reader.description(at: tag.start).flatMap(Self.cleaned)
  }

  /// The kind of samples that the profile is for (7.2.6): `RGB `, `GRAY`, `CMYK`, `Lab ` and others. Nil if it is cut
  /// off.
  var colourSpace: String? { reader.text(16) }

  /// The code points of an HDR image: those of the profile itself (`cicp`, 9.2.17), or those in the name that libjxl
  /// gives a profile which it makes: `RGB_D65_202_Rel_PeQ`. LittleCMS takes HDR's curves for those of a page. Nil for others.
  var hdr: CodedColours? {
    var colours: CodedColours?
    if let tag = tags.first(where: { $0.name == "cicp" }),
      let codes = reader.slice(tag.start + 8, 2)
    {
      colours = CodedColours(primaries: Int(codes[0]), transfer: Int(codes[1]))
    } else if let name,
      let match = name.wholeMatch(of: /(?:RGB_D65|Gra_D65)(?:_(202|SRG|DCI))?_..._(PeQ|HLG)/)
    {
      let primaries = [nil: 1, "SRG": 1, "202": 9, "DCI": 12][match.1.map(String.init)] ?? 1
      colours = CodedColours(primaries: primaries, transfer: match.2 == "PeQ" ? 16 : 18)
    }
    return colours?.isHDR == true ? colours : nil
  }

  /// How colours outside the target's gamut are rendered.
  enum Intent {
    case perceptual, relative, saturation
  }

  /// The relative intent if the profile has it, as those have that are a matrix and curves; otherwise one that it has
  /// a table for (9.2.1 to 9.2.3).
  var intent: Intent {
    let names = tags.map(\.name)
    guard !names.contains("A2B1") else { return .relative }
    return names.contains("A2B0") ? .perceptual : names.contains("A2B2") ? .saturation : .relative
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
        let name = slice(start + 12, min(count, ICCProfile.longest))
      {
        return String(decoding: name.prefix { $0 != 0 }, as: UTF8.self)
      }
      if text(start) == "mluc", let count = number(start + 20), let place = number(start + 24),
        let name = slice(start + place, min(count, ICCProfile.longest * 2))
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
