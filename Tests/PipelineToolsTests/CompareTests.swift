import TesseraJSON
import TesseraTestSupport
import Testing

@testable import tessera

/// `compare`: what is compared, and what is printed of it.
@Suite struct CompareTests {
  @Test func theScoresAreADocument() {
    let comparison = ImageComparison(
      width: 640, height: 480, reference: .init(path: "a.png", format: "png", bytes: 1_234),
      candidate: .init(path: "b \"2\".webp", format: "webp", bytes: 567), score: 87.25,
      worstTile: .init(score: -12.5, x: 64, y: 128, width: 63, height: 32))
    #expect(
      text(comparison.json) == """
        {
          "schema": "tessera-compare/1",
          "metric": "ssimulacra2.1",
          "score": 87.25,
          "width": 640,
          "height": 480,
          "worstTile": {
            "score": -12.5,
            "x": 64,
            "y": 128,
            "width": 63,
            "height": 32
          },
          "reference": {
            "path": "a.png",
            "format": "png",
            "bytes": 1234
          },
          "candidate": {
            "path": "b \\"2\\".webp",
            "format": "webp",
            "bytes": 567
          }
        }

        """)
  }

  private static func mistake(_ reference: String, _ candidate: String) async -> String {
    do {
      _ = try await ImageComparison.of(reference, candidate, workerPath: "/none/tessera-worker")
      return ""
    } catch {
      return "\(error)"
    }
  }

  @Test func onlyImagesOfOneSizeAreCompared() async throws {
    let folder = try TemporaryFolder()
    let plain = try folder.add("plain.jpg", as: "a.jpg")
    let other = try folder.add("orientation-6.jpg", as: "b.jpg")
    let notes = try folder.write("x", to: "c.txt")
    #expect(
      await Self.mistake(plain, other)
        == "\"\(plain)\" has 240 x 160 pixels and \"\(other)\" 120 x 80: only images of one size "
        + "can be compared; resize one of them")
    for pair in [(plain, notes), (notes, plain)] {
      #expect(
        await Self.mistake(pair.0, pair.1) == "\"\(notes)\" is text, not an image")
    }
    let none = folder.path("none")
    #expect(
      await Self.mistake(none, plain) == "could not open \"\(none)\": No such file or directory")
  }

  /// 40 megapixels can be compared; a worker that can't be started comes after that check.
  @Test func manyPixelsAreTooMany() async throws {
    let folder = try TemporaryFolder()
    var mistakes: [Int: String] = [:]
    for width in [7_999, 8_000, 8_001] {
      let svg = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"\(width)\" height=\"5000\"/>"
      let path = try folder.write(svg, to: "a.svg")
      mistakes[width] = await Self.mistake(path, path)
    }
    let path = folder.path("a.svg")
    #expect(
      mistakes[8_001]
        == "\"\(path)\" has 8001 x 5000 pixels: images of up to 40 megapixels can be compared; "
        + "reduce both")
    #expect(mistakes[8_000] == mistakes[7_999])
    #expect(mistakes[8_000]?.contains("/none/tessera-worker") == true)
  }
}
