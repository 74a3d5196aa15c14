import TesseraCVips
import TesseraImageHeader
import TesseraPlan
import TesseraTestSupport
import TesseraWorkers
import Testing

@testable import TesseraTranscode

/// What an animation draws (W3C PNG, third edition, 4.9 and 13.16).
@Suite struct CanvasTests {
  private static let red: [UInt8] = [200, 0, 0, 255]
  private static let half: [UInt8] = [0, 100, 0, 128]

  @Test func partsAreReplacedBlendedAndCleared() {
    var canvas = Canvas(width: 3, height: 2)
    #expect(canvas.samples == [UInt8](repeating: 0, count: 24))
    let part = Canvas.Part(x: 1, y: 1, width: 2, height: 1)
    canvas.draw(Self.red + Self.half, in: part, isBlended: false)
    let empty = [UInt8](repeating: 0, count: 4)
    #expect(canvas.samples == [UInt8](repeating: 0, count: 16) + Self.red + Self.half)
    // Over an opaque colour, over a translucent one, over nothing; and what is transparent changes nothing.
    canvas.draw(Self.half + Self.half, in: part, isBlended: true)
    #expect(Array(canvas.samples[16..<20]) == [100, 50, 0, 255])
    #expect(Array(canvas.samples[20...]) == [0, 100, 0, 192])
    let before = canvas
    canvas.draw([9, 9, 9, 0] + [9, 9, 9, 0], in: part, isBlended: true)
    #expect(canvas.samples == before.samples)
    canvas.draw(Self.half, in: .init(x: 0, y: 0, width: 1, height: 1), isBlended: true)
    #expect(Array(canvas.samples[..<4]) == Self.half)
    canvas.clear(.init(x: 1, y: 0, width: 1, height: 2))
    #expect(Array(canvas.samples[16..<20]) == empty && Array(canvas.samples[..<4]) == Self.half)
    #expect(Array(canvas.samples[20...]) == [0, 100, 0, 192])
  }
}

/// Animated PNG (W3C PNG, third edition, 11.3.6).
@Suite struct APNGTests {
  fileprivate static func control(_ frames: Int, plays: Int = 0) -> [UInt8] {
    chunk("acTL", big(frames, 4) + big(plays, 4))
  }

  fileprivate static func frame(
    _ x: Int = 0, _ y: Int = 0, _ width: Int = 4, _ height: Int = 4, delay: (Int, Int) = (1, 10),
    disposal: UInt8 = 0, blend: UInt8 = 0
  ) -> [UInt8] {
    chunk(
      "fcTL",
      big(0, 4) + big(width, 4) + big(height, 4) + big(x, 4) + big(y, 4) + big(delay.0, 2)
        + big(delay.1, 2) + [disposal, blend])
  }

  /// Rows of one colour.
  fileprivate static func pixels(_ colour: [UInt8], _ width: Int = 4, _ height: Int = 4) -> [UInt8]
  {
    stored((0..<height).flatMap { _ in [0] + (0..<width).flatMap { _ in colour } })
  }

  fileprivate static func data(_ pixels: [UInt8]) -> [UInt8] { chunk("fdAT", big(0, 4) + pixels) }

  fileprivate static func file(_ chunks: [UInt8]...) -> [UInt8] {
    pngMark + chunk("IHDR", pngHeader(4, 4, colour: 6)) + chunks.flatMap(\.self) + chunk("IEND")
  }

  fileprivate static let red: [UInt8] = [255, 0, 0, 255]
  fileprivate static let blue: [UInt8] = [0, 0, 255, 255]
  private static let still = chunk("IDAT", pixels(red))

  private static func parsed(_ file: [UInt8]) -> (count: Int, files: [[UInt8]])? {
    file.withUnsafeBytes { bytes in
      APNG(bytes).map { animation in
        (animation.frames.count, animation.frames.map { animation.file(of: $0) })
      }
    }
  }

  /// The image of other decoders is the first frame only if a frame begins before it.
  @Test(.faults(.i33)) func theStillImageMayBeOutside() throws {
    let inside = try #require(
      Self.parsed(
        Self.file(Self.control(2), Self.frame(), Self.still, Self.frame(), Self.data([7, 8]))))
    #expect(inside.count == 2)
    #expect(inside.files[0] == Self.file(Self.still))
    #expect(inside.files[1] == Self.file(chunk("IDAT", [7, 8])))
    let outside = try #require(
      Self.parsed(
        Self.file(
          Self.control(1), Self.still, Self.frame(1, 2, 3, 2), Self.data([7]), Self.data([8]))))
    #expect(outside.count == 1)
    #expect(
      outside.files[0]
        == pngMark + chunk("IHDR", pngHeader(3, 2, colour: 6)) + chunk("IDAT", [7, 8])
        + chunk("IEND"))
    // Palette and transparency are those of all frames; colours are found in the whole file.
    let shared = chunk("PLTE", [1, 2, 3]) + chunk("tRNS", [9])
    let indexed = try #require(
      Self.parsed(
        Self.file(shared, chunk("gAMA", big(1, 4)), Self.control(1), Self.frame(), Self.still)))
    #expect(indexed.files == [Self.file(shared, Self.still)])
  }

  @Test func framesHaveTimesAndPlaces() throws {
    let bytes = Self.file(
      Self.control(4, plays: 3), Self.frame(delay: (1, 10), disposal: 2), Self.still,
      Self.frame(1, 2, 3, 2, delay: (3, 0), disposal: 1, blend: 1), Self.data([1]),
      Self.frame(delay: (0, 7), disposal: 2), Self.data([2]), Self.frame(delay: (65_535, 1)),
      Self.data([3]))
    try bytes.withUnsafeBytes {
      let animation = try #require(APNG($0))
      #expect((animation.width, animation.height, animation.plays) == (4, 4, 3))
      #expect(animation.frames.map(\.delay) == [100, 30, 0, 65_535_000])
      // Before the first frame there is nothing to go back to.
      #expect(animation.frames.map(\.disposal) == [.background, .background, .previous, .none])
      #expect(animation.frames.map(\.isBlended) == [false, true, false, false])
      let second = animation.frames[1]
      #expect([second.x, second.y, second.width, second.height] == [1, 2, 3, 2])
      #expect(animation.leavesHoles)
    }
  }

  /// What is damaged ends an animation, and a file without a frame is a still image.
  @Test(.faults(.i33)) func damageEndsTheAnimation() {
    let whole = [Self.control(2), Self.frame(), Self.still]
    func count(_ chunks: [UInt8]...) -> Int? {
      Self.parsed(Self.file((whole + chunks).flatMap(\.self)))?.count
    }
    #expect(count(Self.frame(), Self.data([1])) == 2)
    for bad in [
      Self.frame(1, 0), Self.frame(0, 1), Self.frame(0, 0, 0, 4), Self.frame(0, 0, 4, 0),
      Self.frame(disposal: 3), Self.frame(blend: 2), chunk("fcTL", [1, 2]),
    ] {
      #expect(count(bad, Self.data([1])) == 1)
      #expect(Self.parsed(Self.file(Self.control(1), Self.still, bad, Self.data([1]))) == nil)
    }
    // A frame without pixels is none.
    #expect(count(Self.frame()) == 1 && count(Self.frame(), Self.frame(), Self.data([1])) == 2)
    #expect(count(Self.frame(), chunk("fdAT", [0, 0, 0, 0])) == 1)
    #expect(Self.parsed(Self.file(Self.still)) == nil)
    #expect(Self.parsed(Self.file(Self.frame(), Self.still)) == nil)
    #expect(
      Self.parsed(Self.file(Self.still, Self.control(1), Self.frame(), Self.data([1]))) == nil)
    #expect(Self.parsed(Self.file(chunk("acTL", [1]), Self.frame(), Self.still)) == nil)
    #expect(
      Self.parsed(Array(Self.file(Self.control(1), Self.frame(), Self.still).dropLast(12))) == nil)
  }

  @Test func holesAreWhereNoFrameIs() {
    func leavesHoles(_ chunks: [UInt8]...) -> Bool? {
      Self.file(chunks.flatMap(\.self)).withUnsafeBytes { APNG($0)?.leavesHoles }
    }
    let next = Self.frame(1, 1, 2, 2) + Self.data([1])
    #expect(leavesHoles(Self.control(2), Self.frame(), Self.still, next) == false)
    #expect(leavesHoles(Self.control(2), Self.frame(disposal: 1), Self.still, next) == true)
    for part in [Self.frame(0, 0, 3, 4), Self.frame(0, 0, 4, 3)] {
      #expect(leavesHoles(Self.control(1), Self.still, part, Self.data([1])) == true)
    }
  }
}

extension LibvipsTests {
  @Suite struct APNGDecodingTests {
    init() throws { try #require(LibvipsTests.isReady) }

    private func frames(
      _ file: [UInt8], isAnimated: Bool, count: Int
    ) throws -> [[UInt8]] {
      try withSource(file) { source in
        let size = Size(4, 4)
        let job = TranscodeJob(
          format: "png",
          expected: SourceFacts(size: size, hasAlpha: true, frames: count),
          decode: DecodePlan(base: size, isAnimated: isAnimated, keepsProfile: false),
          failOn: .error,
          maximumPixels: 1_000, maximumFrames: 9, files: [], placeholders: [])
        let decoder = try Decoder(source, job, failOn: .error)
        #expect(decoder.facts.frames == count && decoder.facts.hasAlpha)
        #expect(!decoder.isShownAsStored)
        var warnings: [SourceWarning] = []
        return try decoder.frames(warnings: &warnings).map { try $0.samples() }
      }
    }

    /// Three frames: a part that stays, one that goes, and one that brings back what was there.
    @Test(.faults(.i33)) func framesAreDrawnOntoEachOther() throws {
      let (red, blue) = (APNGTests.red, APNGTests.blue)
      let file = APNGTests.file(
        APNGTests.control(4), chunk("IDAT", APNGTests.pixels([9, 9, 9, 255])),
        APNGTests.frame(0, 0, 2, 4), APNGTests.data(APNGTests.pixels(red, 2, 4)),
        APNGTests.frame(2, 0, 1, 4, disposal: 2), APNGTests.data(APNGTests.pixels(blue, 1, 4)),
        APNGTests.frame(0, 0, 1, 4, disposal: 1), APNGTests.data(APNGTests.pixels(blue, 1, 4)),
        APNGTests.frame(3, 0, 1, 4), APNGTests.data(APNGTests.pixels(blue, 1, 4)))
      let none: [UInt8] = [0, 0, 0, 0]
      let rows = [
        [red, red, none, none], [red, red, blue, none], [blue, red, none, none],
        [none, red, none, blue],
      ]
      let expected = rows.map { row in (0..<4).flatMap { _ in row.flatMap(\.self) } }
      #expect(try frames(file, isAnimated: true, count: 4) == expected)
      #expect(try frames(file, isAnimated: false, count: 4) == [expected[0]])
    }

    /// Its frames, their times and how often they are shown become those of a WebP.
    @Test func anAnimationBecomesAnother() throws {
      let file = APNGTests.file(
        APNGTests.control(2, plays: 5), APNGTests.frame(delay: (1, 4)),
        chunk("IDAT", APNGTests.pixels(APNGTests.red)), APNGTests.frame(delay: (1, 2)),
        APNGTests.data(APNGTests.pixels(APNGTests.blue)))
      try withSource(file) { source in
        let animation = try #require(APNG(source.bytes))
        let still = try Raster.load(source, format: .png)
        let strip = try AnimationDecoder.decode(animation, like: still, frames: 2, failOn: .error)
        #expect((strip.width, strip.height, strip.pageHeight, strip.frameCount) == (4, 8, 4, 2))
        #expect(strip.number("loop", otherwise: 0) == 5 && strip.hasField("delay"))
        let one = try AnimationDecoder.decode(animation, like: still, frames: 1, failOn: .error)
        #expect((one.height, one.frameCount) == (4, 2))
      }
    }

    /// A damaged frame is damage of the image.
    @Test func aDamagedFrameIsAnError() {
      let file = APNGTests.file(
        APNGTests.control(1), chunk("IDAT", APNGTests.pixels(APNGTests.red)), APNGTests.frame(),
        APNGTests.data([1, 2, 3]))
      #expect(throws: TranscodeFailure.self) { try frames(file, isAnimated: false, count: 1) }
    }
  }
}
