public import Foundation
public import TesseraCatalog

extension CatalogIndex {
  /// Indexes a catalog's file, from which an image is read when it is looked up: in memory are some tens of bytes for each. On a
  /// thread of its own. The file stays open, and must be replaced by another one rather than changed.
  ///
  /// - Parameters:
  ///   - file: a `file:` URL.
  ///   - types: the media types that the device shows.
  ///   - source: where the catalog came from; needed if it has no absolute `Catalog.baseURL`.
  /// - Throws: `CatalogError`, Foundation's error if the file can't be read, or `CancellationError`.
  @concurrent
  public static func load(
    _ file: URL, accepting types: Set<String>, from source: URL? = nil
  ) async throws -> CatalogIndex {
    let catalog = try CatalogFile(file)
    var indexing = CatalogIndexing()
    while let part = try catalog.nextPart() {
      try Task.checkCancellation()
      try indexing.add(part)
    }
    return try indexing.index(accepting: types, from: source?.absoluteString) {
      catalog.bytes($0)
    }
  }
}

/// A file that is read from its start to its end, and then in places, until the object is gone.
///
/// A file that is replaced by a rename stays as it was for those who have it open.
private final class CatalogFile: Sendable {
  private let handle: FileHandle

  init(_ file: URL) throws { handle = try FileHandle(forReadingFrom: file) }

  deinit { try? handle.close() }

  /// Nil at the end.
  func nextPart() throws -> Data? {
    guard let part = try handle.read(upToCount: 1 << 16), !part.isEmpty else { return nil }
    return part
  }

  /// Nil if the file is shorter now, or can't be read. Any thread may call it: pread(2) leaves the handle's place as it is.
  func bytes(_ range: Range<Int>) -> [UInt8]? {
    let bytes = [UInt8](unsafeUninitializedCapacity: range.count) { buffer, count in
      while let free = buffer.baseAddress, count < buffer.count {
        let read = pread(
          handle.fileDescriptor, free + count, buffer.count - count,
          off_t(range.lowerBound + count))
        if read < 0, errno == EINTR { continue }
        guard read > 0 else { return }
        count += read
      }
    }
    return bytes.count == range.count ? bytes : nil
  }
}
