public import Foundation
public import TesseraCatalog

extension CatalogIndex {
  /// Indexes a catalog's file, from which an image is read when it is looked up: in memory are some tens of bytes for each. On a
  /// thread of its own. The file stays open, and must be replaced by another one rather than changed.
  ///
  /// - Parameters:
  ///   - file: a `file:` URL.
  ///   - types: the media types that the device shows.
  ///   - source: where the catalog came from; needed if it has no `Catalog.baseURL`.
  /// - Throws: `CatalogError`, Foundation's error if the file can't be read, or `CancellationError`.
  @concurrent
  public static func load(
    _ file: URL, accepting types: Set<String>, from source: URL? = nil
  ) async throws -> CatalogIndex {
    let catalog = try CatalogFile(file)
    var indexing = CatalogIndexing()
    var offset = 0
    while true {
      try Task.checkCancellation()
      let part = try catalog.read(1 << 16, at: offset)
      if part.isEmpty { break }
      try indexing.add(part)
      offset += part.count
    }
    return try indexing.index(accepting: types, from: source?.absoluteString) {
      catalog.bytes($0)
    }
  }
}

/// A file that is read in places, by pread(2), until the object is gone. Any thread may read it.
///
/// A file that is replaced by a rename stays as it was for those who have it open.
private final class CatalogFile: Sendable {
  private let handle: FileHandle

  init(_ file: URL) throws { handle = try FileHandle(forReadingFrom: file) }

  deinit { try? handle.close() }

  /// The next bytes from an offset; fewer where the file ends. Foundation's own reading would keep them all until the caller's
  /// pool of objects is emptied.
  func read(_ length: Int, at offset: Int) throws -> [UInt8] {
    try [UInt8](unsafeUninitializedCapacity: length) { buffer, count in
      while let free = buffer.baseAddress, count < length {
        let read = pread(
          handle.fileDescriptor, free + count, length - count, off_t(offset + count))
        if read < 0, errno == EINTR { continue }
        guard read >= 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        if read == 0 { return }
        count += read
      }
    }
  }

  /// Nil if the file is shorter now, or can't be read.
  func bytes(_ range: Range<Int>) -> [UInt8]? {
    guard let bytes = try? read(range.count, at: range.lowerBound), bytes.count == range.count
    else { return nil }
    return bytes
  }
}
