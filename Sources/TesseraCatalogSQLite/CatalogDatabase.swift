public import TesseraCatalog

/// A catalog in an SQLite database, which is looked up image by image: it opens at once, however many images there are, and
/// only those that were looked up are in memory.
///
///     let catalog = try CatalogDatabase(path, accepting: SupportedTypes.iOS(17))
///     let image = try catalog.entry("p1")
///     let file = image?.file(for: "card", scale: 3)
///
/// `tessera export OUTPUT --as sqlite --to catalog.sqlite` writes it; `Examples/catalog/DATABASE.md` describes its tables, which
/// any program may read. The database is only read. It has one connection, so use it from one task or actor at a time.
///
/// The next export replaces the file, so an open database stays as it was: open it again to see the new catalog. No lock is taken,
/// so an app that copies a new database must not write into the open file: it gives the copy another name, and then renames it.
public final class CatalogDatabase {
  /// What the images have in common.
  public let context: CatalogContext
  /// The number of images.
  public let count: Int

  private let byID: Query
  private let byPlace: Query
  private let placeOf: Query
  private let path: String

  /// - Parameters:
  ///   - path: of the database's file.
  ///   - types: the media types that the device shows, such as `SupportedTypes.iOS(_:)`.
  ///   - source: the URL that paths of files are relative to; needed if the catalog has no absolute `Catalog.baseURL`.
  /// - Throws: ``CatalogDatabaseError`` if the file can't be read, or is not a catalog's.
  public init(
    _ path: String, accepting types: Set<String>, from source: String? = nil
  ) throws(CatalogDatabaseError) {
    self.path = path
    let connection = try Connection(path, .lookUp)
    try CatalogTables.check(connection, path)
    byID = try connection.prepare("SELECT json FROM images WHERE id = ?")
    placeOf = try connection.prepare("SELECT place FROM images WHERE id = ?")
    byPlace = try connection.prepare(
      "SELECT json FROM images WHERE place >= ? AND place < ? ORDER BY place")
    count = try connection.prepare("SELECT max(place) + 1 FROM images").first { $0.int(0) } ?? 0
    let head = try connection.prepare("SELECT json FROM head").first { $0.bytes(0) }
    do throws(CatalogError) {
      context = CatalogContext(
        try Catalog(readingHead: head ?? []), accepting: types, from: source)
    } catch {
      throw CatalogDatabaseError(path: path, reason: "head: \(error)")
    }
  }

  /// The catalog without its images.
  public var head: Catalog { context.head }

  /// The image with an id; nil if there is none.
  public func entry(_ id: String) throws(CatalogDatabaseError) -> CatalogEntry? {
    guard let line = try byID.first([.text(id)], { $0.bytes(0) }) else { return nil }
    return try entry(of: line)
  }

  /// The images at some places in the catalog's order, such as those of a screen.
  public func entries(_ places: Range<Int>) throws(CatalogDatabaseError) -> [CatalogEntry] {
    var lines: [[UInt8]] = []
    try byPlace.run([.int(places.lowerBound), .int(places.upperBound)]) {
      lines.append($0.bytes(0))
    }
    var entries: [CatalogEntry] = []
    entries.reserveCapacity(lines.count)
    for line in lines { entries.append(try entry(of: line)) }
    return entries
  }

  /// The place of an image in the catalog's order, from 0; nil if there is none with this id.
  public func position(of id: String) throws(CatalogDatabaseError) -> Int? {
    try placeOf.first([.text(id)]) { $0.int(0) }
  }

  private func entry(of line: [UInt8]) throws(CatalogDatabaseError) -> CatalogEntry {
    do throws(CatalogError) {
      return context.entry(try CatalogImage(reading: line, context.head.formats))
    } catch {
      throw CatalogDatabaseError(path: path, reason: "an image: \(error)")
    }
  }
}
