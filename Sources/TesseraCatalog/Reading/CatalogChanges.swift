internal import TesseraJSON

/// The changes from one catalog to the next, which an app applies to the document that it has instead of fetching the whole:
/// `from-<digest>.json` beside the catalog, and what `tessera diff --changes` writes.
///
///     {"schema":"tessera-changes/1","from":"…","to":"…","head":"{…\"images\":[","lines":[[0,41],"{\"id\":…}",[43,99]]}
///
/// `head` is the first line of the new document. Each element of `lines` is a range of images of the old document, first and
/// last, counted from 0; or the line of an image, without its comma.
public struct CatalogChanges: Sendable {
  /// The document's schema and major version.
  public static let schema = "tessera-changes/1"

  /// The digest of the catalog that the changes are for.
  public private(set) var from = ""
  /// The digest of the catalog that results.
  public private(set) var to = ""
  private var head: [UInt8] = []
  private var lines: [Element] = []

  private enum Element: Sendable {
    case old(first: Int, last: Int)
    case line([UInt8])
  }

  /// - Throws: ``CatalogError`` if the bytes are no such document.
  public init(reading bytes: some Sequence<UInt8>) throws(CatalogError) {
    var scanner = JSONScanner(Array(bytes))
    var isOurs = false
    do throws(JSONScanner.Failure) {
      try scanner.object { scanner, name throws(JSONScanner.Failure) in
        switch name {
        case "schema": isOurs = try scanner.string() == Self.schema
        case "from": from = try scanner.string()
        case "to": to = try scanner.string()
        case "head": head = Array(try scanner.string().utf8)
        case "lines": lines = try Self.elements(&scanner)
        default: try scanner.skip()
        }
      }
      guard scanner.isAtEnd() else {
        throw JSONScanner.Failure(
          offset: scanner.offset, message: "expected nothing after the changes")
      }
    } catch {
      throw CatalogError(error)
    }
    guard isOurs, !from.isEmpty, !to.isEmpty, !head.isEmpty else {
      throw CatalogError("expected \"\(Self.schema)\" with from, to, head and lines")
    }
  }

  private static func elements(
    _ scanner: inout JSONScanner
  ) throws(JSONScanner.Failure) -> [Element] {
    var elements: [Element] = []
    try scanner.array { scanner throws(JSONScanner.Failure) in
      scanner.skipSpace()
      let start = scanner.offset
      if scanner.peek == UInt8(ascii: "\"") {
        elements.append(.line(Array(try scanner.string().utf8)))
        return
      }
      var ends: [Int] = []
      try scanner.array { scanner throws(JSONScanner.Failure) in ends.append(try scanner.int()) }
      guard ends.count == 2, ends[0] >= 0, ends[0] <= ends[1] else {
        throw JSONScanner.Failure(
          offset: start, message: "expected a line, or the first and the last of a range of lines")
      }
      elements.append(.old(first: ends[0], last: ends[1]))
    }
    return elements
  }

  /// The document of the catalog that results: what an app stores, so that the next changes apply to it.
  ///
  /// - Parameters:
  ///   - document: of the catalog that the changes are for, as it was written.
  ///   - sha256: the hash function that the app has; its 32 bytes.
  /// - Throws: ``CatalogError`` if the document is another one, or if the result has not the digest that the changes state. Then
  ///   the app fetches the whole catalog.
  public func applied(
    to document: [UInt8], sha256: (_ bytes: [UInt8]) -> some Sequence<UInt8>
  ) throws(CatalogError) -> [UInt8] {
    guard let digest = CatalogDocument.statedDigest(of: document), digest == from else {
      throw CatalogError("the changes are for the catalog \(from), and this is another one")
    }
    if to == from { return document }
    let old = try Self.lines(of: document)
    var new: [ArraySlice<UInt8>] = []
    var length = 0
    for element in lines {
      // Lines may come again: a small document could lead to a huge one.
      guard length < 1 << 31 else {
        throw CatalogError("the changes lead to a catalog of more than 2 GiB")
      }
      switch element {
      case .line(let line):
        new.append(line[...])
        length += line.count
      case .old(let first, let last):
        guard last < old.count else {
          throw CatalogError(
            "the changes name the images \(first) to \(last) of a catalog with \(old.count)")
        }
        // With the commas and line feeds between them.
        new.append(document[old[first].startIndex..<old[last].endIndex])
        length += new[new.count - 1].count
      }
    }
    let result = CatalogDocument.document(head: head, new)
    guard CatalogDocument.statedDigest(of: result) == to,
      Catalog.hexadecimal(sha256(Array(result[CatalogDocument.digested...]))) == to
    else {
      throw CatalogError("the changes do not lead to the catalog \(to), as they state")
    }
    // Also a document of the digest that they state may not be a catalog.
    _ = try Self.lines(of: result)
    return result
  }

  private static func lines(of document: [UInt8]) throws(CatalogError) -> [ArraySlice<UInt8>] {
    var reader = CatalogReader()
    reader.add(document)
    var lines: [ArraySlice<UInt8>] = []
    while let (text, place) = try reader.nextText() {
      lines.append(document[place..<place + text.count])
    }
    try reader.finish()
    return lines
  }
}

extension CatalogError {
  /// Of a whole document.
  init(_ message: String) { self.init(line: 1, column: 1, member: "", message: message) }
}

extension Catalog {
  /// The URL of the changes that lead from this catalog to the current one. A run writes them beside `catalog.json`; there are
  /// none for a catalog that is too old, or that was never published.
  ///
  /// - Parameter source: the URL of the catalog. Its query and its fragment are left out, as in the URLs of files.
  /// - Returns: nil if the catalog has no ``digest`` of 64 hexadecimal digits.
  public func changesURL(from source: String) -> String? {
    guard let digest, digest.utf8.count == 64,
      digest.utf8.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0) })
    else { return nil }
    return CatalogContext.resolve("from-\(digest).json", against: source)
  }

  /// Reads a whole catalog, and verifies its digest.
  ///
  /// - Parameters:
  ///   - bytes: of the document.
  ///   - sha256: the hash function that the app has; its 32 bytes.
  /// - Throws: ``CatalogError`` as ``init(reading:skipping:)``, and if the document has another digest than it states.
  public init(
    reading bytes: some Collection<UInt8>,
    verifiedBy sha256: (_ bytes: [UInt8]) -> some Sequence<UInt8>
  ) throws(CatalogError) {
    try self.init(reading: bytes)
    try verify(bytes, sha256)
  }

  /// - Throws: ``CatalogError`` if a document has another digest than the catalog states.
  func verify(
    _ document: some Collection<UInt8>, _ sha256: (_ bytes: [UInt8]) -> some Sequence<UInt8>
  ) throws(CatalogError) {
    let found = Self.hexadecimal(sha256(Array(document.dropFirst(CatalogDocument.digested))))
    guard found == digest else {
      throw CatalogError(
        line: 1, column: 1, member: "digest",
        message:
          "the catalog was altered: its digest is \(found), and it states \(digest ?? "none")"
      )
    }
  }

  static func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
    let digits = Array("0123456789abcdef")
    var text = ""
    for byte in bytes {
      text.append(digits[Int(byte >> 4)])
      text.append(digits[Int(byte & 15)])
    }
    return text
  }
}
