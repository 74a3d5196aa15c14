internal import TesseraJSON

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
    /// A document that is kept, and the place of each image in it.
    case document([UInt8], [Range<Int>])
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

  /// Indexes a document, JSON or JSON Lines, whose images are read when they are looked up: some tens of bytes an image in
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
    var reader = CatalogReader()
    var places: [Range<Int>] = []
    var positions: [Identifier: Int] = [:]
    var found = CatalogTypes()
    // In parts, because the reader copies what it has not read yet.
    let partSize = 1 << 16
    for start in stride(from: 0, to: document.count, by: partSize) {
      reader.add(document[start..<min(document.count, start + partSize)])
      while let (image, place) = try reader.nextPlaced() {
        found.add(image)
        positions.addFirst(Identifier(image.id), places.count)
        places.append(place)
      }
    }
    try reader.finish()
    guard let head = reader.head else {
      throw CatalogError(line: 1, column: 1, member: "", message: "expected a catalog")
    }
    context = CatalogContext(head, accepting: types, from: source)
    images = .document(document, places)
    self.types = found.inOrder
    self.positions = positions
  }

  /// The number of images.
  public var count: Int {
    switch images {
    case .values(let images): images.count
    case .document(_, let places): places.count
    }
  }

  /// The image with an id.
  public subscript(id: String) -> CatalogEntry? { position(of: id).map { self[$0] } }

  /// The image at a position in the catalog's order, from 0 to ``count`` - 1.
  public subscript(position: Int) -> CatalogEntry {
    switch images {
    case .values(let images): return context.entry(images[position])
    case .document(let document, let places):
      var scanner = JSONScanner(document, places[position])
      // The document does not change, and was read without an error.
      guard let image = try? CatalogImage.read(from: &scanner) else { preconditionFailure() }
      return context.entry(image)
    }
  }

  /// The position of an image in the catalog's order.
  public func position(of id: String) -> Int? { positions[Identifier(id)] }
}

extension [Identifier: Int] {
  /// Of two images with the same id, the first counts, as in the manifest.
  fileprivate mutating func addFirst(_ identifier: Identifier, _ position: Int) {
    if self[identifier] == nil { self[identifier] = position }
  }
}
