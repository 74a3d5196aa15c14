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
/// The catalog must be as it was written, with one image a line. The reader ignores members that this version does not know.
public struct CatalogReader: Sendable {
  /// Everything but the images; its `images` are empty. Nil until the first line has arrived.
  public private(set) var head: Catalog?
  /// Whether an image that can't be read is skipped, and noted in ``problems``. Without it, which is the default, the
  /// first such image ends the reading: in a catalog that a run wrote there is none.
  public var skipsBadImages = false
  /// Why images were skipped.
  public private(set) var problems: [CatalogError] = []

  /// The members of ``head`` as they were written, and those that this version does not know: a JSON object.
  package private(set) var headText: [UInt8] = []
  /// The number of the next line, from 1.
  package private(set) var line = 1

  private let update: (@Sendable (_ bytes: [UInt8]) -> Void)?
  private var state = State.head
  /// Lines that were read stay until there are ``mostReadBytes`` of them: removing them moves all the others.
  private var bytes: [UInt8] = []
  /// The next byte to read.
  private var offset = 0
  /// Up to here there is no line break.
  private var searched = 0
  /// Bytes of the document before those in memory.
  private var dropped = 0
  /// Images read so far, with those that were skipped.
  private var count = 0
  private var statedCount: Int?

  private static let mostReadBytes = 1 << 16

  /// What the next line is.
  private enum State {
    case head
    /// An image, or the end: the line before it ends in a comma only if another image follows.
    case image(isExpected: Bool?)
    case end
  }

  /// A reader at the start of a document.
  public init() { update = nil }

  /// A reader that also computes the catalog's digest.
  ///
  /// - Parameter update: called with the bytes that the digest is of, in their order. Once ``finish()`` has returned, their
  ///   SHA-256 is the ``Catalog/digest`` of a catalog that is whole and unaltered.
  public init(hashing update: @escaping @Sendable (_ bytes: [UInt8]) -> Void) {
    self.update = update
  }

  /// Adds the next bytes of the document.
  public mutating func add(_ new: some Sequence<UInt8>) {
    if offset > Self.mostReadBytes {
      bytes.removeFirst(offset)
      searched -= offset
      dropped += offset
      offset = 0
    }
    bytes.append(contentsOf: new)
  }

  /// The next image; nil if more bytes are needed, or at the end.
  public mutating func next() throws(CatalogError) -> CatalogImage? {
    while let text = try nextLine() {
      do throws(CatalogError) {
        return try image(text)
      } catch {
        guard skipsBadImages else { throw error }
        problems.append(error)
      }
    }
    return nil
  }

  /// The next image with its place in the document, in bytes, and its text; nil as for ``next()``. None is skipped.
  package mutating func nextPlaced()
    throws(CatalogError) -> (image: CatalogImage, place: Range<Int>, text: ArraySlice<UInt8>)?
  {
    guard let text = try nextLine() else { return nil }
    let start = dropped + text.lowerBound
    return (try image(text), start..<start + text.count, bytes[text])
  }

  /// The next image as it was written, with its place in the document in bytes; nil as for ``next()``. Its text may not be
  /// valid JSON.
  package mutating func nextText() throws(CatalogError) -> (text: ArraySlice<UInt8>, offset: Int)? {
    try nextLine().map { (bytes[$0], dropped + $0.lowerBound) }
  }

  /// Checks that the document is complete. Call it after the last bytes, when ``next()`` has returned
  /// nil.
  ///
  /// - Throws: ``CatalogError`` if the document is cut off, or its images are not as many as it
  ///   states.
  public mutating func finish() throws(CatalogError) {
    // The head of a text that is not a catalog may have no line break.
    if case .head = state, offset < bytes.count { throw error(CatalogDocument.otherForm) }
    guard case .end = state else {
      throw error("the catalog is cut off here", column: bytes.count - offset + 1)
    }
    guard offset == bytes.count else { throw error("expected nothing after the catalog") }
    if let statedCount, statedCount != count {
      throw error("the catalog has \(count) of its \(statedCount) images")
    }
  }

  // MARK: Lines

  /// Reads the first line, and nothing more. Returns whether it has arrived.
  package mutating func readHead() throws(CatalogError) -> Bool {
    guard case .head = state else { return true }
    // Before the whole line has arrived: what is not a catalog may have no line break at all.
    guard zip(bytes[offset...], CatalogDocument.start).allSatisfy({ $0 == $1 }) else {
      throw error(CatalogDocument.otherForm)
    }
    guard let line = takeLine() else { return false }
    try readHead(line)
    return true
  }

  /// The text of the next image, in ``bytes``.
  private mutating func nextLine() throws(CatalogError) -> Range<Int>? {
    guard try readHead(), let line = takeLine() else { return nil }
    return try image(line)
  }

  /// The next line without its line break; nil if it has not arrived.
  private mutating func takeLine() -> Range<Int>? {
    guard let end = bytes[searched...].firstIndex(of: UInt8(ascii: "\n")) else {
      searched = bytes.count
      return nil
    }
    let line = offset..<end
    (offset, searched) = (end + 1, end + 1)
    self.line += 1
    if let update {
      let start =
        head == nil ? min(end, line.lowerBound + CatalogDocument.digested) : line.lowerBound
      update(Array(bytes[start...end]))
    }
    return line
  }

  private mutating func readHead(_ line: Range<Int>) throws(CatalogError) {
    guard let object = CatalogDocument.object(ofFirstLine: bytes[line]) else {
      throw CatalogError(line: 1, column: 1, member: "", message: CatalogDocument.otherForm)
    }
    (head, statedCount) = try Catalog.head(reading: object)
    headText = object
    state = .image(isExpected: nil)
  }

  /// The text of an image in a line; nil if it is the last line.
  private mutating func image(_ line: Range<Int>) throws(CatalogError) -> Range<Int>? {
    guard case .image(let isExpected) = state else {
      throw lastLine("expected nothing after the catalog")
    }
    if bytes[line].elementsEqual("]}".utf8) {
      guard isExpected != true else { throw lastLine("expected an image after the comma") }
      state = .end
      return nil
    }
    guard isExpected != false else {
      throw CatalogError(
        line: self.line - 2, column: 1, member: "",
        message: "expected a comma at the end of the line")
    }
    guard bytes[line].first == UInt8(ascii: "{") else {
      throw lastLine(
        "expected an image, which begins with {, or ]} on the last line",
        line.isEmpty ? "" : "images[\(count)]")
    }
    let hasComma = bytes[line].last == UInt8(ascii: ",")
    state = .image(isExpected: hasComma)
    count += 1
    return line.lowerBound..<line.upperBound - (hasComma ? 1 : 0)
  }

  private func image(_ text: Range<Int>) throws(CatalogError) -> CatalogImage {
    do throws(CatalogError) {
      return try CatalogImage(reading: bytes, text, head?.formats ?? [])
    } catch {
      let place = "images[\(count - 1)]"
      throw CatalogError(
        line: line - 1, column: error.column,
        member: error.member.isEmpty ? place : "\(place).\(error.member)", message: error.message)
    }
  }

  /// An error in the line that was taken last.
  private func lastLine(_ message: String, _ member: String = "") -> CatalogError {
    CatalogError(line: line - 1, column: 1, member: member, message: message)
  }

  private func error(_ message: String, column: Int = 1) -> CatalogError {
    CatalogError(line: line, column: column, member: "", message: message)
  }
}

/// Why a catalog cannot be read, and where.
public struct CatalogError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The place in the document. Lines and columns count from 1; a column is one byte.
  public var line: Int
  /// In bytes from the start of the line, from 1.
  public var column: Int
  /// The path to the member: `images[3].variants[0].width`. Empty for the document itself.
  public var member: String
  /// What was expected, and what was found: a clause.
  public var message: String

  /// An error at a place of a document.
  public init(line: Int, column: Int, member: String, message: String) {
    self.line = line
    self.column = column
    self.member = member
    self.message = message
  }

  /// `line 7, column 12: images[3].width: expected a whole number, found "wide"`.
  public var description: String {
    "line \(line), column \(column): \(member.isEmpty ? "" : "\(member): ")\(message)"
  }
}
