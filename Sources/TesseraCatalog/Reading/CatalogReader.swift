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
  /// Images read so far.
  private var count = 0

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
    case image(CatalogImage)
  }

  public init() {}

  /// Adds the next bytes of the document.
  public mutating func add(_ bytes: some Sequence<UInt8>) { buffer.append(bytes) }

  /// The next image; nil if more bytes are needed, or at the end.
  public mutating func next() throws(CatalogError) -> CatalogImage? {
    while true {
      buffer.skipSpace()
      guard let byte = buffer.peek else { return nil }
      switch try step(byte) {
      case .goOn: continue
      case .needsBytes: return nil
      case .image(let image): return image
      }
    }
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
      return .image(try image(to: end))
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
    return .goOn
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
    return .image(try image(to: end))
  }

  private mutating func image(to end: Int) throws(CatalogError) -> CatalogImage {
    var scanner = buffer.scanner(to: end)
    let image = try buffer.located { () throws(JSONScanner.Failure) in
      do throws(JSONScanner.Failure) {
        return try CatalogImage.read(from: &scanner)
      } catch {
        throw error.within("[\(count)]").within("images")
      }
    }
    count += 1
    buffer.advance(to: end)
    return image
  }
}

extension Catalog {
  /// Reads a whole catalog, JSON or JSON Lines. For a catalog that is larger than memory, use
  /// ``CatalogReader``.
  ///
  /// - Throws: ``CatalogError``, which states the line, the column, the member and the reason.
  public init(reading bytes: some Sequence<UInt8>) throws(CatalogError) {
    var reader = CatalogReader()
    reader.add(bytes)
    var images: [CatalogImage] = []
    while let image = try reader.next() { images.append(image) }
    try reader.finish()
    guard var catalog = reader.head else {
      throw CatalogError(line: 1, column: 1, member: "", message: "expected a catalog")
    }
    catalog.images = images
    self = catalog
  }
}
