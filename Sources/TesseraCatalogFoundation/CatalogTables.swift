public import Foundation
public import TesseraCatalog

/// The tables of a catalog, in a directory that has them under the catalog's paths. A file is opened when an image
/// of it is first drawn.
///
///     let tables = CatalogTables(catalog, in: directory)
///     let isDrawn = tables.withPixels(of: "p1", slot: "avatar", scale: 2) { pixels in draw(pixels) } != nil
///
/// Nothing is an error: for an image without ready pixels, for whatever reason, the app shows its variant. It may be
/// used from any thread.
public final class CatalogTables: Sendable {
  private let tables: [String: [CatalogTable]]
  private let directory: URL
  private let opened = OpenedTables()

  /// - Parameters:
  ///   - catalog: its images may be missing: only `Catalog.tables` is used.
  ///   - directory: a `file:` URL; the catalog's paths are relative to it.
  public init(_ catalog: Catalog, in directory: URL) {
    (tables, self.directory) = (catalog.tables ?? [:], directory)
  }

  /// Calls `body` with the pixels of an image in a slot, at the least scale of the slot's tables that is enough, or else
  /// at the greatest. Returns nil, without a call, if there are none, or if the file is missing or damaged.
  public func withPixels<Value>(
    of id: String, slot: String, scale: Double, as format: TablePixels = .bgra8,
    _ body: (PixelTable.Pixels) throws -> Value
  ) rethrows -> Value? {
    try table(of: id, slot: slot, scale: scale, as: format)?.withPixels(of: id, body)
  }

  /// The open file that an image is in; nil as for ``withPixels(of:slot:scale:as:_:)``.
  public func table(
    of id: String, slot: String, scale: Double, as format: TablePixels = .bgra8
  ) -> PixelTable? {
    let usable = (tables[slot] ?? []).filter { $0.format == format }.sorted { $0.scale < $1.scale }
    let table = usable.first { Double($0.scale) >= scale } ?? usable.last
    // A catalog that a program has put together itself may have any path.
    guard let file = table?.file(of: TableHash.of(id)), CatalogTable.isPath(file.path) else {
      return nil
    }
    return opened.table(file.path) {
      let table = try? PixelTable(contentsOf: self.directory.appendingPathComponent(file.path))
      return table.flatMap { $0.matches(file, format) ? $0 : nil }
    }
  }

  /// Closes all files, and forgets which were missing or damaged: for an app that has just downloaded some, or has to give up
  /// memory.
  public func reset() { opened.removeAll() }
}

/// Files by path: nil for one that can't be used, so that it is not looked for with each image.
///
/// `@unchecked Sendable`: every access holds the lock. `Mutex` would need a later system than the library does.
private final class OpenedTables: @unchecked Sendable {
  private let lock = NSLock()
  private var tables: [String: PixelTable?] = [:]

  func table(_ path: String, _ open: () -> PixelTable?) -> PixelTable? {
    lock.lock()
    defer { lock.unlock() }
    if let known = tables[path] { return known }
    let table = open()
    tables[path] = .some(table)
    return table
  }

  func removeAll() {
    lock.lock()
    defer { lock.unlock() }
    tables = [:]
  }
}

/// A file of ready pixels, mapped into memory: an image is drawn without reading a file, decoding it, or copying its
/// pixels first. The system reads the pages that are used, and drops them when memory is short.
///
///     let table = try PixelTable(contentsOf: file)
///     table.withPixels(of: "p1") { pixels in draw(pixels) }
///
/// Opening checks everything that a lookup depends on, so that no file, whatever is in it, leads outside of its bytes.
/// It may be used from any thread.
public final class PixelTable: Sendable {
  /// How pixels are stored.
  public let pixels: TablePixels
  /// Of a cell, in pixels: the most that an image has.
  public let width: Int
  /// Of a cell, in pixels: the most that an image has.
  public let height: Int
  /// The number of images.
  public let count: Int

  let file: MappedTable
  private let header: TableHeader
  private let entries: [TableIndex.Entry]

  /// Maps a file and checks it.
  ///
  /// - Parameter file: a `file:` URL.
  /// - Throws: `TableError` if it is missing, damaged, cut off or something else.
  public init(contentsOf file: URL) throws(TableError) {
    let mapped = try MappedTable(file)
    header = try TableHeader(Array(mapped.bytes.prefix(TableHeader.size)), fileSize: mapped.count)
    // The header is consistent with the file's length, so the index is inside of it.
    entries = try TableIndex.entries(Array(mapped.bytes[header.index]), header)
    self.file = mapped
    (pixels, width, height) = (header.pixels, header.width, header.height)
    count = header.count
  }

  /// The pixels of one image, in the file's memory.
  public struct Pixels {
    /// From the first row to the end of the last one. Valid only inside of the closure that receives them.
    public let bytes: UnsafeRawBufferPointer
    /// In pixels.
    public let width: Int
    /// In pixels.
    public let height: Int
    /// From the start of a row to that of the next one.
    public let rowBytes: Int
    /// How pixels are stored.
    public let format: TablePixels
  }

  /// Calls `body` with the pixels of an image. Returns nil, without a call, if the file does not have the image.
  public func withPixels<Value>(
    of id: String, _ body: (Pixels) throws -> Value
  ) rethrows -> Value? {
    guard let place = place(of: id) else { return nil }
    // The object keeps the mapping, and must stay until the closure has returned.
    return try withExtendedLifetime(self) { try body(pixels(at: place)) }
  }

  func place(of id: String) -> Int? { TableIndex.place(of: TableHash.of(id), in: entries) }

  func pixels(at place: Int) -> Pixels {
    let entry = entries[place]
    let start = header.pixelOffset + place * header.entryBytes
    let end = start + header.rowBytes * entry.height
    return Pixels(
      bytes: UnsafeRawBufferPointer(rebasing: file.bytes[start..<end]), width: entry.width,
      height: entry.height, rowBytes: header.rowBytes, format: pixels)
  }

  /// Whether the file is the one that a catalog describes.
  func matches(_ described: CatalogTable.File, _ format: TablePixels) -> Bool {
    pixels == format && width == described.width && height == described.height
      && count == described.count && file.count == described.bytes
  }
}

/// The bytes of a file, mapped for reading (mmap(2)). The mapping ends with the object.
///
/// A file that is replaced by a rename stays as it was for those who have it mapped. A table never changes;
/// where another program shortens one in place, reading it ends the process, as with every mapping.
final class MappedTable: Sendable {
  let count: Int
  /// `nonisolated(unsafe)`: the bytes are only read, and stay until the object is gone.
  private nonisolated(unsafe) let start: UnsafeMutableRawPointer

  var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: start, count: count) }

  init(_ file: URL) throws(TableError) {
    let descriptor = open(file.path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw Self.failure("opened") }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw Self.failure("examined") }
    // A pipe has no length, and a folder no bytes. mmap(2) rejects a length of 0.
    guard status.st_mode & S_IFMT == S_IFREG, status.st_size > 0,
      let size = Int(exactly: status.st_size)
    else { throw TableError("not a file, or an empty one") }
    guard let place = mmap(nil, size, PROT_READ, MAP_PRIVATE, descriptor, 0), place != MAP_FAILED
    else { throw Self.failure("mapped") }
    (start, count) = (place, size)
  }

  deinit { munmap(start, count) }

  private static func failure(_ action: String) -> TableError {
    TableError("could not be \(action): \(String(cString: strerror(errno)))")
  }
}
