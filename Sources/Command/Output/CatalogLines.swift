internal import TesseraCatalog
internal import TesseraJSON
internal import TesseraOutput
internal import TesseraSystem

/// The images of a catalog as they were written, one at a time, so that memory does not grow with
/// the catalog.
struct CatalogLines: ~Copyable {
  /// A part of the file, in bytes from its start.
  struct Place {
    var offset = 0
    var length = 0
  }

  private var stream: CatalogStream
  private let path: String
  private let forgotten: ForgottenItems
  /// The catalog's members without the images: a JSON object.
  let headText: [UInt8]
  /// The place of the image that was returned last.
  private(set) var place = Place()

  /// - Parameter forgotten: images that are left out.
  init(
    _ stream: consuming CatalogStream, headText: [UInt8], path: String,
    without forgotten: ForgottenItems
  ) {
    self.stream = stream
    self.forgotten = forgotten
    self.headText = headText
    self.path = path
  }

  /// The next image; nil after the last.
  ///
  /// - Throws: ``TesseraError`` if the catalog is damaged, or `CancellationError`.
  mutating func next() throws -> CatalogLine? {
    guard let text = try nextText() else { return nil }
    return try parse(text)
  }

  /// The same as it was written.
  mutating func nextText() throws -> [UInt8]? {
    while let (text, offset) = try stream.next({ reader throws(CatalogError) in
      try reader.nextText()
    }) {
      let line = Array(text)
      if forgotten.has(line: line) { continue }
      place = Place(offset: offset, length: line.count)
      return line
    }
    return nil
  }

  /// An image that was returned before, by its place.
  func image(at place: Place) throws -> CatalogLine {
    try parse(try stream.bytes(place.length, at: place.offset))
  }

  private func parse(_ text: [UInt8]) throws -> CatalogLine {
    do throws(JSONError) {
      return CatalogLine(try JSONParser.parse(text))
    } catch {
      throw self.error(error.message)
    }
  }

  /// An error in the image that was read last.
  func error(_ message: String) -> TesseraError {
    TesseraError(
      .output,
      "\"\(path)\", line \(stream.reader.line - 1): \(message); the catalog is damaged, run again to regenerate it"
    )
  }
}
