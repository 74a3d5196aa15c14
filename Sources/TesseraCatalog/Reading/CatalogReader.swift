internal import TesseraJSON

/// Reads a catalog from bytes as they arrive, one image at a time.
///
/// Use it for a catalog that is larger than memory, or one that is still downloading:
///
///     var reader = CatalogReader()
///     while let bytes = nextBytes() {
///       reader.add(bytes)
///       while let image = try reader.next() { show(image) }
///     }
///     try reader.finish()
///
/// The reader recognizes both forms, JSON and JSON Lines. It ignores members that this version does
/// not know.
public struct CatalogReader: Sendable {
  /// Everything but the images; its `images` are empty. Nil until all of it has arrived. In a catalog
  /// that a run wrote, that is before the first image.
  public private(set) var head: Catalog?

  private var buffer = CatalogBuffer()
  private var state = State.beginning
  private var headReader = HeadReader()
  private var hashing: CanonicalHashing?
  /// Images read so far, with those that were skipped.
  private var count = 0
  /// Whether an image that can't be read is skipped, and noted in ``problems``. Without it, which is the default, the
  /// first such image ends the reading: in a catalog that a run wrote there is none.
  public var skipsBadImages = false
  /// Why images were skipped.
  public private(set) var problems: [CatalogError] = []

  /// What the next byte belongs to.
  private enum State {
    case beginning
    /// Between the members of the document.
    case members(isFirst: Bool)
    /// Before a member's name, after the name, and after the colon.
    case name
    case colon(name: String)
    case value(name: String)
    /// In the array of images.
    case images(isFirst: Bool)
    /// After the first line of JSON Lines.
    case lines
    case end
  }

  /// What one step of reading led to.
  private enum Step {
    case goOn
    case needsBytes
    /// An image begins at the next byte, and ends before this one of the buffer.
    case image(end: Int)
  }

  /// A reader at the start of a document.
  public init() {}

  /// A reader that also computes the catalog's digest.
  ///
  /// - Parameter update: called with parts of the catalog's canonical form, in their order. Once ``finish()`` has
  ///   returned, their SHA-256 is the ``Catalog/digest`` of a catalog that is whole and unaltered. All
  ///   members take part, also those that this version does not know.
  public init(hashing update: @escaping @Sendable (_ bytes: [UInt8]) -> Void) {
    hashing = CanonicalHashing(update)
  }

  /// Adds the next bytes of the document.
  public mutating func add(_ bytes: some Sequence<UInt8>) { buffer.append(bytes) }

  /// The next image; nil if more bytes are needed, or at the end.
  public mutating func next() throws(CatalogError) -> CatalogImage? {
    while let end = try endOfImage() {
      let image: CatalogImage?
      do throws(CatalogError) {
        image = try self.image(to: end)
      } catch {
        guard skipsBadImages else { throw error }
        problems.append(error)
        image = nil
      }
      try pass(to: end)
      if let image { return image }
    }
    return nil
  }

  /// The next image with its place in the document, in bytes, and its text; nil as for ``next()``. None is skipped.
  package mutating func nextPlaced()
    throws(CatalogError) -> (image: CatalogImage, place: Range<Int>, text: ArraySlice<UInt8>)?
  {
    guard let end = try endOfImage() else { return nil }
    buffer.skipSpace()
    let image = try image(to: end)
    let (start, text) = (buffer.documentOffset, buffer.text(to: end))
    try pass(to: end)
    return (image, start..<start + text.count, text)
  }

  private func image(to end: Int) throws(CatalogError) -> CatalogImage {
    var scanner = buffer.scanner(to: end)
    return try buffer.located { () throws(JSONScanner.Failure) in
      do throws(JSONScanner.Failure) {
        let start = scanner.offset
        let image = try CatalogImage.read(from: &scanner)
        try image.checkPlaces(at: start)
        return image
      } catch {
        throw error.within("[\(count)]").within("images")
      }
    }
  }

  /// The next image as it was written, with its place in the document in bytes; nil as for ``next()``. Its text is
  /// one value, which may not be valid in itself.
  package mutating func nextText() throws(CatalogError) -> (text: ArraySlice<UInt8>, offset: Int)? {
    guard let end = try endOfImage() else { return nil }
    // What is between a comma and the value.
    buffer.skipSpace()
    let (text, offset) = (buffer.text(to: end), buffer.documentOffset)
    try pass(to: end)
    return (text, offset)
  }

  /// The line of the next byte, from 1.
  package var line: Int { buffer.line }

  /// The members of ``head`` as they were written, and those that this version does not know: a JSON object.
  package var headText: [UInt8] { headReader.text }

  private mutating func endOfImage() throws(CatalogError) -> Int? {
    while true {
      buffer.skipSpace()
      guard let byte = buffer.peek else { return nil }
      switch try step(byte) {
      case .goOn: continue
      case .needsBytes: return nil
      case .image(let end): return end
      }
    }
  }

  private mutating func pass(to end: Int) throws(CatalogError) {
    if hashing != nil {
      var scanner = buffer.scanner(to: end)
      try buffer.located { () throws(JSONScanner.Failure) in
        try hashing?.addImage(&scanner)
      }
    }
    count += 1
    buffer.advance(to: end)
  }

  /// Checks that the document is complete. Call it after the last bytes, when ``next()`` has returned
  /// nil.
  ///
  /// - Throws: ``CatalogError`` if the document is cut off, or its images are not as many as it
  ///   states.
  public mutating func finish() throws(CatalogError) {
    switch state {
    case .end where buffer.peek == nil, .lines where buffer.peek == nil: break
    default:
      buffer.advanceToEnd()
      throw buffer.error("the catalog is cut off here")
    }
    // JSON Lines has no end of its own: a document cut at the end of a line looks complete.
    if let stated = headReader.count, stated != count {
      throw buffer.error("the catalog has \(count) of its \(stated) images")
    }
    try buffer.located { () throws(JSONScanner.Failure) in
      try hashing?.end(with: headReader.text)
    }
  }

  // MARK: Steps

  private mutating func step(_ byte: UInt8) throws(CatalogError) -> Step {
    switch state {
    case .beginning: return try beginning(byte)
    case .members(let isFirst): return try members(byte, isFirst: isFirst)
    case .name: return try name(byte)
    case .colon(let name):
      guard byte == UInt8(ascii: ":") else {
        throw buffer.error("expected \":\" after a member's name")
      }
      buffer.step()
      state = .value(name: name)
      return .goOn
    case .value(let name):
      return name == "images" ? try startOfImages(byte) : try value(of: name)
    case .images(let isFirst): return try images(byte, isFirst: isFirst)
    case .lines:
      guard let end = buffer.end(of: buffer.offset) else { return .needsBytes }
      // A bracket that nothing opened ends a value of no bytes. With one byte, each image that is skipped
      // leads on.
      return .image(end: max(end, buffer.offset + 1))
    case .end: throw buffer.error("expected nothing after the catalog")
    }
  }

  private mutating func beginning(_ byte: UInt8) throws(CatalogError) -> Step {
    guard byte == UInt8(ascii: "{") else {
      throw buffer.error("expected an object; this is not a catalog")
    }
    buffer.step()
    state = .members(isFirst: true)
    return .goOn
  }

  private mutating func members(_ byte: UInt8, isFirst: Bool) throws(CatalogError) -> Step {
    if byte == UInt8(ascii: "}") {
      buffer.step()
      if let missing = headReader.missing {
        throw buffer.error("the member \"\(missing)\" is missing; this may not be a catalog")
      }
      head = headReader.head
      // Without images, the object is the first line of JSON Lines.
      state = headReader.hasImages ? .end : .lines
      if !headReader.hasImages { try hashHead() }
      return .goOn
    }
    if !isFirst {
      guard byte == UInt8(ascii: ",") else { throw buffer.error("expected \",\" or \"}\"") }
      buffer.step()
    }
    state = .name
    return .goOn
  }

  private mutating func name(_ byte: UInt8) throws(CatalogError) -> Step {
    guard byte == UInt8(ascii: "\"") else {
      throw buffer.error("expected a member's name in quotes")
    }
    guard let end = buffer.end(of: buffer.offset) else { return .needsBytes }
    var scanner = buffer.scanner(to: end)
    let name = try buffer.located { () throws(JSONScanner.Failure) in try scanner.string() }
    state = .colon(name: name)
    buffer.advance(to: end)
    return .goOn
  }

  private mutating func value(of name: String) throws(CatalogError) -> Step {
    guard let end = buffer.end(of: buffer.offset) else { return .needsBytes }
    var scanner = buffer.scanner(to: end)
    var headReader = headReader
    try buffer.located { () throws(JSONScanner.Failure) in
      try headReader.read(name, from: &scanner)
      guard scanner.isAtEnd() else {
        throw JSONScanner.Failure(offset: scanner.offset, message: "expected \",\" or \"}\"")
          .within(name)
      }
    }
    guard hashing?.isLate(name) != true else {
      throw buffer.error(
        "\"\(name)\" comes after the images, so the digest can't be computed while reading")
    }
    headReader.keep(name, buffer.text(to: end))
    self.headReader = headReader
    buffer.advance(to: end)
    state = .members(isFirst: false)
    return .goOn
  }

  private mutating func startOfImages(_ byte: UInt8) throws(CatalogError) -> Step {
    guard byte == UInt8(ascii: "["), !headReader.hasImages else {
      throw buffer.error("expected one array of images")
    }
    buffer.step()
    headReader.hasImages = true
    head = headReader.head
    state = .images(isFirst: true)
    try hashHead()
    return .goOn
  }

  private mutating func hashHead() throws(CatalogError) {
    try buffer.located { () throws(JSONScanner.Failure) in
      try hashing?.begin(with: headReader.text)
    }
  }

  private mutating func images(_ byte: UInt8, isFirst: Bool) throws(CatalogError) -> Step {
    if byte == UInt8(ascii: "]") {
      buffer.step()
      state = .members(isFirst: false)
      return .goOn
    }
    if !isFirst {
      guard byte == UInt8(ascii: ",") else { throw buffer.error("expected \",\" or \"]\"") }
    }
    // The comma stays until the whole image has arrived, so no state is needed between the two.
    guard let end = buffer.end(of: buffer.offset + (isFirst ? 0 : 1)) else { return .needsBytes }
    if !isFirst { buffer.step() }
    state = .images(isFirst: false)
    return .image(end: end)
  }
}
