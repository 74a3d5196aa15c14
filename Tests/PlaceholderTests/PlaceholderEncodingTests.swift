import Foundation
import TesseraPlan
import TesseraText
import Testing

/// Hashes of images whose samples vary without symmetry. The expected ones are by another program,
/// which follows the reference program of ThumbHash and the specification of BlurHash step by step.
@Suite struct PlaceholderEncodingTests {
  static func pattern(_ width: Int, _ height: Int, alpha: Bool = false) -> Thumbnail {
    var samples: [UInt8] = []
    for y in 0..<height {
      for x in 0..<width {
        samples.append(UInt8((x * x * 7 + y * 13) % 256))
        samples.append(UInt8((x * 11 + y * y * 5 + 50) % 256))
        samples.append(UInt8((x * y * 3 + 100) % 256))
        samples.append(alpha ? UInt8((x * 40 + y * 20) % 256) : 255)
      }
    }
    return Thumbnail(width: width, height: height, samples: samples)
  }

  /// An image of one row.
  private static func row(_ pixels: [[UInt8]]) -> Thumbnail {
    Thumbnail(width: pixels.count, height: 1, samples: pixels.flatMap(\.self))
  }

  private static func board(_ isWhite: (Int, Int) -> Bool, _ width: Int, _ height: Int) -> Thumbnail
  {
    var samples: [UInt8] = []
    for y in 0..<height {
      for x in 0..<width { samples += isWhite(x, y) ? [255, 255, 255, 255] : [0, 0, 0, 255] }
    }
    return Thumbnail(width: width, height: height, samples: samples)
  }

  private static let clear = Thumbnail(
    width: 2, height: 2, samples: (0..<4).flatMap { _ in [9, 9, 9, 0] as [UInt8] })

  @Test(
    arguments: [
      (pattern(13, 8), "n9cFFIgRdXkWeYeQaanAL2xQ+A=="),
      (pattern(8, 13), "n/cFFAoQFpMKeIVmx4jzg1wE1g=="),
      (pattern(9, 9), "X9cJHwgwiGdDeVmDh4d5qXZ2echgA0gN"),
      (pattern(10, 7, alpha: true), "oNeBFIYXUHtDmuPWtNNwArxsBkg3iYd3CA=="),
      (pattern(3, 20, alpha: true), "3weGEQgndJCZWmdvN6QHh3V4d4dECJk="),
      (pattern(20, 3, alpha: true), "YviFGYIXQJd3eaVGP/be+XFgZ1d5iWg="),
      (clear, "AAiCBQAAAAAAAAAAAAAAAAAAAAAAAAAAAA=="),
    ] as [(Thumbnail, String)])
  func thumbHashes(_ image: Thumbnail, _ hash: String) {
    #expect(Base64.encode(ThumbHash.encode(image)) == hash)
  }

  @Test(
    arguments: [
      (pattern(13, 8), 4, 3, "LOF?X]EK5|P9-#DkRsnnQ9RGx?NY"), (pattern(13, 8), 1, 1, "00F?X]"),
      (pattern(13, 8), 5, 2, "DJF?X]E11oL0At?R8}N7nnv#"),
      (
        pattern(13, 8), 9, 9,
        "|OF?X]EK5|P9F1?Ez=x[Eh-#DkRsnnrXfmr^S|NGQ9RGx?NY$9NHS^ahnT?GT]X1J:tMxBWGS1kVx=MyVPnlrYbcWCS^oe"
          + "-WikP3TUw6X4bDjxRQn|XjSeRXtKwJSPNss:-pa6R7iye;oNR*bXxHs*oHK$X}w4otoLR;NF"
      ),
      (pattern(8, 13), 3, 4, "TLGb#UKb5yBfInKRUcVQw4v:bvZ~"),
      (pattern(10, 7, alpha: true), 4, 3, "LlMkIeyAF@~q^*a8x^-prYtRtjoL"),
      (pattern(20, 3, alpha: true), 5, 2, "D]N-7YnUV{g#sD~ojLkBozj["),
      // The largest factors of all.
      (board({ ($0 + $1) % 2 == 1 }, 8, 8), 4, 3, "LKLqe9~qfQ~q~qfQfQfQfQfQfQfQ"),
      (board({ x, _ in x < 5 }, 10, 4), 4, 3, "L~Lqe9~q-;M{-;%Mt7WBfQfQfQfQ"),
      (clear, 1, 1, "00TSUA"),
      (row([[255, 0, 0, 255], [255, 0, 0, 255]]), 1, 1, "00TI:j"),
      (row([[10, 11, 1, 255], [10, 11, 1, 255]]), 1, 1, "001Ci:"),
    ] as [(Thumbnail, Int, Int, String)])
  func blurHashes(_ image: Thumbnail, _ across: Int, _ down: Int, _ hash: String) {
    #expect(BlurHash.encode(image, across: across, down: down) == hash)
  }

  /// The longer side has four components; a square one has them across.
  @Test func theLongerSideHasMoreComponents() {
    for (width, height, across) in [(13, 8, 4), (8, 13, 3), (9, 9, 4), (9, 10, 3), (10, 9, 4)] {
      let image = Self.pattern(width, height)
      #expect(
        BlurHash.encode(image) == BlurHash.encode(image, across: across, down: 7 - across))
    }
  }

  @Test func dominantColours() throws {
    func dominant(_ pixels: [[UInt8]]) throws -> [UInt8] {
      let colour = try #require(DominantColour.of(Self.row(pixels)))
      return [colour.red, colour.green, colour.blue]
    }
    // Colours are alike if their upper four bits are.
    let pair: [[UInt8]] = [[0x10, 0x20, 0x30, 255], [0x1F, 0x2F, 0x3F, 255]]
    #expect(try dominant(pair + [[0, 0, 0, 255]]) == [0x18, 0x28, 0x38])
    for channel in 0..<3 {
      var other = pair
      other[1][channel] += 1
      // Alone, each is as frequent as the other: the first by its bits counts.
      #expect(try dominant(other) == [0x10, 0x20, 0x30])
      #expect(try dominant(other.reversed()) == [0x10, 0x20, 0x30])
    }
    // Pixels count by their alpha, in the choice and in the mean.
    #expect(try dominant([[0, 0, 0, 100], [200, 0, 0, 101]]) == [200, 0, 0])
    #expect(try dominant([[0, 0, 0, 102], [200, 0, 0, 101]]) == [0, 0, 0])
    #expect(try dominant([[0x10, 1, 2, 30], [0x14, 5, 6, 10]]) == [0x11, 2, 3])
    // Halves are rounded up.
    #expect(try dominant([[1, 3, 8, 9], [2, 4, 9, 9]]) == [2, 4, 9])
    #expect(try dominant([[1, 3, 8, 9], [1, 3, 8, 9], [2, 4, 9, 9]]) == [1, 3, 8])
    #expect(try dominant([[7, 8, 9, 1], [250, 250, 250, 0]]) == [7, 8, 9])
    #expect(DominantColour.of(Self.clear) == nil)
  }

  @Test func placeholdersByKind() throws {
    var made = Placeholders([.color: "#010203", .blurhash: "L"])
    #expect(made[.color] == "#010203" && made[.blurhash] == "L" && made[.thumbhash] == nil)
    #expect(made.has([]) && made.has([.blurhash]) && !made.has([.blurhash, .css]))
    // A colour is always made, unless the image is fully transparent.
    #expect(Placeholders().has([.color]) && !Placeholders().has([.color, .thumbhash]))
    made[.css] = "7"
    made[.blurhash] = nil
    #expect(made == Placeholders([.color: "#010203", .css: "7"]))
    #expect(made != Placeholders() && made != Placeholders([.color: "#010203"]))
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let text = String(decoding: try encoder.encode(made), as: UTF8.self)
    #expect(text == ##"{"color":"#010203","css":"7"}"##)
    #expect(try JSONDecoder().decode(Placeholders.self, from: Data(text.utf8)) == made)
    #expect(try JSONDecoder().decode(Placeholders.self, from: Data("{}".utf8)) == Placeholders())
    #expect(
      Placeholders.Kind.allCases.map(\.rawValue)
        == ["color", "thumbhash", "blurhash", "css"])
  }

  /// No side is longer than what ThumbHash is defined for.
  @Test func thumbnailsHaveALongestSide() {
    #expect(Thumbnail.longestSide == 100)
    for (width, height) in [(100, 1), (1, 100)] {
      let image = Self.pattern(width, height)
      #expect((image.width, image.height, image.samples.count) == (width, height, 400))
    }
  }
}
