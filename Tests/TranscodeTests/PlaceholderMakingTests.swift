import TesseraPlan
import TesseraTestSupport
import TesseraText
import Testing

@testable import TesseraTranscode

extension LibvipsTests {
  @Suite struct PlaceholderMakingTests {
    private let image: Raster
    private let thumbnail: Thumbnail

    init() throws {
      try #require(LibvipsTests.isReady)
      image = try .drawn(80, 60, bands: 4) { x, y in [x * 3, y * 4, 99, x < 40 ? 255 : 128] }
      thumbnail = Thumbnail(width: 80, height: 60, samples: try image.bytes)
    }

    private func made(_ kinds: [Placeholders.Kind], _ image: Raster) throws -> Placeholders {
      let size = Size(image.width, image.height)
      var pyramid = Pyramid([image], base: size, source: size)
      return try pyramid.placeholders(kinds)
    }

    @Test func allKindsAreOfOneSmallImage() throws {
      let colour = try #require(DominantColour.of(thumbnail))
      let hexadecimal = Colour(red: colour.red, green: colour.green, blue: colour.blue).hexadecimal
      let expected: [Placeholders.Kind: String] = [
        .color: hexadecimal, .thumbhash: Base64.encode(ThumbHash.encode(thumbnail)),
        .blurhash: BlurHash.encode(thumbnail),
        .css: String(CSSPlaceholder.encode(thumbnail)),
      ]
      #expect(try made(Placeholders.Kind.allCases, image) == Placeholders(expected))
      #expect(try made([], image) == Placeholders())
      // The colour is always made.
      for kind in Placeholders.Kind.allCases {
        let two = expected.filter { $0.key == .color || $0.key == kind }
        #expect(try made([kind], image) == Placeholders(two))
      }
    }

    @Test func aLargeImageIsReducedFirst() throws {
      let large = try Raster.drawn(160, 240) { x, y in [x, y, 9] }
      let small = try large.resized(width: 67, height: 100).inMemory()
      #expect(
        try made(Placeholders.Kind.allCases, large) == made(Placeholders.Kind.allCases, small))
      let two = Pyramid([large, image], base: Size(160, 240), source: Size(160, 240))
      var pyramid = two
      #expect(try pyramid.placeholders([.blurhash]) == made([.blurhash], large))
    }

    @Test func aTransparentImageHasNoColour() throws {
      let clear = try Raster.drawn(8, 8, bands: 4) { _, _ in [1, 2, 3, 0] }
      #expect(try made([.color], clear) == Placeholders())
    }
  }
}
