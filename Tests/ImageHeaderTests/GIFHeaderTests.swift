import TesseraTestSupport
import Testing

@testable import TesseraImageHeader

/// By the specification (GIF 89a), and as browsers read it.
@Suite struct GIFHeaderTests {
  private static func screen(
    _ width: Int = 30, _ height: Int = 20, flags: UInt8 = 0, version: String = "9"
  ) -> [UInt8] {
    joined(
      ascii("GIF8\(version)a"), le(width, 2), le(height, 2), [flags, 0, 0],
      [UInt8](repeating: 0x2C, count: GIFStructure.paletteSize(Int(flags))))
  }

  /// A frame: descriptor, colours, the minimum code size, and two blocks of data.
  private static func frame(
    _ left: Int = 0, _ top: Int = 0, _ width: Int = 3, _ height: Int = 4, flags: UInt8 = 0
  ) -> [UInt8] {
    joined(
      [0x2C], le(left, 2), le(top, 2), le(width, 2), le(height, 2), [flags],
      [UInt8](repeating: 0x3B, count: GIFStructure.paletteSize(Int(flags))),
      [2, 3, 0x2C, 0x2C, 0x2C, 1, 0x3B, 0])
  }

  /// Graphic control with its flags.
  private static func control(_ flags: UInt8) -> [UInt8] { [0x21, 0xF9, 4, flags, 0, 0, 0, 0] }
  private static let comment: [UInt8] = [0x21, 0xFE, 3, 1, 1, 1, 2, 0x2C, 0x2C, 0]
  private static let trailer: [UInt8] = [0x3B]

  private static func read(_ parts: [UInt8]...) -> String { whole(parts.flatMap(\.self)) }

  @Test func paletteSizesFollowFromTheirFlags() {
    for bits in 0..<8 {
      #expect(GIFStructure.paletteSize(0x80 | bits) == 3 * [2, 4, 8, 16, 32, 64, 128, 256][bits])
      #expect(GIFStructure.paletteSize(0xF8 | bits) == 3 * [2, 4, 8, 16, 32, 64, 128, 256][bits])
      #expect(GIFStructure.paletteSize(0x78 | bits) == 0)
    }
  }

  @Test func screensAreTrusted() {
    for version in ["7", "9"] {
      let bytes = Self.screen(0x0102, 0x0304, version: version)
      #expect(Self.read(bytes, Self.frame(), Self.trailer) == "gif 258x772@8")
    }
    #expect(
      Self.read(Self.screen(version: "8"), Self.frame()) == "not-image: not a recognized image")
    // Also sizes of monitors, in whose place libnsgif takes the first frame, and the largest.
    for (width, height) in [(640, 480), (2_049, 100), (100, 2_049), (65_535, 65_535)] {
      let text = Self.read(Self.screen(width, height), Self.frame(1, 2), Self.trailer)
      #expect(text == "gif \(width)x\(height)@8")
    }
    expectLeast(1) { whole(Self.screen($0, 20)) == "gif \($0)x20@8 animated?" }
    expectLeast(1) { whole(Self.screen(30, $0)) == "gif 30x\($0)@8 animated?" }
  }

  /// The first frame enlarges a screen that it does not fit; the second one does not.
  @Test func theFirstFrameEnlargesTheScreen() {
    func read(_ frame: [UInt8]) -> String {
      Self.read(Self.screen(), frame, Self.frame(50, 60), Self.trailer)
    }
    #expect(read(Self.frame(10, 5, 20, 15)) == "gif 30x20@8 animated")
    #expect(read(Self.frame(11, 5, 20, 15)) == "gif 31x20@8 animated")
    #expect(read(Self.frame(10, 6, 20, 15)) == "gif 30x21@8 animated")
    #expect(read(Self.frame(0x0100, 0x0200, 0x0304, 0x0105)) == "gif 1028x773@8 animated")
  }

  @Test func framesAreFoundByTheirBlocks() {
    for flags: UInt8 in [0, 0x80, 0x83] {
      let (screen, frame) = (Self.screen(flags: flags), Self.frame(flags: flags))
      #expect(Self.read(screen, frame, Self.trailer) == "gif 30x20@8")
      #expect(Self.read(screen, frame, frame, Self.trailer) == "gif 30x20@8 animated")
      #expect(Self.read(screen, frame, Self.comment, frame) == "gif 30x20@8 animated")
      #expect(Self.read(screen, Self.comment, frame, Self.comment, Self.trailer) == "gif 30x20@8")
      // A byte that begins no block.
      #expect(Self.read(screen, frame, [0], frame) == "gif 30x20@8")
      #expect(Self.read(screen, frame) == "gif 30x20@8 animated?")
    }
    #expect(Self.read(Self.screen(), Self.trailer) == "gif 30x20@8 animated?")
    #expect(
      Self.read(Self.screen(0, 0), Self.trailer) == "malformed: a GIF image, but it has no frame")
    #expect(Self.read(Self.screen(0, 20), [0x21]).hasPrefix("truncated: "))
    #expect(Self.read(Self.screen(30, 0), [0x21]).hasPrefix("truncated: "))
  }

  @Test func colourIsTransparentIfABlockSaysSo() {
    for flags: UInt8 in [0, 1, 2, 4, 0xFE, 0xFF] {
      let expected = "gif 30x20@8" + (flags & 1 == 1 ? " alpha" : "")
      #expect(Self.read(Self.screen(), Self.control(flags), Self.frame(), Self.trailer) == expected)
    }
    // Up to the second frame.
    #expect(
      Self.read(Self.screen(), Self.frame(), Self.control(1), Self.frame(), Self.trailer)
        == "gif 30x20@8 alpha animated")
    #expect(
      Self.read(Self.screen(), Self.frame(), Self.frame(), Self.control(1), Self.trailer)
        == "gif 30x20@8 animated")
    // Another extension with the same bytes.
    #expect(
      Self.read(Self.screen(), [0x21, 0xFF, 4, 1, 0, 0, 0, 0], Self.frame(), Self.trailer)
        == "gif 30x20@8")
  }

  @Test func eachLengthHasItsAnswer() {
    #expect(
      answersByLength(joined(Self.screen(), Self.control(1), Self.frame(), Self.trailer)) == [
        // The flags of the control are its fourth byte.
        "0 not-image", "8 truncated", "13 gif 30x20@8 animated?", "17 gif 30x20@8 alpha animated?",
        "40 gif 30x20@8 alpha",
      ])
    #expect(
      answersByLength(joined(Self.screen(0, 0, flags: 0x80), Self.frame(1, 2), Self.frame())) == [
        "0 not-image", "8 truncated", "29 gif 4x6@8 animated?", "47 gif 4x6@8 animated",
      ])
  }

  /// Of a screen with a size nothing else is worth a request.
  @Test func onlyTheFirstFrameIsRequested() {
    let rest = joined(Self.frame(1, 2), Self.trailer)
    #expect(
      requests(joined(Self.screen(flags: 0x87), rest)) == ["0..<32", "gif 30x20@8 animated?"])
    #expect(
      requests(joined(Self.screen(0, 20, flags: 0x87), rest))
        == ["0..<32", "781..<782", "781..<791", "gif 4x20@8 animated?"])
  }

  /// A file that is made to be walked indefinitely.
  @Test func walksHaveACeiling() {
    expectMost(4_096) { count in
      let blocks = (0..<count).flatMap { _ in [1, 9] as [UInt8] }
      let text = Self.read(
        Self.screen(0, 0), [0x21, 0xFE], blocks, [0], Self.frame(1, 2))
      #expect(
        text == "gif 4x6@8 animated?"
          || text == "malformed: a GIF image, but it has too many blocks")
      return text == "gif 4x6@8 animated?"
    }
  }

  /// A file is whole if it ends behind a frame, or behind the beginning of a block of which nothing
  /// is missing.
  @Test func aWholeFileEndsBehindAFrame() {
    let first = joined(Self.screen(flags: 0x80), Self.comment, Self.frame(flags: 0x81))
    let bytes = joined(first, Self.control(0), Self.frame(), Self.trailer)
    func isWhole(_ bytes: [UInt8]) -> Bool { GIFStructure.isWhole(bytes.span) }
    let lengths = (0...bytes.count).filter { isWhole(Array(bytes[..<$0])) }
    #expect(lengths == [first.count, first.count + 8, bytes.count - 1, bytes.count])
    #expect(!isWhole(joined(Self.screen(), Self.trailer)))
    #expect(!isWhole(Self.screen()) && !isWhole(joined(Self.screen(), [0])))
    // What follows a frame and begins no block is not looked at; neither is what follows the
    // trailer.
    #expect(isWhole(joined(first, [0, 1, 2])) && isWhole(joined(first, Self.trailer, [0x2C])))
    #expect(!isWhole(joined(first, [0x21])) && !isWhole(joined(first, [0x2C, 0, 0])))
    // Extensions alone are not an image.
    #expect(!isWhole(joined(Self.screen(), Self.comment)))
    #expect(!isWhole(joined(Self.screen(), Self.comment, [0])))
    // A descriptor of exactly ten bytes lacks its data.
    #expect(!isWhole(joined(Self.screen(), Array(Self.frame().prefix(10)))))
  }
}
