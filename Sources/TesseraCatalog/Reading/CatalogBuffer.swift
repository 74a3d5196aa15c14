internal import TesseraJSON

/// The bytes of a document that have arrived and are not read yet, with their line and column.
struct CatalogBuffer: Sendable {
  /// Bytes that were read stay until there are this many: removing them moves all the others.
  private static let mostReadBytes = 1 << 16

  private var bytes: [UInt8] = []
  /// The next byte to read.
  private(set) var offset = 0
  /// The place of that byte in the document, from 1.
  private(set) var line = 1
  private var column = 1
  private var boundary = JSONBoundary()
  /// Bytes of the document before the buffer's.
  private var dropped = 0

  /// The place of the next byte in the document, in bytes.
  var documentOffset: Int { dropped + offset }

  /// The bytes from the next one up to an end.
  func text(to end: Int) -> ArraySlice<UInt8> { bytes[offset..<end] }

  mutating func append(_ new: some Sequence<UInt8>) {
    if offset > Self.mostReadBytes {
      bytes.removeFirst(offset)
      boundary.removedFirst(offset)
      dropped += offset
      offset = 0
    }
    bytes.append(contentsOf: new)
  }

  var peek: UInt8? { offset < bytes.count ? bytes[offset] : nil }

  mutating func skipSpace() {
    while let byte = peek, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { step() }
  }

  mutating func step() { advance(to: offset + 1) }

  mutating func advance(to place: Int) {
    (line, column) = position(of: place)
    offset = place
  }

  mutating func advanceToEnd() { advance(to: bytes.count) }

  /// The end of the value that begins at or behind an offset; nil if more bytes are needed.
  mutating func end(of start: Int) -> Int? { boundary.end(of: start, in: bytes) }

  /// A scanner for all bytes that are not read yet.
  var scanner: JSONScanner { scanner(to: bytes.count) }

  /// A scanner for the bytes up to an end.
  func scanner(to end: Int) -> JSONScanner { JSONScanner(bytes, offset..<end) }

  /// An error at the next byte.
  func error(_ message: String) -> CatalogError {
    CatalogError(line: line, column: column, member: "", message: message)
  }

  /// Runs a body that scans this buffer, and gives its failure a line and a column.
  func located<Value>(
    _ body: () throws(JSONScanner.Failure) -> Value
  ) throws(CatalogError) -> Value {
    do throws(JSONScanner.Failure) {
      return try body()
    } catch {
      let place = position(of: min(error.offset, bytes.count))
      throw CatalogError(
        line: place.line, column: place.column, member: error.member, message: error.message)
    }
  }

  /// The line and the column of an offset that is not before the next byte.
  private func position(of place: Int) -> (line: Int, column: Int) {
    var (line, start) = (line, offset - column + 1)
    var index = offset
    while index < place {
      if bytes[index] == 0x0A {
        line += 1
        start = index + 1
      }
      index += 1
    }
    return (line, place - start + 1)
  }
}
