import Foundation
import TesseraTestSupport
import Testing

@testable import TesseraImageHeader

/// The frames of animations, counted in a stream.
@Suite struct FrameCounterTests {
  private static func count(
    _ bytes: [UInt8], _ format: ImageFormat, by length: Int = 1_000
  ) throws -> Int {
    var counter = try #require(FrameCounter(format))
    var rest = bytes[...]
    while !rest.isEmpty {
      let piece = rest.prefix(length)
      counter.add(piece.span.bytes)
      rest = rest.dropFirst(length)
    }
    return counter.count
  }

  private static func fixture(_ name: String) throws -> [UInt8] {
    Array(try Data(contentsOf: Places.fixtures.appending(path: name)))
  }

  /// A GIF of many frames of one pixel, with all that may stand between them.
  private static func gif(_ frames: Int) -> [UInt8] {
    let screen = Array("GIF89a".utf8) + [1, 0, 1, 0, 0x80, 0, 0] + [0, 0, 0, 255, 255, 255]
    let control: [UInt8] = [0x21, 0xF9, 4, 0, 1, 0, 0, 0]
    let comment: [UInt8] = [0x21, 0xFE, 3, 0x2C, 0x2C, 0x2C, 0]
    let frame: [UInt8] = [0x2C, 0, 0, 0, 0, 1, 0, 1, 0, 0x80, 1, 2, 3, 4, 5, 6, 2, 2, 0x4C, 1, 0]
    return screen + (0..<frames).flatMap { _ in control + comment + frame } + [0x3B, 0x2C, 0x2C]
  }

  @Test(arguments: [1, 2, 50, 60, 301])
  func framesOfAGIFAreCounted(_ frames: Int) throws {
    let bytes = Self.gif(frames)
    for length in [1, 2, 7, 1_000, bytes.count] {
      #expect(try Self.count(bytes, .gif, by: length) == frames)
    }
    // A frame that has begun is there.
    #expect(try Self.count(Array(bytes.dropLast(6)), .gif) == frames)
  }

  @Test func framesOfFixturesAreCounted() throws {
    let webp = try Self.fixture("animated.webp")
    let frames = WebPStructure.frames(webp.span, limit: .max)
    #expect(frames > 1)
    for length in [1, 13, webp.count] {
      #expect(try Self.count(webp, .webp, by: length) == frames)
    }
    #expect(try Self.count(Self.fixture("lossy.webp"), .webp) == 1)
    #expect(try Self.count(Self.fixture("animated.gif"), .gif) > 1)
  }

  @Test func anyBytesHaveAFrame() throws {
    var random = SystemRandomNumberGenerator()
    for _ in 0..<200 {
      let bytes = (0..<300).map { _ in UInt8.random(in: 0...255, using: &random) }
      for format in [ImageFormat.gif, .webp] {
        let once = try Self.count(bytes, format)
        #expect(try once >= 1 && Self.count(bytes, format, by: 1) == once)
      }
    }
    #expect(try Self.count([], .gif) == 1)
    #expect(FrameCounter(.png) == nil && FrameCounter(.jpeg) == nil)
  }
}
