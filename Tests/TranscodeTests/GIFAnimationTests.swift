import TesseraImageHeader
import TesseraPlan
import TesseraTestSupport
import TesseraWorkers
import Testing

@testable import TesseraTranscode

/// GIFs whose frames leave parts of the canvas open (GIF 89a).
@Suite struct GIFAnimationTests {
  fileprivate static let (red, blue): (UInt8, UInt8) = (1, 2)
  /// 128 colours, so that each code of the pixels is a byte.
  private static let palette =
    [[0, 0, 0], [255, 0, 0], [0, 0, 255]].flatMap { $0.map { UInt8($0) } }
    + [UInt8](repeating: 9, count: 125 * 3)

  fileprivate static func file(_ blocks: [UInt8]..., local: Bool = false) -> [UInt8] {
    Array("GIF89a".utf8) + [4, 0, 2, 0, local ? 0 : 0xE6, 0, 0] + (local ? [] : palette)
      + blocks.flatMap(\.self) + [0x3B]
  }

  fileprivate static func frame(
    _ x: UInt8, _ y: UInt8, _ width: UInt8, _ height: UInt8, _ colour: UInt8, disposal: UInt8 = 0,
    isTranslucent: Bool = false, local: Bool = false
  ) -> [UInt8] {
    let control: [UInt8] = [0x21, 0xF9, 4, disposal << 2 | (isTranslucent ? 1 : 0), 7, 0, 5, 0]
    let pixels = [0x80] + [UInt8](repeating: colour, count: Int(width) * Int(height)) + [0x81]
    return control + [0x2C, x, 0, y, 0, width, 0, height, 0, local ? 0x86 : 0]
      + (local ? palette : []) + [7, UInt8(pixels.count)] + pixels + [0]
  }

  private static func parsed(_ file: [UInt8]) -> [AnimationFrame]? {
    file.withUnsafeBytes { GIFAnimation($0, width: 4, height: 2)?.frames }
  }

  @Test func framesHavePlacesAndDisposals() throws {
    let comment: [UInt8] = [0x21, 0xFE, 2, 65, 66, 0]
    let bytes = Self.file(
      Self.frame(0, 0, 2, 2, 1, disposal: 3), comment, Self.frame(2, 1, 1, 1, 1, disposal: 2),
      Self.frame(0, 0, 4, 2, 1, disposal: 3), Self.frame(0, 0, 4, 2, 1, disposal: 1))
    let frames = try #require(Self.parsed(bytes))
    // Before the first frame there is nothing to go back to.
    #expect(frames.map(\.disposal) == [.background, .background, .previous, .none])
    #expect(
      frames.map { [$0.x, $0.y, $0.width, $0.height] } == [
        [0, 0, 2, 2], [2, 1, 1, 1], [0, 0, 4, 2], [0, 0, 4, 2],
      ])
    #expect(frames.map(\.isBlended) == [true, true, true, true])
    // A disposal is that of the next frame alone.
    let bare = Array(Self.frame(0, 0, 1, 1, 1).dropFirst(8))
    #expect(
      Self.parsed(Self.file(Self.frame(0, 0, 4, 2, 1, disposal: 2), bare))?.map(\.disposal)
        == [.background, .none])
  }

  @Test func aFrameIsAFileOfItsOwn() throws {
    for local in [false, true] {
      let bytes = Self.file(
        Self.frame(1, 1, 3, 1, 1, disposal: 2, isTranslucent: true, local: local), local: local)
      try bytes.withUnsafeBytes {
        let animation = try #require(GIFAnimation($0, width: 4, height: 2))
        var expected = Self.file(
          Self.frame(0, 0, 3, 1, 1, disposal: 2, isTranslucent: true, local: local), local: local)
        expected.replaceSubrange(6..<10, with: [3, 0, 1, 0])
        #expect(animation.file(of: animation.frames[0]) == expected)
      }
    }
  }

  @Test func damageIsNoAnimation() {
    for (x, y, width, height) in [(1, 0, 4, 2), (0, 1, 4, 2), (0, 0, 0, 2), (0, 0, 4, 0)]
      as [(UInt8, UInt8, UInt8, UInt8)]
    {
      #expect(Self.parsed(Self.file(Self.frame(x, y, width, height, 1))) == nil)
    }
    let whole = Self.file(Self.frame(0, 0, 4, 2, 1), Self.frame(0, 0, 4, 2, 2))
    for count in 0..<whole.count - 1 {
      #expect(
        (Self.parsed(Array(whole[..<count]))?.count ?? 0) <= 1 || count == whole.count - 2,
        "\(count)")
    }
    #expect(Self.parsed(whole)?.count == 2)
    #expect(Self.parsed(whole.dropLast() + [0, 1, 2])?.count == 2)
  }
}

extension LibvipsTests {
  @Suite struct GIFDecodingTests {
    init() throws { try #require(LibvipsTests.isReady) }

    private func frames(_ file: [UInt8], isAnimated: Bool) throws -> (hasAlpha: Bool, [[UInt8]]) {
      try withSource(file) { source in
        let size = Size(4, 2)
        let job = TranscodeJob(
          format: "gif",
          expected: SourceFacts(size: size, hasAlpha: true, frames: 2),
          decode: DecodePlan(base: size, isAnimated: isAnimated, keepsProfile: false),
          failOn: .error,
          maximumPixels: 1_000, maximumFrames: 9, files: [], placeholders: [])
        let decoder = try Decoder(source, job, failOn: .error)
        var warnings: [SourceWarning] = []
        return (
          decoder.facts.hasAlpha, try decoder.frames(warnings: &warnings).map { try $0.samples() }
        )
      }
    }

    private func shown(_ row: [UInt8]) -> [UInt8] {
      let colours: [UInt8: [UInt8]] = [
        0: [0, 0, 0, 0], 1: [255, 0, 0, 255], 2: [0, 0, 255, 255],
      ]
      let pixels = row.flatMap { colours[$0] ?? [] }
      return pixels + pixels
    }

    @Test(.faults(.i35)) func whatNoFrameCoversIsTransparent() throws {
      let file = GIFAnimationTests.file(
        GIFAnimationTests.frame(0, 0, 2, 2, GIFAnimationTests.red),
        GIFAnimationTests.frame(1, 0, 2, 2, GIFAnimationTests.blue))
      let all = try frames(file, isAnimated: true)
      #expect(all.hasAlpha && all.1 == [shown([1, 1, 0, 0]), shown([1, 2, 2, 0])])
      #expect(try frames(file, isAnimated: false).1 == [shown([1, 1, 0, 0])])
    }

    @Test(.faults(.i35)) func whatAFrameIsRemovedFromIsTransparent() throws {
      let file = GIFAnimationTests.file(
        GIFAnimationTests.frame(0, 0, 4, 2, GIFAnimationTests.red, disposal: 2),
        GIFAnimationTests.frame(1, 0, 2, 2, GIFAnimationTests.blue))
      let all = try frames(file, isAnimated: true)
      #expect(all.hasAlpha && all.1 == [shown([1, 1, 1, 1]), shown([0, 2, 2, 0])])
    }

    /// libvips takes the first frame for the canvas if a side is longer than 2,048.
    @Test(arguments: [false, true]) func theScreenIsTheCanvas(_ isTranslucent: Bool) throws {
      var file = GIFAnimationTests.file(
        GIFAnimationTests.frame(1, 0, 2, 2, GIFAnimationTests.red, isTranslucent: isTranslucent))
      file.replaceSubrange(6..<8, with: little(2_049, 2))
      try withSource(file) { source in
        let size = Size(2_049, 2)
        let decoder = try Decoder(source, decoding("gif", size, alpha: true), failOn: .error)
        #expect(decoder.facts.size == size && decoder.facts.hasAlpha)
        #expect(decoder.differenceFromHeader == nil)
        var warnings: [SourceWarning] = []
        let frames = try decoder.frames(warnings: &warnings)
        let samples = try #require(frames.first).samples()
        #expect(samples.count == 2_049 * 2 * 4)
        let first = Array(samples[..<16])
        #expect(first == shown([0, 1, 1, 0]).prefix(16).map { $0 })
      }
    }

    /// libvips draws these itself.
    @Test func aFullCanvasIsOpaque() throws {
      let file = GIFAnimationTests.file(
        GIFAnimationTests.frame(0, 0, 4, 2, GIFAnimationTests.red),
        GIFAnimationTests.frame(1, 0, 2, 2, GIFAnimationTests.blue))
      let all = try frames(file, isAnimated: true)
      #expect(!all.hasAlpha && all.1 == [shown([1, 1, 1, 1]), shown([1, 2, 2, 1])])
    }
  }
}
