internal import TesseraCatalog
internal import TesseraOutput
internal import TesseraSystem

/// A catalog that is read from a file, part by part. Checks for cancellation before each image.
struct CatalogStream: ~Copyable {
  private let file: File
  private let path: String
  private(set) var reader: CatalogReader
  private var isAtEnd = false

  /// - Parameter path: for messages.
  init(_ file: consuming File, path: String, _ reader: CatalogReader = CatalogReader()) {
    self.file = file
    self.path = path
    self.reader = reader
  }

  /// What `take` finds next; nil after the last image, when the catalog has been found to be whole.
  ///
  /// - Parameter take: returns nil if it needs more bytes.
  /// - Throws: ``TesseraError`` if the catalog is damaged, or `CancellationError`.
  mutating func next<Value>(
    _ take: (inout CatalogReader) throws(CatalogError) -> Value?
  ) throws -> Value? {
    try Task.checkCancellation()
    do {
      while !isAtEnd {
        if let value = try take(&reader) { return value }
        var bytes: [UInt8] = []
        if try file.read(1 << 16, into: &bytes) > 0 {
          reader.add(bytes)
        } else {
          try reader.finish()
          isAtEnd = true
        }
      }
      return nil
    } catch let error as CatalogError {
      throw TesseraError(.output, "\"\(path)\", \(error)")
    }
  }

  /// Skips an image as it was written, valid or not. Returns false after the last one.
  mutating func skipImage() throws -> Bool {
    try next { reader throws(CatalogError) in try reader.nextText().map { _ in true } } ?? false
  }

  /// A part of the file that was read before.
  func bytes(_ count: Int, at offset: Int) throws -> [UInt8] {
    try file.read(count, at: offset)
  }
}

/// The images of a catalog as apps decode them, checked: for work that copies, links or shows what a catalog names.
struct CatalogImages: ~Copyable {
  private var stream: CatalogStream
  private let path: String
  private let forgotten: ForgottenItems

  /// - Parameter forgotten: images that are left out.
  init(_ stream: consuming CatalogStream, path: String, without forgotten: ForgottenItems) {
    self.stream = stream
    (self.path, self.forgotten) = (path, forgotten)
  }

  /// The next image; nil after the last.
  ///
  /// - Throws: ``TesseraError`` if the catalog is damaged, or `CancellationError`.
  mutating func next() throws -> CatalogImage? {
    repeat {
      let image = try stream.next { reader throws(CatalogError) in try reader.next() }
      guard let image, forgotten.has(image) else { return try checked(image) }
    } while true
  }

  /// The next image, and its `extra` as it was written, but for blanks.
  mutating func nextWithExtra() throws -> (image: CatalogImage, extra: String?)? {
    while let found = try stream.next({ reader throws(CatalogError) in try reader.nextPlaced() }) {
      if forgotten.has(found.image) { continue }
      guard let image = try checked(found.image) else { return nil }
      return (image, image.extra == nil ? nil : CatalogImage.extra(ofLine: Array(found.text)))
    }
    return nil
  }

  private func checked(_ image: CatalogImage?) throws -> CatalogImage? {
    // The reader has checked the paths.
    for (name, use) in image?.slots ?? [:] {
      guard use.variants.allSatisfy((image?.variants ?? []).indices.contains) else {
        throw TesseraError(
          .output,
          "\"\(path)\": slot \"\(name)\" of \"\(image?.id ?? "")\" names a file that is not there; the catalog is damaged, run again to regenerate it"
        )
      }
    }
    return image
  }
}
