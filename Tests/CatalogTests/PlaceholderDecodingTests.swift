import TesseraCatalog
import TesseraTestSupport
import Testing

@Suite struct PlaceholderDecodingTests {
  /// Sizes and pixels from PyPI's thumbhash-python 1.0.1: first, top right, middle, last.
  @Test(
    arguments: [
      (
        "4AcOJxxyd3dgeHeGh3iHeIh3B3rdgI8I", 32, 32,
        [[27, 0, 0, 255], [255, 0, 75, 255], [115, 129, 167, 255], [226, 194, 98, 255]]
      ),
      (
        "3wcKNZqAh3dwd3d4eHh3eHCAB/h3", 32, 23,
        [[0, 2, 129, 255], [255, 4, 158, 255], [137, 127, 125, 255], [248, 253, 137, 255]]
      ),
      (
        "Z/mBDIQk4JbglF5oCQzd0I8CeAiLiIiHCA==", 32, 26,
        [[172, 174, 128, 0], [192, 157, 124, 50], [166, 171, 136, 79], [185, 188, 101, 255]]
      ),
    ] as [(String, Int, Int, [[Int]])])
  func thumbHashesMatchTheReference(
    _ hash: String, _ width: Int, _ height: Int, _ expected: [[Int]]
  ) throws {
    let pixels = try #require(CatalogPlaceholder.Kind.thumbhash(hash).pixels())
    #expect((pixels.width, pixels.height) == (width, height))
    #expect(pixels.samples.count == width * height * 4)
    let places = [
      (0, 0), (width - 1, 0), (width / 2, height / 2), (width - 1, height - 1),
    ]
    for ((x, y), expected) in zip(places, expected) {
      let start = (x + y * width) * 4
      let pixel = pixels.samples[start..<start + 4].map(Int.init)
      #expect(zip(pixel, expected).allSatisfy { abs($0 - $1) <= 1 }, "\(pixel) \(expected)")
    }
  }

  /// Pixels of an 8 by 6 image from PyPI's blurhash-python 1.2.2: first, (4, 3), last.
  @Test(
    arguments: [
      ("L$Hx$#2-wuoyqIW9jwe:gFfnfOfh", [[70, 75, 0], [136, 136, 173], [214, 206, 161]]),
      ("L%HV9x2Y$6Sghpayjsf6gdfPfRfP", [[0, 55, 153], [120, 120, 151], [226, 217, 151]]),
      ("LWR3TPuP,[xu^Bj:N?j]pseVa$f4", [[255, 255, 255], [222, 218, 223], [225, 221, 175]]),
      ("L~I96l6gWowy|e6gWowy|e6gWowy", [[166, 0, 56], [0, 0, 0], [161, 0, 0]]),
    ] as [(String, [[Int]])])
  func blurHashesMatchTheReference(_ hash: String, _ expected: [[Int]]) throws {
    let size = CatalogSize(width: 8, height: 6)
    let pixels = try #require(CatalogPlaceholder.Kind.blurhash(hash).pixels(size))
    for (place, expected) in zip([0, 4 + 3 * 8, 47], expected) {
      let pixel = pixels.samples[place * 4..<place * 4 + 3].map(Int.init)
      #expect(zip(pixel, expected).allSatisfy { abs($0 - $1) <= 1 }, "\(pixel) \(expected)")
      #expect(pixels.samples[place * 4 + 3] == 255)
    }
  }

  /// The shape is the one in the header (2 to 7), as in Evan Wallace's own decoder. thumbhash-python takes
  /// the number of luminance factors (3 to 7) instead. The image was 30 by 90.
  @Test func aNarrowThumbHashKeepsItsShape() throws {
    let pixels = try #require(
      CatalogPlaceholder.Kind.thumbhash("3wcKMhpwcIh3d3iHgIAH+Hg=").pixels())
    #expect((pixels.width, pixels.height) == (9, 32))
  }

  @Test func invalidPlaceholdersHaveNoPixels() {
    for text in ["", "4", "4A", "4AcO!xxy", "AAAAAAA=", "4AcOJxxy", "Zm9v=Zm9v"] {
      #expect(CatalogPlaceholder.Kind.thumbhash(text).pixels() == nil, "\(text)")
    }
    for text in ["", "L", "L$Hx$#2-wuoyqIW9jwe:gFfnfOf", "L$Hx$#2-wuoyqIW9jwe:gFfnfOfä", "~~~~~~"] {
      #expect(CatalogPlaceholder.Kind.blurhash(text).pixels() == nil, "\(text)")
    }
    let large = CatalogSize(width: 1025, height: 1)
    #expect(CatalogPlaceholder.Kind.blurhash("L$Hx$#2-wuoyqIW9jwe:gFfnfOfh").pixels(large) == nil)
    for text in ["", "#12345", "123456", "#12345g"] {
      #expect(CatalogPlaceholder.Kind.color(text).pixels() == nil, "\(text)")
    }
    #expect(CatalogPlaceholder.Kind.color("#01fe7f").pixels()?.samples == [1, 254, 127, 255])
    // A damaged hash is skipped, and the next kind is used.
    var placeholder = CatalogPlaceholder(color: "#01fe7f")
    placeholder.thumbhash = "!"
    #expect(placeholder.pixels()?.samples == [1, 254, 127, 255])
    placeholder.thumbhash = "3wcKMhpwcIh3d3iHgIAH+Hg="
    #expect(
      placeholder.pixels() == CatalogPlaceholder.Kind.thumbhash("3wcKMhpwcIh3d3iHgIAH+Hg=").pixels()
    )
    #expect(CatalogPlaceholder().pixels() == nil)
  }

  /// Random bytes neither trap nor hang.
  @Test func randomHashesNeverTrap() {
    var generator = SplitMix(seed: 3)
    for _ in 0..<2_000 {
      let count = Int.random(in: 0...40, using: &generator)
      _ = ThumbHash.decode((0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) })
    }
  }
}
