internal import TesseraText

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
