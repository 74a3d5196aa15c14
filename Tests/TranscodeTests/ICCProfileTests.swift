import Testing

@testable import TesseraTranscode

/// ICC.1:2022, 7.3, 9.2.41 and 10.15; ICC.1:2001-04, 6.5.17.
@Suite struct ICCProfileTests {
  /// A profile with these tags, one after the other behind their table.
  private func profile(_ tags: [(name: String, body: [UInt8])]) -> [UInt8] {
    var bytes = [UInt8](repeating: 0xEE, count: 128) + big(tags.count, 4)
    var offset = 132 + tags.count * 12
    for tag in tags {
      bytes += Array(tag.name.utf8) + big(offset, 4) + big(tag.body.count, 4)
      offset += tag.body.count
    }
    return bytes + tags.flatMap(\.body)
  }

  /// Version 2: a count with the final zero, then ASCII.
  private func old(_ name: String, count: Int? = nil) -> [UInt8] {
    Array("desc\0\0\0\0".utf8) + big(count ?? name.utf8.count + 1, 4) + Array(name.utf8) + [0]
      + [UInt8](repeating: 0xEE, count: 9)
  }

  /// Version 4: records of 12 bytes, each with the length and the place of a text in UTF-16.
  private func new(_ names: [String]) -> [UInt8] {
    let texts = names.map { $0.utf16.flatMap { big(Int($0), 2) } }
    var bytes = Array("mluc\0\0\0\0".utf8) + big(names.count, 4) + big(12, 4)
    var place = 16 + names.count * 12
    for text in texts {
      bytes += Array("enUS".utf8) + big(text.count, 4) + big(place, 4)
      place += text.count
    }
    return bytes + texts.flatMap(\.self)
  }

  private func name(_ tags: [(name: String, body: [UInt8])]) -> String? {
    profile(tags).withUnsafeBytes { ICCProfile($0).name }
  }

  @Test func bothVersionsOfTheTagAreRead() {
    #expect(name([("desc", old("Display P3"))]) == "Display P3")
    #expect(name([("desc", new(["Größe 色", "Taille"]))]) == "Größe 色")
    #expect(name([("wtpt", old("no")), ("cprt", new(["no"])), ("desc", old("yes"))]) == "yes")
    #expect(name([("desc", old("first")), ("desc", old("second"))]) == "first")
    #expect(name([("cprt", old("no"))]) == nil)
    #expect(name([("desc", Array("text\0\0\0\0\0\0\0\u{5}sRGB\0".utf8))]) == nil)
    // The count, not the zero, ends the text, and the zero ends it earlier.
    #expect(name([("desc", old("sRGB IEC", count: 4))]) == "sRGB")
    #expect(name([("desc", old("sRGB\0IEC"))]) == "sRGB")
  }

  @Test func controlCharactersAreLeftOut() {
    #expect(name([("desc", old("a\u{1B}[31m\tb\n"))]) == "a[31mb")
    #expect(name([("desc", new(["a\u{85}b\u{0}c"]))]) == "abc")
    #expect(name([("desc", old("\n\t"))]) == nil)
    #expect(name([("desc", old(""))]) == nil)
  }

  @Test(arguments: [99, 100, 101, 5_000]) func aLongNameIsCut(_ count: Int) {
    let long = String(repeating: "x", count: count)
    #expect(name([("desc", old(long))])?.count == min(count, 100))
    #expect(name([("desc", new([long]))])?.count == min(count, 100))
    // Of two letters each, one of which is left out.
    #expect(name([("desc", new([String(repeating: "\ty", count: count)]))])?.count ?? 0 == 50)
  }

  @Test func atMostAHundredTagsAreRead() {
    func tags(_ count: Int) -> [(name: String, body: [UInt8])] {
      (1..<count).map { _ in (name: "none", body: []) } + [(name: "desc", body: old("sRGB"))]
    }
    for count in [1, 2, 99, 100] { #expect(name(tags(count)) == "sRGB") }
    #expect(name(tags(101)) == nil)
  }

  @Test func aProfileMayEndAnywhere() {
    for body in [old("sRGB"), new(["sRGB"])] {
      let whole = profile([("desc", body)])
      let isOld = body[0] == UInt8(ascii: "d")
      // As far as the text reaches, with the final zero of version 2.
      let least = 132 + 12 + (isOld ? 12 + 4 + 1 : 16 + 12 + 8)
      for count in 0...whole.count {
        let name = Array(whole[..<count]).withUnsafeBytes { ICCProfile($0).name }
        #expect(name == (count >= least ? "sRGB" : nil), "\(count)")
      }
    }
    #expect([UInt8](repeating: 255, count: 200).withUnsafeBytes { ICCProfile($0).name } == nil)
  }
}

/// Which table or matrix of a profile is used.
@Suite struct ICCIntentTests {
  @Test(arguments: [
    (["rXYZ", "rTRC"], ICCProfile.Intent.relative), (["A2B0"], .perceptual),
    (["A2B0", "A2B1"], .relative), (["A2B2"], .saturation), (["A2B2", "A2B0"], .perceptual),
    ([], .relative),
  ])
  func theProfilesOwnIntentIsTaken(_ tags: [String], _ expected: ICCProfile.Intent) {
    var bytes = [UInt8](repeating: 0, count: 128) + big(tags.count, 4)
    for tag in tags { bytes += Array(tag.utf8) + big(0, 4) + big(0, 4) }
    bytes.replaceSubrange(16..<20, with: Array("CMYK".utf8))
    bytes.withUnsafeBytes {
      #expect(ICCProfile($0).intent == expected)
      #expect(ICCProfile($0).colourSpace == "CMYK")
      #expect(ICCProfile(UnsafeRawBufferPointer(rebasing: $0[..<19])).colourSpace == nil)
    }
  }

  /// Tags with their data, behind the table.
  private static func profile(_ tags: [(String, [UInt8])]) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: 128) + big(tags.count, 4)
    var place = 132 + tags.count * 12
    for (name, data) in tags {
      bytes += Array(name.utf8) + big(place, 4) + big(data.count, 4)
      place += data.count
    }
    return bytes + tags.flatMap(\.1)
  }

  private static func named(_ name: String) -> [(String, [UInt8])] {
    [
      (
        "desc",
        Array("desc".utf8) + big(0, 4) + big(name.utf8.count + 1, 4) + Array(name.utf8) + [0]
      )
    ]
  }

  private static func hdr(_ tags: [(String, [UInt8])]) -> CodedColours? {
    profile(tags).withUnsafeBytes { ICCProfile($0).hdr }
  }

  @Test(arguments: [
    ("RGB_D65_202_Rel_PeQ", 9, 16), ("RGB_D65_202_Per_HLG", 9, 18), ("RGB_D65_SRG_Rel_PeQ", 1, 16),
    ("RGB_D65_DCI_Rel_HLG", 12, 18), ("Gra_D65_Rel_PeQ", 1, 16),
  ])
  func libjxlNamesHDR(_ name: String, _ primaries: Int, _ transfer: Int) {
    #expect(Self.hdr(Self.named(name)) == CodedColours(primaries: primaries, transfer: transfer))
    #expect(Self.hdr(Self.named(name + "x")) == nil && Self.hdr(Self.named("x" + name)) == nil)
  }

  @Test func otherProfilesAreNotHDR() {
    for name in ["RGB_D65_SRG_Rel_SRG", "RGB_DCI_DCI_Rel_PeQ", "Display P3", "PeQ", ""] {
      #expect(Self.hdr(Self.named(name)) == nil, "\(name)")
    }
    func codes(_ primaries: UInt8, _ transfer: UInt8) -> [(String, [UInt8])] {
      [("cicp", Array("cicp".utf8) + big(0, 4) + [primaries, transfer, 0, 1])]
    }
    #expect(Self.hdr(codes(9, 16)) == CodedColours(primaries: 9, transfer: 16))
    #expect(
      Self.hdr(codes(12, 18) + Self.named("RGB_D65_202_Rel_PeQ"))
        == CodedColours(primaries: 12, transfer: 18))
    #expect(Self.hdr(codes(12, 13)) == nil)
    #expect(Self.hdr([("cicp", Array("cicp".utf8))]) == nil)
  }
}
