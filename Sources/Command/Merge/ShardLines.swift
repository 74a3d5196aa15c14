internal import TesseraOutput
internal import TesseraSystem

/// The images in a shard's result, one at a time, in the order of the manifest.
struct ShardLines {
  let header: ShardHeader
  private let path: String
  private let output: any Output
  private let part: Int
  private var buffer: [UInt8] = []
  private var start = 0
  private var offset = 0
  private var count = 0

  /// - Parameter part: how much is read at a time, in bytes.
  init(
    _ header: ShardHeader, _ path: String, in output: any Output, part: Int
  ) async throws {
    self.header = header
    self.path = path
    self.output = output
    self.part = part
    // It may have been replaced since its header was read.
    guard let first = try await nextLine(), ShardHeader(line: Array(first)) == header else {
      throw damaged
    }
  }

  /// The result at a path.
  init(_ path: String, in output: any Output) async throws {
    let header = try await ShardHeader.read(path, in: output)
    guard let header else {
      throw TesseraError(
        .output, "\"\(FileSystem.join(output.location, path))\" is not the result of a shard",
        remedy: "remove it, or run the shard again")
    }
    try await self.init(header, path, in: output, part: 256 << 10)
  }

  /// The next image; nil after the last.
  mutating func nextImage() async throws -> CatalogLine? {
    guard let next = try await next() else { return nil }
    guard let value = CatalogLine(next.image) else { throw damaged }
    return value
  }

  /// The line of an image in the manifest, its line of the catalog, and SHA-256 of its files; nil after the last.
  mutating func next() async throws -> (
    line: Int, image: ArraySlice<UInt8>, sha256: [String]
  )? {
    guard let line = try await nextLine() else {
      guard count == header.images else { throw damaged }
      return nil
    }
    guard let image = ShardHeader.image(line) else { throw damaged }
    count += 1
    return image
  }

  private mutating func nextLine() async throws -> ArraySlice<UInt8>? {
    var searched = start
    while true {
      if let end = buffer[searched...].firstIndex(of: UInt8(ascii: "\n")) {
        defer { start = end + 1 }
        return buffer[start..<end]
      }
      buffer.removeSubrange(..<start)
      (start, searched) = (0, buffer.count)
      let (path, part, offset) = (path, part, offset)
      let bytes = try await output.read(path, part, at: offset)
      guard !bytes.isEmpty else {
        // A result is published whole, with a line end behind its last line.
        guard buffer.isEmpty else { throw damaged }
        return nil
      }
      self.offset += bytes.count
      buffer += bytes
    }
  }

  private var damaged: TesseraError {
    TesseraError(
      .output, "\"\(FileSystem.join(output.location, path))\" is damaged",
      remedy: "run the shard \(header.shard)/\(header.shards) again")
  }
}
