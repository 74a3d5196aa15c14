/// Reads a catalog as its bytes come, one picture at a time: of one that is too large to be in memory as a whole, or
/// while it is still on its way.
///
///     var reader = CatalogReader()
///     while let bytes = nextBytes() {
///       reader.add(bytes)
///       while let image = try reader.next() { show(image) }
///     }
///     try reader.finish()
///
/// Both forms are read, JSON and JSON Lines; which one it is need not be said. Members that this version does not know
/// are passed over.
public struct CatalogReader: Sendable {
  /// Everything but the pictures; nil until all of it has come, which is before the first picture where a run wrote the
  /// catalog. Its `images` are empty.
  public private(set) var head: Catalog?

  private var buffer: [UInt8] = []
  /// Where the reading stands in the buffer, and in the document.
  private var offset = 0
  private var line = 1
  private var column = 1
  private var part = Part.beginning
  private var fields = HeadFields()
  private var count = 0
  private var scan = Scan()

  private enum Part {
    case beginning
    /// Among the members of the document.
    case members(isFirst: Bool)
    /// Before a member's name, behind it, and behind the colon.
    case name
    case colon(name: String)
    case value(name: String)
    /// In the array of pictures.
    case images(isFirst: Bool)
    /// Behind the first line of JSON Lines.
    case lines
    case end
  }

  public init() {}

  /// Takes the next bytes of the document.
  public mutating func add(_ bytes: some Sequence<UInt8>) {
    if offset > 1 << 16 {
      buffer.removeFirst(offset)
      scan.start -= offset
      scan.place -= offset
      offset = 0
    }
    buffer.append(contentsOf: bytes)
  }

  /// The next picture; nil where more bytes are needed, or at the end.
  public mutating func next() throws(CatalogError) -> CatalogImage? {
    while true {
      skipSpace()
      switch part {
      case .beginning:
        guard let byte = peek else { return nil }
        guard byte == UInt8(ascii: "{") else { throw error("expected an object, as a catalog is") }
        step()
        part = .members(isFirst: true)
      case .members(let isFirst):
        guard let byte = peek else { return nil }
        if byte == UInt8(ascii: "}") {
          step()
          try makeHead()
          part = fields.hasImages ? .end : .lines
          continue
        }
        if !isFirst {
          guard byte == UInt8(ascii: ",") else { throw error("expected \",\" or \"}\"") }
          step()
        }
        part = .name
      case .name:
        guard peek != nil else { return nil }
        guard let name = try name() else { return nil }
        part = .colon(name: name)
      case .colon(let name):
        guard let byte = peek else { return nil }
        guard byte == UInt8(ascii: ":") else { throw error("expected \":\" after a member's name") }
        step()
        part = .value(name: name)
      case .value(let name):
        guard peek != nil, try value(of: name) else { return nil }
      case .images(let isFirst):
        guard let byte = peek else { return nil }
        if byte == UInt8(ascii: "]") {
          step()
          part = .members(isFirst: false)
          continue
        }
        if !isFirst {
          // The comma and what follows it are taken together.
          guard byte == UInt8(ascii: ",") else { throw error("expected \",\" or \"]\"") }
          guard let end = end(of: offset + 1) else { return nil }
          step()
          return try image(to: end)
        }
        guard let end = end(of: offset) else { return nil }
        part = .images(isFirst: false)
        return try image(to: end)
      case .lines:
        guard peek != nil, let end = end(of: offset) else { return nil }
        return try image(to: end)
      case .end:
        guard peek == nil else { throw error("expected nothing behind the catalog") }
        return nil
      }
    }
  }

  /// To be called when all bytes have come and ``next()`` has given nil.
  ///
  /// - Throws: ``CatalogError`` where the document breaks off.
  public mutating func finish() throws(CatalogError) {
    switch part {
    case .end where peek == nil, .lines where peek == nil: return
    default:
      advance(to: buffer.count)
      throw error("the catalog breaks off here")
    }
  }

  // MARK: The document

  /// Takes a member's name; nil where that has not come as a whole.
  private mutating func name() throws(CatalogError) -> String? {
    guard peek == UInt8(ascii: "\"") else { throw error("expected a member's name in quotes") }
    guard let end = end(of: offset) else { return nil }
    var scanner = JSONScanner(buffer, offset..<end)
    let name = try located { () throws(JSONScanner.Failure) in try scanner.string() }
    advance(to: end)
    return name
  }

  /// Takes a member's value, or the beginning of the pictures. Returns false where it has not come as a whole.
  private mutating func value(of name: String) throws(CatalogError) -> Bool {
    if name == "images" {
      guard peek == UInt8(ascii: "["), !fields.hasImages else {
        throw error("expected one array of images, as a catalog has it")
      }
      step()
      fields.hasImages = true
      head = fields.catalog
      part = .images(isFirst: true)
      return true
    }
    guard let end = end(of: offset) else { return false }
    var scanner = JSONScanner(buffer, offset..<end)
    var fields = fields
    try located { () throws(JSONScanner.Failure) in
      do throws(JSONScanner.Failure) {
        try fields.take(name, &scanner)
        guard scanner.isAtEnd() else {
          throw JSONScanner.Failure(offset: scanner.offset, message: "expected \",\" or \"}\"")
        }
      } catch {
        var error = error
        error.path.append(name)
        throw error
      }
    }
    self.fields = fields
    advance(to: end)
    part = .members(isFirst: false)
    return true
  }

  private mutating func makeHead() throws(CatalogError) {
    if let missing = fields.missing {
      throw error("expected a member \"\(missing)\" in it; this may be no catalog")
    }
    head = fields.catalog
  }

  private mutating func image(to end: Int) throws(CatalogError) -> CatalogImage {
    var scanner = JSONScanner(buffer, offset..<end)
    let image = try located { () throws(JSONScanner.Failure) in
      do throws(JSONScanner.Failure) {
        return try scanner.catalogImage()
      } catch {
        var error = error
        error.path.append("[\(count)]")
        error.path.append("images")
        throw error
      }
    }
    count += 1
    advance(to: end)
    return image
  }

  // MARK: Places

  private var peek: UInt8? { offset < buffer.count ? buffer[offset] : nil }

  private static func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
  }

  private mutating func skipSpace() {
    while let byte = peek, Self.isSpace(byte) { step() }
  }

  private mutating func step() { advance(to: offset + 1) }

  private mutating func advance(to place: Int) {
    (line, column) = position(of: place)
    offset = place
  }

  /// The line and the column of a place that is still in the buffer.
  private func position(of place: Int) -> (line: Int, column: Int) {
    var (line, start) = (line, offset - column + 1)
    var index = offset
    while index < place {
      if buffer[index] == 0x0A {
        line += 1
        start = index + 1
      }
      index += 1
    }
    return (line, place - start + 1)
  }

  private func error(_ message: String) -> CatalogError {
    CatalogError(line: line, column: column, member: "", message: message)
  }

  private func located<Value>(
    _ body: () throws(JSONScanner.Failure) -> Value
  ) throws(CatalogError) -> Value {
    do throws(JSONScanner.Failure) {
      return try body()
    } catch {
      let place = position(of: min(error.offset, buffer.count))
      throw CatalogError(
        line: place.line, column: place.column, member: error.member, message: error.message)
    }
  }

  // MARK: Whole values

  /// How far a value has been looked through, so that none is looked through twice.
  private struct Scan {
    var start = -1
    var place = 0
    var depth = 0
    /// Whether anything but blanks has come.
    var hasBegun = false
    var isInString = false
    var isEscaped = false
  }

  /// The end of the value that begins at or behind a place; nil where it has not come as a whole.
  private mutating func end(of start: Int) -> Int? {
    if scan.start != start { scan = Scan(start: start, place: start) }
    while scan.place < buffer.count {
      let byte = buffer[scan.place]
      if scan.isInString {
        if scan.isEscaped {
          scan.isEscaped = false
        } else if byte == UInt8(ascii: "\\") {
          scan.isEscaped = true
        } else if byte == UInt8(ascii: "\"") {
          scan.isInString = false
          if scan.depth == 0 { return ended(at: scan.place + 1) }
        }
      } else {
        switch byte {
        case UInt8(ascii: "\""): scan.isInString = true
        case UInt8(ascii: "{"), UInt8(ascii: "["): scan.depth += 1
        case UInt8(ascii: "}"), UInt8(ascii: "]"):
          if scan.depth <= 1 { return ended(at: scan.depth == 1 ? scan.place + 1 : scan.place) }
          scan.depth -= 1
        // A number or a word ends before these.
        case UInt8(ascii: ","), UInt8(ascii: ":"):
          if scan.depth == 0 { return ended(at: scan.place) }
        case 0x20, 0x0A, 0x0D, 0x09:
          if scan.depth == 0, scan.hasBegun { return ended(at: scan.place) }
          scan.place += 1
          continue
        default: break
        }
        scan.hasBegun = true
      }
      scan.place += 1
    }
    return nil
  }

  private mutating func ended(at place: Int) -> Int {
    scan = Scan()
    return place
  }
}
