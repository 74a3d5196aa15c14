internal import Synchronization
internal import TesseraSystem

/// Chunks in their order: once they are many, in a file without a name, because there is one for a dozen images.
package final class ChunkList: Sendable {
  private let content = Mutex(Content())

  private struct Content {
    var count = 0
    /// Those that are not in the file.
    var tail: [UInt8] = []
    var file: SharedFile?
    /// Where the tail begins, in bytes.
    var start = 0
    /// The block of the file that was read last.
    var block: [UInt8] = []
    var blockStart = -1
  }

  /// Chunks that are kept in memory, and read together.
  private static let together = 1_000
  private static let blockBytes = together * Chunk.width

  package init() {}

  package convenience init(_ chunks: some Sequence<Chunk>) throws(StateError) {
    self.init()
    for chunk in chunks { try append(chunk) }
  }

  package var count: Int { content.withLock(\.count) }

  package func append(_ chunk: Chunk) throws(StateError) {
    try wrap { content throws(SystemError) in
      chunk.write(to: &content.tail)
      content.count += 1
      if content.tail.count >= Self.blockBytes { try Self.flush(&content) }
    }
  }

  /// Replaces the chunk at a place.
  package func replace(_ place: Int, by chunk: Chunk) throws(StateError) {
    var bytes: [UInt8] = []
    chunk.write(to: &bytes)
    try wrap { content throws(SystemError) in
      let offset = place * Chunk.width
      if offset >= content.start {
        content.tail.replaceSubrange(
          offset - content.start..<offset - content.start + Chunk.width, with: bytes)
        return
      }
      try content.file?.file.write(bytes, at: offset)
      if offset >= content.blockStart, offset < content.blockStart + content.block.count {
        content.blockStart = -1
      }
    }
  }

  /// The chunk at a place.
  package func chunk(at place: Int) throws(StateError) -> Chunk {
    let bytes = try wrap { content throws(SystemError) in
      try Self.bytes(at: place * Chunk.width, in: &content)
    }
    guard let chunk = bytes.withUnsafeBytes({ Chunk($0) }) else {
      throw Self.failure("a file there is not what was written")
    }
    return chunk
  }

  private static func bytes(
    at offset: Int, in content: inout Content
  ) throws(SystemError) -> ArraySlice<UInt8> {
    if offset >= content.start {
      return content.tail[offset - content.start..<offset - content.start + Chunk.width]
    }
    if content.blockStart < 0 || offset < content.blockStart
      || offset >= content.blockStart + content.block.count
    {
      content.blockStart = offset / blockBytes * blockBytes
      content.block = try content.file?.file.read(blockBytes, at: content.blockStart) ?? []
    }
    return content.block.dropFirst(offset - content.blockStart).prefix(Chunk.width)
  }

  private static func flush(_ content: inout Content) throws(SystemError) {
    if content.file == nil {
      content.file = SharedFile(try File.temporary(in: FileSystem.temporaryDirectory))
    }
    try content.file?.file.write(content.tail, at: content.start)
    content.start += content.tail.count
    content.tail.removeAll(keepingCapacity: true)
  }

  private func wrap<Value>(
    _ body: (inout Content) throws(SystemError) -> Value
  ) throws(StateError) -> Value {
    do throws(SystemError) {
      return try content.withLock { content throws(SystemError) in try body(&content) }
    } catch {
      throw Self.failure("\(error)")
    }
  }

  private static func failure(_ message: String) -> StateError {
    StateError(
      kind: .unavailable, path: "", message: message, remedy: "free space there, and run again")
  }
}
