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
