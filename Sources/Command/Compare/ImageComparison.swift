internal import TesseraImageHeader
internal import TesseraJSON
internal import TesseraPipeline
internal import TesseraPlan
internal import TesseraSystem
internal import TesseraWorkers

/// How close one image is to another by SSIMULACRA 2.1, both as they are shown.
struct ImageComparison: Sendable, JSONDocument {
  let schema = "tessera-compare/1"
  let metric = "ssimulacra2.1"
  /// Displayed pixels, of both.
  var width: Int
  var height: Int
  var reference: Image
  var candidate: Image
  /// At most 100, for identical images; it has no lower bound.
  var score: Double
  var worstTile: Tile

  private enum CodingKeys: CodingKey {
    case schema, metric, score, width, height, worstTile, reference, candidate
  }

  struct Tile: Sendable, Encodable {
    var score: Double
    var x: Int
    var y: Int
    var width: Int
    var height: Int
  }

  struct Image: Sendable, Encodable {
    var path: String
    var format: String
    var bytes: Int
  }

  /// A file that cannot be compared, and why: a sentence without its full stop.
  private struct Failure: Error, CustomStringConvertible {
    var description: String
  }

  /// A worker takes 65 bytes a pixel, with alpha 120.
  private static let mostPixels = 40_000_000
  private static let memory = 6_000_000_000
  private static let mostBytes = 256 << 20

  /// Compares the candidate with the reference.
  ///
  /// - Parameter workerPath: the path of `tessera-worker`, which decodes both.
  static func of(
    _ reference: String, _ candidate: String, workerPath: String
  ) async throws -> ImageComparison {
    let (first, second) = (try File(reference), try File(candidate))
    guard first.size == second.size else {
      throw Failure(
        description: "\"\(reference)\" has \(first.shownSize) pixels and \"\(candidate)\" "
          + "\(second.shownSize): only images of one size can be compared; resize one of them")
    }
    let size = first.size
    guard size.area <= mostPixels else {
      throw Failure(
        description: "\"\(reference)\" has \(first.shownSize) pixels: images of up to "
          + "\(mostPixels / 1_000_000) megapixels can be compared; reduce both")
    }
    let job = ComparisonJob(
      size: size,
      reference: .init(length: first.bytes.count, format: first.format),
      candidate: .init(length: second.bytes.count, format: second.format))
    let likeness = try await likeness(job, of: [first.bytes, second.bytes], workerPath)
    let tile = likeness.worstTile
    return ImageComparison(
      width: size.width, height: size.height,
      reference: Image(path: reference, format: first.format, bytes: first.bytes.count),
      candidate: Image(path: candidate, format: second.format, bytes: second.bytes.count),
      score: likeness.score,
      worstTile: Tile(
        score: tile.score, x: tile.x, y: tile.y, width: tile.size.width, height: tile.size.height))
  }

  private static func likeness(
    _ job: ComparisonJob, of files: [[UInt8]], _ workerPath: String
  ) async throws -> Likeness {
    let pool = try await WorkerPool.start(
      WorkerSettings(
        executable: workerPath, count: 1, memory: Self.memory, time: .seconds(60)))
    defer { pool.close() }
    switch try await pool.perform(job, of: JobSource(.memory(Array(files.joined())), host: "")) {
    case .success(let likeness): return likeness
    case .failure(let failure):
      throw Failure(description: "the images could not be compared; \(failure.message)")
    }
  }

  /// A file to compare, with what its header says.
  private struct File {
    let bytes: [UInt8]
    let format: String
    let size: Size

    var shownSize: String { "\(size.width) x \(size.height)" }

    init(_ path: String) throws {
      let bytes = try FileSystem.read(path, limit: mostBytes)
      self.bytes = bytes
      switch ImageHeader.read(bytes.span, isWhole: true) {
      case .header(let header):
        format = header.format.rawValue
        size = Size(header.width, header.height)
      case .rejected(let rejection):
        throw Failure(description: "\"\(path)\" is \(rejection.reason)")
      case .needs: throw Failure(description: "\"\(path)\" is cut off before its image size")
      }
    }
  }
}
