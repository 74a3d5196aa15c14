internal import TesseraJSON

/// The text of a list: which encoding and which kind of document it is, from its first bytes.
struct ListText {
  enum Kind: Equatable {
    /// JSON Lines, a table, or one URL a line.
    case lines
    /// A JSON array, of such objects as JSON Lines has.
    case array
    /// A feed or a sitemap.
    case xml
    /// One JSON text, as a JSON Feed is.
    case document
  }

  /// Nil while there were only blanks.
  private(set) var kind: Kind?
  private var utf16: UTF16Decoder?
  private var isEncodingKnown = false
  /// Bytes that have to wait for others.
  private var start: [UInt8] = []
  private var head: [UInt8] = []

  /// A longer line is not JSON Lines.
  private static let mostHead = RecordSplitter.maximumLength
  static let page = "it is an HTML page, not a list of URLs"
  private static let noText = "it is not a text; a list is one in UTF-8 or UTF-16"
  private static let database =
    "it is a SQLite database; say what its images are: manifest: {sqlite: FILE, query: \"SELECT …\"}"
  private static let workbook =
    "it is a workbook (.xlsx) or another ZIP archive; save its table as \"CSV UTF-8\""
  /// The first bytes of a SQLite database ("Database File Format", section 1.3), and of a ZIP archive (APPNOTE.TXT, 4.3.7).
  private static let sqlite = Array("SQLite format 3\0".utf8)
  private static let zip: [UInt8] = [0x50, 0x4B, 0x03, 0x04]
  /// Whether the text was converted, so that what it says of its encoding is wrong.
  var isConverted: Bool { utf16 != nil }

  /// The text that these bytes complete, as UTF-8. Empty while the kind is not known.
  mutating func take(_ bytes: [UInt8]) throws(ListRejection) -> [UInt8] {
    if isEncodingKnown { return try pass(utf16?.decode(bytes) ?? bytes, isEnd: false) }
    start += bytes
    guard start.count >= byteOrderMark.count else { return [] }
    return try takeStart()
  }

  mutating func finish() throws(ListRejection) -> [UInt8] {
    let text = isEncodingKnown ? [] : try takeStart()
    return text + (try pass(utf16?.finish() ?? [], isEnd: true))
  }

  private static func isBlank(_ byte: UInt8) -> Bool { [0x20, 0x09, 0x0A, 0x0D].contains(byte) }

  private mutating func takeStart() throws(ListRejection) -> [UInt8] {
    isEncodingKnown = true
    utf16 = UTF16Decoder(beginning: start)
    defer { start = [] }
    var bytes = utf16?.decode(start) ?? start
    if bytes.starts(with: byteOrderMark) { bytes.removeFirst(byteOrderMark.count) }
    return try pass(bytes, isEnd: false)
  }

  private mutating func pass(_ bytes: [UInt8], isEnd: Bool) throws(ListRejection) -> [UInt8] {
    if kind != nil { return bytes }
    head += bytes
    let text = head.drop(while: Self.isBlank)
    switch text.first {
    case nil:
      // A small compressed file may hold gigabytes of line ends.
      if !isEnd { return takeHead() }
      kind = .lines
    case 0: throw ListRejection(reason: Self.noText)
    case UInt8(ascii: "<"):
      let page = "<!doctype html"
      guard isEnd || text.count >= page.utf8.count else { return [] }
      let beginning = String(decoding: text.prefix(page.utf8.count), as: UTF8.self).lowercased()
      if beginning == page || beginning.hasPrefix("<html") {
        throw ListRejection(reason: Self.page)
      }
      kind = .xml
    case UInt8(ascii: "["): kind = .array
    case UInt8(ascii: "{"):
      guard let found = JSONBeginning(text, isEnd: isEnd, most: Self.mostHead).kind else {
        return []
      }
      kind = found
    case UInt8(ascii: "S"), UInt8(ascii: "P"):
      guard isEnd || text.count >= Self.sqlite.count else { return [] }
      if text.starts(with: Self.sqlite) { throw ListRejection(reason: Self.database) }
      if text.starts(with: Self.zip) { throw ListRejection(reason: Self.workbook) }
      kind = .lines
    default: kind = .lines
    }
    return takeHead()
  }

  /// Lines have numbers, and keep the blank ones before them. Nothing may stand before what an XML text says of itself.
  private mutating func takeHead() -> [UInt8] {
    defer { head = [] }
    return kind == .xml || kind == .document ? Array(head.drop(while: Self.isBlank)) : head
  }
}

/// What a text that begins with "{" is: JSON Lines, or one JSON text, such as a JSON Feed.
struct JSONBeginning {
  /// Nil if more of the text is needed.
  let kind: ListText.Kind?

  /// What says that an object is a JSON Feed (JSON Feed 1.1, "Top-level"). The order of members is free.
  static func isFeed(version: String?) -> Bool {
    version?.contains("jsonfeed.org/version") == true
  }

  /// - Parameters:
  ///   - text: the beginning of the list, without blanks before it.
  ///   - isEnd: whether it is the whole list.
  ///   - most: the bytes of the longest line of JSON Lines.
  init(_ text: ArraySlice<UInt8>, isEnd: Bool, most: Int) {
    let isLong = isEnd || text.count >= most
    let line = text.prefix { $0 != 0x0A && $0 != 0x0D }
    let isWhole = line.count < text.count
    guard isLong || isWhole else {
      kind = nil
      return
    }
    // A line of JSON Lines is an object. What goes on with a member is one text on several lines.
    if let last = line.last(where: { !Self.isBlank($0) }), "{,".utf8.contains(last) {
      let next = text.dropFirst(line.count).first { !Self.isBlank($0) }
      if next == nil, !isLong {
        kind = nil
        return
      }
      if next == UInt8(ascii: "\"") {
        kind = .document
        return
      }
    }
    kind = Self.isFeed(line, isTooLong: !isWhole && !isEnd) ? .document : .lines
  }

  private static func isBlank(_ byte: UInt8) -> Bool { [0x20, 0x09, 0x0A, 0x0D].contains(byte) }

  /// - Parameter isTooLong: whether it can't be a line; then items are enough, as the version may come after them.
  private static func isFeed(_ line: ArraySlice<UInt8>, isTooLong: Bool) -> Bool {
    var scanner = JSONScanner(Array(line))
    var isFeed = false
    do throws(JSONScanner.Failure) {
      try scanner.members { scanner, name, _ throws(JSONScanner.Failure) in
        switch (name, try scanner.kind(depth: 0)) {
        case ("version", .string): isFeed = Self.isFeed(version: try scanner.string())
        case ("items", .array):
          isFeed = isFeed || isTooLong
          try scanner.skip(depth: 1)
        case (_, .bool), (_, .null): break
        default: try scanner.skip(depth: 1)
        }
      }
    } catch {
      // It is cut off, or not JSON, which is reported when it is read. What it says up to there counts.
    }
    return isFeed
  }
}
