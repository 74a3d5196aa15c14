internal import TesseraJSON
internal import TesseraText

/// Looks up images by id, for one device.
///
///     let index = CatalogIndex(catalog, accepting: SupportedTypes.iOS(17))
///     let file = index["p1"]?.file(for: "card", scale: 3)
///
/// Creating an index takes one pass over the catalog. Each lookup then takes constant time.
public struct CatalogIndex: Sendable {
  /// The media types of all files, in their order of preference; see ``Catalog/types``.
  public let types: [String]
  /// What the images have in common.
  public let context: CatalogContext
  private let images: Images
  private let positions: [Identifier: Int]

  /// Where the images are.
  private enum Images: Sendable {
    case values([CatalogImage])
    /// Reads bytes of a document, nil if it can't, and the place of each image in it.
    case document(@Sendable (Range<Int>) -> [UInt8]?, [Range<Int>])
  }

  /// Indexes a catalog that has been read.
  ///
  /// - Parameters:
  ///   - catalog: with all of its images.
  ///   - types: the media types that the device shows, such as ``SupportedTypes/iOS(_:)``.
  ///   - source: the URL of the catalog; needed if it has no absolute ``Catalog/baseURL``.
  public init(_ catalog: Catalog, accepting types: Set<String>, from source: String? = nil) {
    context = CatalogContext(catalog, accepting: types, from: source)
    images = .values(catalog.images)
    self.types = catalog.types
    var positions: [Identifier: Int] = [:]
    positions.reserveCapacity(catalog.images.count)
    for (position, image) in catalog.images.enumerated() {
      positions.addFirst(Identifier(image.id), position)
    }
    self.positions = positions
  }

  /// Indexes a document whose images are read when they are looked up: some tens of bytes an image in
  /// memory beside the document, where images that have been read take several times as much as their text. A lookup takes
  /// about 15 µs.
  ///
  /// - Parameters:
  ///   - document: the bytes of the catalog. It is read once, so that an error is found now.
  ///   - types: the media types that the device shows, such as ``SupportedTypes/iOS(_:)``.
  ///   - source: the URL of the catalog; needed if it has no absolute ``Catalog/baseURL``.
  /// - Throws: ``CatalogError``, which states the line, the column, the member and the reason.
  public init(
    reading document: [UInt8], accepting types: Set<String>, from source: String? = nil
  ) throws(CatalogError) {
    var indexing = CatalogIndexing()
    // In parts, because the reader copies what it has not read yet.
    let partSize = 1 << 16
    for start in stride(from: 0, to: document.count, by: partSize) {
      try indexing.add(document[start..<min(document.count, start + partSize)])
    }
    self = try indexing.index(accepting: types, from: source) { Array(document[$0]) }
  }

  fileprivate init(
    _ indexing: CatalogIndexing, _ context: CatalogContext,
    read: @escaping @Sendable (Range<Int>) -> [UInt8]?
  ) {
    self.context = context
    images = .document(read, indexing.places)
    types = context.head.types
    positions = indexing.positions
  }

  /// The number of images.
  public var count: Int {
    switch images {
    case .values(let images): images.count
    case .document(_, let places): places.count
    }
  }

  /// The image with an id; nil if there is none. One that can't be read from its file any more is failed.
  public subscript(id: String) -> CatalogEntry? {
    guard let position = position(of: id) else { return nil }
    let entry = self[position]
    // In a file that was changed, another image is at its place.
    return Identifier(entry.id) == Identifier(id)
      ? entry : context.entry(CatalogImage(id: id, status: .failed))
  }

  /// The image at a position in the catalog's order, from 0 to ``count`` - 1. One that can't be read from its file any more is
  /// failed.
  public subscript(position: Int) -> CatalogEntry {
    switch images {
    case .values(let images): return context.entry(images[position])
    case .document(let read, let places):
      if let bytes = read(places[position]),
        let image = try? CatalogImage(reading: bytes, context.head.formats)
      {
        return context.entry(image)
      }
      // What was read once without an error is lost with its disk, or by a program that changed it.
      let id = positions.first { $0.value == position }?.key.text
      return context.entry(CatalogImage(id: id ?? "", status: .failed))
    }
  }

  /// The position of an image in the catalog's order.
  public func position(of id: String) -> Int? { positions[Identifier(id)] }
}

/// Indexes a document that comes in parts.
package struct CatalogIndexing {
  private var reader = CatalogReader()
  fileprivate private(set) var places: [Range<Int>] = []
  fileprivate private(set) var positions: [Identifier: Int] = [:]

  package init() {}

  /// Adds the next bytes.
  package mutating func add(_ part: some Sequence<UInt8>) throws(CatalogError) {
    reader.add(part)
    while let (image, place, _) = try reader.nextPlaced() {
      positions.addFirst(Identifier(image.id), places.count)
      places.append(place)
    }
  }

  /// The index, after the last bytes.
  ///
  /// - Parameter read: returns bytes of the document; nil if they can't be read any more.
  package mutating func index(
    accepting types: Set<String>, from source: String?,
    _ read: @escaping @Sendable (Range<Int>) -> [UInt8]?
  ) throws(CatalogError) -> CatalogIndex {
    try reader.finish()
    guard let head = reader.head else {
      throw CatalogError(line: 1, column: 1, member: "", message: "expected a catalog")
    }
    return CatalogIndex(
      self, CatalogContext(head, accepting: types, from: source), read: read)
  }
}

extension [Identifier: Int] {
  /// Of two images with the same id, the first counts, as in the manifest.
  fileprivate mutating func addFirst(_ identifier: Identifier, _ position: Int) {
    if self[identifier] == nil { self[identifier] = position }
  }
}
