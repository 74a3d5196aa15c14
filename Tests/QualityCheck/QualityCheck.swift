import Foundation
import TesseraTranscode

/// Scores pairs of images, for `Tests/Benchmarks/quality-check`.
///
///     QualityCheck               reads lines with two paths; prints the score of the second image,
///                                its worst tile's score, and the tile's corner
///     QualityCheck --speed A B   prints the milliseconds for a reference and for a candidate
///
/// A file has width, height and channels on its first line, and the samples behind it.
@main enum QualityCheck {
  struct Malformed: Error {
    let path: String
  }

  static func main() throws {
    let arguments = CommandLine.arguments.dropFirst()
    if arguments.count == 3, arguments.first == "--speed" {
      let paths = Array(arguments.dropFirst())
      return try measure(load(paths[0]), load(paths[1]))
    }
    var path = ""
    var reference = ReferencePyramid(
      of: try RGBImage(width: 1, height: 1, channels: 3, samples: [0, 0, 0]))
    while let line = readLine() {
      let paths = line.split(separator: " ").map(String.init)
      guard paths.count == 2 else { throw Malformed(path: line) }
      if paths[0] != path {
        path = paths[0]
        reference = ReferencePyramid(of: try load(path))
      }
      let result = try reference.compare(with: load(paths[1]))
      print(result.score, result.worstTile.score, result.worstTile.x, result.worstTile.y)
    }
  }

  private static func load(_ path: String) throws -> RGBImage {
    let data = try Data(contentsOf: URL(filePath: path))
    guard let end = data.firstIndex(of: UInt8(ascii: "\n")) else { throw Malformed(path: path) }
    let numbers = String(decoding: data[..<end], as: UTF8.self).split(separator: " ")
      .compactMap { Int($0) }
    guard numbers.count == 3 else { throw Malformed(path: path) }
    return try RGBImage(
      width: numbers[0], height: numbers[1], channels: numbers[2],
      samples: Array(data[(end + 1)...]))
  }

  /// The fastest of five references and of a hundred candidates, in processor time.
  private static func measure(_ first: RGBImage, _ second: RGBImage) throws {
    var (reference, candidate) = (Double.infinity, Double.infinity)
    for _ in 0..<5 {
      let start = clock()
      var pyramid = ReferencePyramid(of: first)
      reference = min(reference, milliseconds(since: start))
      for _ in 0..<20 {
        let start = clock()
        _ = try pyramid.compare(with: second)
        candidate = min(candidate, milliseconds(since: start))
      }
    }
    print(reference, candidate)
  }

  private static func milliseconds(since start: clock_t) -> Double {
    Double(clock() - start) / Double(CLOCKS_PER_SEC) * 1000
  }
}
