internal import TesseraText

/// A catalog that is open for one device: its images by id and in their order.
///
///     let index = try CatalogIndex(catalog, accepting: SupportedTypes.iOS(17), from: url)
///     let file = index.image("p1")?.file(for: "card", scale: 3)
///
/// Opening takes one pass over the catalog. Each lookup then takes constant time.
public struct CatalogIndex: Sendable {
  /// The images in the catalog's order.
  public let images: CatalogImages
  private let context: CatalogContext

  /// The catalog without its images.
  public var head: Catalog { context.head }
  /// The media types of all files, in their order of preference; see ``Catalog/types``.
  public var types: [String] { head.types }

  /// Opens a catalog that has been read.
  ///
  /// - Parameters:
  ///   - catalog: with all of its images, or with none: ``image(reading:)`` takes lines that are elsewhere, as in a database.
  ///   - types: the media types that the device shows, such as ``SupportedTypes/iOS(_:)``.
  ///   - source: the URL of the catalog; needed if it has no ``Catalog/baseURL``.
  /// - Throws: ``CatalogError`` if there is neither.
  public init(
    _ catalog: Catalog, accepting types: Set<String>, from source: String? = nil
  ) throws(CatalogError) {
    context = try CatalogContext(opening: catalog, accepting: types, from: source)
    images = CatalogImages(.values(catalog.images), CatalogPlaces(catalog.images), context)
  }

  /// Opens a document whose images are read when they are looked up: some tens of bytes an image in
  /// memory beside the document, where images that have been read take several times as much as their text. A lookup takes
  /// about 15 µs.
  ///
  /// - Parameters:
  ///   - document: the bytes of the catalog. It is read once, so that an error is found now.
  ///   - types: the media types that the device shows, such as ``SupportedTypes/iOS(_:)``.
  ///   - source: the URL of the catalog; needed if it has no ``Catalog/baseURL``.
  ///   - sha256: the hash function that the app has; its 32 bytes. Nil if the document's digest need not be verified.
  /// - Throws: ``CatalogError``, which states the line, the column, the member and the reason.
  public init(
    reading document: [UInt8], accepting types: Set<String>, from source: String? = nil,
    verifiedBy sha256: ((_ bytes: [UInt8]) -> [UInt8])? = nil
  ) throws(CatalogError) {
    var indexing = CatalogIndexing()
    // In parts, because the reader copies what it has not read yet.
    let partSize = 1 << 16
    for start in stride(from: 0, to: document.count, by: partSize) {
      try indexing.add(document[start..<min(document.count, start + partSize)])
    }
    self = try indexing.index(accepting: types, from: source) { Array(document[$0]) }
    if let sha256 { try head.verify(document, sha256) }
  }

  fileprivate init(_ images: CatalogImages, _ context: CatalogContext) {
    (self.images, self.context) = (images, context)
  }

  /// The image with an id; nil if there is none. One that can't be read from its file any more is failed.
  public func image(_ id: String) -> CatalogEntry? { images.image(id) }

  /// An image whose line is elsewhere: a row of a database, or what a server answers.
  ///
  /// - Parameter line: JSON, in UTF-8.
  /// - Throws: ``CatalogError``, which states the column, the member and the reason.
  public func image(reading line: [UInt8]) throws(CatalogError) -> CatalogEntry {
    context.entry(try CatalogImage(reading: line, head.formats))
  }
}

extension CatalogContext {
  /// - Throws: ``CatalogError`` if files had no whole URL.
  fileprivate convenience init(
    opening catalog: Catalog, accepting types: Set<String>, from source: String?
  ) throws(CatalogError) {
    guard catalog.baseURL != nil || source != nil else {
      throw CatalogError(
        "the catalog has no baseURL, so that its files have no URLs: pass the catalog's own URL as \"from\""
      )
    }
    self.init(catalog, accepting: types, from: source)
  }
}

/// Opens a document that comes in parts.
package struct CatalogIndexing {
  private var reader = CatalogReader()
  private var ranges: [Range<Int>] = []
  private var places = CatalogPlaces()

  package init() {}

  /// Adds the next bytes.
  package mutating func add(_ part: some Sequence<UInt8>) throws(CatalogError) {
    reader.add(part)
    while let (image, range, _) = try reader.nextPlaced() {
      places.add(image.id, at: ranges.count)
      ranges.append(range)
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
    guard let head = reader.head else { throw CatalogError("expected a catalog") }
    let context = try CatalogContext(opening: head, accepting: types, from: source)
    return CatalogIndex(CatalogImages(.document(read, ranges), places, context), context)
  }
}

/// The images of a catalog in its order. One of a document is read when it is looked up.
public struct CatalogImages: Sendable, RandomAccessCollection {
  private let source: Source
  private let places: CatalogPlaces
  private let context: CatalogContext

  /// Where the images are.
  enum Source: Sendable {
    case values([CatalogImage])
    /// Reads bytes of a document, nil if it can't, and where each image is in it.
    case document(@Sendable (Range<Int>) -> [UInt8]?, [Range<Int>])
  }

  init(_ source: Source, _ places: CatalogPlaces, _ context: CatalogContext) {
    (self.source, self.places, self.context) = (source, places, context)
  }

  public var startIndex: Int { 0 }
  public var endIndex: Int {
    switch source {
    case .values(let images): images.count
    case .document(_, let ranges): ranges.count
    }
  }

  /// The image at a place. One that can't be read from its file any more is failed.
  public subscript(place: Int) -> CatalogEntry {
    switch source {
    case .values(let images): return context.entry(images[place])
    case .document(let read, let ranges):
      if let bytes = read(ranges[place]),
        let image = try? CatalogImage(reading: bytes, context.head.formats)
      {
        return context.entry(image)
      }
      // What was read once without an error is lost with its disk, or by a program that changed it.
      return context.entry(CatalogImage(id: places.id(at: place), status: .failed))
    }
  }

  /// The place of the image with an id; nil if there is none.
  public func firstIndex(of id: String) -> Int? { places.byID[Identifier(id)] }

  func image(_ id: String) -> CatalogEntry? {
    guard let place = firstIndex(of: id) else { return nil }
    let entry = self[place]
    // In a file that was changed, another image is at its place.
    return Identifier(entry.id) == Identifier(id)
      ? entry : context.entry(CatalogImage(id: id, status: .failed))
  }
}

/// Where images are in a catalog, by id. Of two images with the same id, the first counts, as in the manifest.
struct CatalogPlaces: Sendable {
  private(set) var byID: [Identifier: Int] = [:]

  init() {}

  init(_ images: [CatalogImage]) {
    byID.reserveCapacity(images.count)
    for (place, image) in images.enumerated() { add(image.id, at: place) }
  }

  mutating func add(_ id: String, at place: Int) {
    let id = Identifier(id)
    if byID[id] == nil { byID[id] = place }
  }

  func id(at place: Int) -> String { byID.first { $0.value == place }?.key.text ?? "" }
}
