import Foundation
import TesseraTestSupport
import Testing

/// `compare`: both images are decoded as they are shown, and of one size.
@Suite struct CompareTests {
  private struct Result: Decodable {
    struct Tile: Decodable {
      var score: Double
      var x: Int
      var y: Int
      var width: Int
      var height: Int
    }

    struct Image: Decodable {
      var path: String
      var format: String
      var bytes: Int
    }

    var metric: String
    var score: Double
    var width: Int
    var height: Int
    var worstTile: Tile
    var reference: Image
    var candidate: Image
  }

  private func compare(_ first: String, _ second: String) async throws -> Result {
    let output = try await Tool.tessera(
      "compare", Places.fixture(first).path, Places.fixture(second).path, "--json"
    ).output
    return try JSONDecoder().decode(Result.self, from: Data(output.utf8))
  }

  @Test func printsTheScoreAndTheWorstTile() async throws {
    let (plain, lossy) = (Places.fixture("plain.jpg").path, Places.fixture("lossy.webp").path)
    let result = try await Tool.tessera("compare", plain, lossy)
    #expect(
      result.output == "score       85.23\nworst tile  83.75, 64 x 64 pixels at 0,0\n"
        && result.status == 0)
    let json = try await compare("plain.jpg", "lossy.webp")
    #expect(json.metric == "ssimulacra2.1" && json.score == 85.225)
    #expect(json.width == 240 && json.height == 160)
    #expect(json.worstTile.score == 83.753 && json.worstTile.x == 0 && json.worstTile.y == 0)
    #expect(json.worstTile.width == 64 && json.worstTile.height == 64)
    #expect(json.reference.format == "jpeg" && json.candidate.format == "webp")
    #expect(json.candidate.path == lossy && json.candidate.bytes == 738)
  }

  @Test func identicalPixelsScoreAHundred() async throws {
    // Baseline and progressive coding, and two containers of the same pixels.
    for pair in [
      ("plain.jpg", "progressive.jpg"), ("transparent.png", "transparent.png"),
      ("transparent.png", "transparent-lossless.webp"),
    ] {
      #expect(try await compare(pair.0, pair.1).score == 100, "\(pair)")
    }
  }

  /// Both are 120 x 80 when they are displayed, and one is stored on its side.
  @Test func imagesAreComparedUpright() async throws {
    #expect(try await compare("orientation-1.jpg", "orientation-6.jpg").score > 80)
  }

  @Test(arguments: [
    (
      "plain.jpg", "transparent.png",
      "\"A\" has 240 x 160 pixels and \"B\" 200 x 150: only images of one size can be compared; resize one of them"
    ),
    (
      "plain.jpg", "truncated.jpg",
      "the images could not be compared; of the two, the second: the image could not be decoded: \(Libvips.truncatedJPEG)"
    ),
    ("plain.jpg", "make", "\"B\" is text, not an image"),
    ("missing.jpg", "plain.jpg", "could not open \"A\": No such file or directory"),
  ])
  func whatCannotBeComparedIsAnError(
    _ first: String, _ second: String, _ message: String
  ) async throws {
    let (first, second) = (Places.fixture(first).path, Places.fixture(second).path)
    let result = try await Tool.tessera("compare", first, second)
    #expect(result.status == 2 && result.output.isEmpty)
    #expect(
      result.errors.replacing(first, with: "A").replacing(second, with: "B")
        == "tessera: \(message)\n")
  }
}
