import TesseraPlan
import TesseraText
import Testing

/// An image by formula. Independent implementations computed the expected hashes below from it.
private func image(_ width: Int, _ height: Int, alpha: Bool = false) -> Thumbnail {
  var samples: [UInt8] = []
  for y in 0..<height {
    for x in 0..<width {
      samples.append(UInt8(x * 255 / max(1, width - 1)))
      samples.append(UInt8(y * 255 / max(1, height - 1)))
      samples.append(UInt8((x * 7 + y * 13) % 256))
      samples.append(alpha ? UInt8(x * y * 255 / max(1, (width - 1) * (height - 1))) : 255)
    }
  }
  return Thumbnail(width: width, height: height, samples: samples)
}

@Suite struct PlaceholderTests {
  /// References: thumbhash-python 1.0.1 and blurhash-python 1.2.2 (4 x 3 components), from PyPI.
  @Test(
    arguments: [
      (image(16, 16), "4AcOJxxyd3dgeHeGh3iHeIh3B3rdgI8I", "L$Hx$#2-wuoyqIW9jwe:gFfnfOfh"),
      (image(100, 75), "3wcKNZqAh3dwd3d4eHh3eHCAB/h3", "L%HV9x2Y$6Sghpayjsf6gdfPfRfP"),
      (image(30, 90), "3wcKMhpwcIh3d3iHgIAH+Hg=", "L%HeqP2rwvX8hpaffRe:gdfhfOfk"),
      (
        image(64, 48, alpha: true), "Z/mBDIQk4JbglF5oCQzd0I8CeAiLiIiHCA==",
        "LWR3TPuP,[xu^Bj:N?j]pseVa$f4"
      ),
      (image(7, 1), "TPkaWb6Eh4eIiAh7hIhAiAg=", "L~I96l6gWowy|e6gWowy|e6gWowy"),
      (image(1, 1), "AAgCBwAAAAAAAAAAAAAAAAAAAAAAAAAA", "L00000fQfQfQfQfQfQfQfQfQfQfQ"),
    ] as [(Thumbnail, String, String)])
  func hashesMatchTheReferenceImplementations(
    _ image: Thumbnail, _ thumbHash: String, _ blurHash: String
  ) {
    #expect(Base64.encode(ThumbHash.encode(image)) == thumbHash)
    #expect(BlurHash.encode(image, across: 4, down: 3) == blurHash)
  }

  @Test func theDominantColourIsTheColourOfMostPixels() throws {
    func plain(_ colours: [[UInt8]]) -> Thumbnail {
      Thumbnail(width: colours.count, height: 1, samples: colours.flatMap(\.self))
    }
    let red: [UInt8] = [200, 40, 40, 255]
    let near: [UInt8] = [204, 42, 40, 255]
    let blue: [UInt8] = [40, 60, 180, 255]
    let mostlyRed = try #require(DominantColour.of(plain([blue, red, near])))
    #expect(mostlyRed == (202, 41, 40))
    // Pixels count by their opacity.
    let faint: [UInt8] = [40, 60, 180, 60]
    let seen = try #require(DominantColour.of(plain([faint, faint, faint, red])))
    #expect(seen == (200, 40, 40))
    #expect(DominantColour.of(plain([[1, 2, 3, 0]])) == nil)
  }

  @Test(arguments: [
    ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="),
    ("fooba", "Zm9vYmE="), ("foobar", "Zm9vYmFy"),
  ])
  func base64MatchesTheTestVectorsOfRFC4648(_ text: String, _ expected: String) {
    #expect(Base64.encode(Array(text.utf8)) == expected)
    #expect(Base64.decode(expected) == Array(text.utf8))
    #expect(Base64.decode(expected + "?") == nil)
  }
}
