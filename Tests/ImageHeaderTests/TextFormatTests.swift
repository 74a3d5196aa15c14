import TesseraTestSupport
import Testing

@testable import TesseraImageHeader

/// Formats whose headers are text, or lists of names.
@Suite struct TextFormatTests {
  private static func read(_ text: String) -> String { whole(ascii(text)) }

  @Test(arguments: [
    ("P1 7 9 ", "1"), ("P4 7 9 ", "1"), ("P2 7 9 255 ", "8"), ("P3 7 9 256 ", "16"),
    ("P5 7 9 255 ", "8"), ("P6 7 9 256 ", "16"), ("P5 7 9 1 ", "8"), ("P6 7 9 65535 ", "16"),
    ("PF 7 9 -1.0 ", "32"), ("Pf 7 9 1.0 ", "32"),
    ("P6\t7\n9\r\u{0B}\u{0C}255\n", "8"), ("P6#a\n#b\r 7#9\n9 # 1\n255 ", "8"),
  ])
  func pnm(_ text: String, _ bits: String) { #expect(Self.read(text) == "pnm 7x9@\(bits)") }

  @Test func numbersOfPNM() {
    #expect(Self.read("P6 2147483647 1234567890 255 ") == "pnm 2147483647x1234567890@8")
    expectMost(10) {
      Self.read("P6 \(String(repeating: "0", count: $0 - 1))7 9 255 ") == "pnm 7x9@8"
    }
    #expect(
      Self.read("P6 00000000007 9 255 ")
        == "malformed: a PNM image, but a number in its header is too large")
    for text in ["P6 x 9 255", "P6 7 x 255", "P6 7 9 -1 ", "P6 7,9 255 "] {
      #expect(Self.read(text) == "malformed: a PNM image, but its header lacks a number", "\(text)")
    }
    for text in ["P8 7 9 255", "P0 7 9 255", "Pg 7 9 255", "P67 9 255", "P6_7 9 255"] {
      #expect(Self.read(text) == "not-image: text, not an image", "\(text)")
    }
    let tooLong = "malformed: a PNM image, but its header is too long"
    for (filling, last) in [(" ", ""), ("#", "\n")] {
      // The blank before a number counts, too.
      expectMost(4_095 - last.count) { count in
        let text = Self.read("P6\(String(repeating: filling, count: count))\(last)7 9 255 ")
        #expect(text == "pnm 7x9@8" || text == tooLong)
        return text == "pnm 7x9@8"
      }
    }
    #expect(
      answersByLength(ascii("P6 7 9 255 ")) == ["0 not-image", "4 truncated", "11 pnm 7x9@8"])
  }

  @Test(arguments: [
    ("WIDTH 7\nHEIGHT 9\nDEPTH 3\nMAXVAL 255\nENDHDR\n", "pnm 7x9@8"),
    ("WIDTH 7\nHEIGHT 9\nDEPTH 2\nMAXVAL 255\nENDHDR\n", "pnm 7x9@8 alpha"),
    ("WIDTH 7\nHEIGHT 9\nDEPTH 4\nMAXVAL 256\nENDHDR\n", "pnm 7x9@16 alpha"),
    ("#\n\tMAXVAL\t65535\r\nHEIGHT  9\n\nWIDTH 7\nDEPTH 1\nTUPLTYPE X\nENDHDR\n", "pnm 7x9@16"),
    ("WIDTH 7\nHEIGHT 9\nENDHDR\nWIDTH 8\n", "pnm 7x9@8"),
    ("WIDTH x\nHEIGHT 9\nENDHDR\n", "malformed: a PNM image of 0 x 9 pixels"),
    ("WIDTH 7\nHEIGHT x\nENDHDR\n", "malformed: a PNM image of 7 x 0 pixels"),
    ("WIDTH 7\nHEIGHT 9\nMAXVAL x\nENDHDR\n", "pnm 7x9@8"),
    ("WIDTH 7\nHEIGHT 9\n", "truncated: cut off after 20 bytes, before the image size"),
  ])
  func pam(_ text: String, _ expected: String) { #expect(Self.read("P7\n\(text)") == expected) }

  @Test func linesOfPAM() {
    let rest = "WIDTH 7\nHEIGHT 9\nENDHDR\n"
    // 64 lines, of which three are needed.
    expectMost(61) { Self.read("P7\n\(String(repeating: "#\n", count: $0))\(rest)") == "pnm 7x9@8" }
    expectMost(255) { count in
      let text = Self.read("P7\n\(String(repeating: "#", count: count))\n\(rest)")
      #expect(
        text == "pnm 7x9@8" || text == "malformed: a PNM image, but its header is too long")
      return text == "pnm 7x9@8"
    }
  }

  // MARK: OpenEXR

  private static func attribute(_ name: String, _ type: String, _ content: [UInt8]) -> [UInt8] {
    joined(ascii("\(name)\0\(type)\0"), le(content.count, 4), content)
  }

  private static func exr(_ attributes: [UInt8]...) -> [UInt8] {
    joined([0x76, 0x2F, 0x31, 0x01, 2, 0, 0, 0], attributes.flatMap(\.self))
  }

  private static func window(
    _ name: String = "dataWindow", _ type: String = "box2i", sides: [Int] = [-3, 5, 3, 13]
  ) -> [UInt8] {
    attribute(name, type, sides.flatMap { le($0, 4) })
  }

  @Test func exr() {
    #expect(whole(Self.exr(Self.window())) == "exr 7x9@16")
    #expect(
      whole(Self.exr(Self.window(sides: sides(0x0102_0304, 0x0506_0708))))
        == "exr 16909060x84281096@16")
    #expect(
      whole(Self.exr(Self.window(sides: sides(0, 9))))
        == "malformed: an OpenEXR image of 0 x 9 pixels")
    let display = Self.window("displayWindow", "box2i", sides: [0, 0, 99, 99])
    #expect(whole(Self.exr(display, Self.window())) == "exr 7x9@16")
    #expect(whole(Self.exr(Self.window("dataWindow", "box2f"), Self.window())) == "exr 7x9@16")
    #expect(
      whole(Self.exr(Self.window(), Self.window("dataWindow", "box2i", sides: [0, 0, 9, 9])))
        == "exr 7x9@16")
    let missing = "malformed: an OpenEXR image, but it has no data window"
    // The header ends with an empty name.
    #expect(whole(Self.exr(display, [0], Self.window())) == missing)
    expectMost(255) { count in
      let others = (0..<count).flatMap { _ in Self.attribute("a", "int", le(1, 4)) }
      let text = whole(Self.exr(others, Self.window()))
      #expect(text == "exr 7x9@16" || text == missing)
      return text == "exr 7x9@16"
    }
    expectMost(511) { count in
      let long = Self.attribute(String(repeating: "a", count: count), "int", le(1, 4))
      let text = whole(Self.exr(long, Self.window()))
      #expect(
        text == "exr 7x9@16"
          || text == "malformed: an OpenEXR image, but a name in its header is too long")
      return text == "exr 7x9@16"
    }
    let file = Self.exr(Self.attribute("a", "int", le(1, 4)), Self.window())
    #expect(answersByLength(file) == ["0 not-image", "4 truncated", "\(file.count) exr 7x9@16"])
  }

  private func sides(_ width: Int, _ height: Int) -> [Int] { [10, -20, width + 9, height - 21] }

  // MARK: ICNS

  @Test(arguments: [
    (16, "icm# icm4 icm8 ics# ics4 ics8 is32 s8mk icp4 ic04"),
    (32, "ICON ICN# icl4 icl8 il32 l8mk icp5 ic05 ic11"), (48, "ich# ich4 ich8 ih32 h8mk"),
    (64, "icp6 ic12"), (128, "it32 t8mk ic07"), (256, "ic08 ic13"), (512, "ic09 ic14"),
    (1024, "ic10"),
  ])
  func icns(_ side: Int, _ types: String) {
    for type in types.split(separator: " ") {
      let file = Self.icns([(String(type), 5), ("TOC ", 3)])
      #expect(whole(file) == "icns \(side)x\(side)@8 alpha", "\(type)")
    }
  }

  private static func icns(_ icons: [(type: String, bytes: Int)]) -> [UInt8] {
    let content = icons.flatMap { joined(ascii($0.type), be($0.bytes + 8, 4), zeros($0.bytes)) }
    return joined(ascii("icns"), be(content.count + 8, 4), content)
  }

  @Test func theLargestIconCounts() {
    #expect(whole(Self.icns([("ic07", 9), ("ic09", 9), ("ic08", 9)])) == "icns 512x512@8 alpha")
    let unknown = "malformed: an ICNS image, but it holds no icon of a known type"
    #expect(whole(Self.icns([("xxxx", 9)])) == unknown && whole(Self.icns([])) == unknown)
    // Icons behind the length that the file states.
    #expect(
      whole(joined(Self.icns([("ic07", 9)]), Self.icns([("ic09", 9)]))) == "icns 128x128@8 alpha")
    expectLeast(8) { length in
      let text = whole(joined(ascii("icns"), be(16, 4), ascii("ic07"), be(length, 4), zeros(20)))
      #expect(
        text == "icns 128x128@8 alpha"
          || text == "malformed: an ICNS image, but one of its icons is 7 bytes long")
      return text == "icns 128x128@8 alpha"
    }
    expectMost(4_095) { count in
      let others = (0..<count).map { _ in (type: "xxxx", bytes: 0) }
      return whole(Self.icns(others + [("ic07", 0)])) == "icns 128x128@8 alpha"
    }
    #expect(
      requests(Self.icns([("xxxx", 500), ("ic07", 500), ("ic08", 0)]))
        == ["0..<32", "516..<524", "1024..<1032", "icns 256x256@8 alpha"])
  }
}
