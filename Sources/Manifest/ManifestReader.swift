internal import TesseraText

/// Reads a manifest as it streams by: bytes in, entries and problems out, in order.
///
/// The format is told by the first line that is not blank: `{` begins JSON Lines; a header row with
/// a field called `url` is CSV or TSV; anything else is plain text with one URL a line. Rows below what looks like
/// another header row can't be used. Memory does not grow with the manifest.
package struct ManifestReader {
  private var splitter = RecordSplitter()
  private var decoder: (any RecordDecoding)?
  private var isAtStart = true
  private let hiddenParameters: [String]
  private let base: String?

  /// - Parameters:
  ///   - hiddenParameters: query parameters that must not be seen in an id that is made of the URL.
  ///   - base: what relative URLs are relative to; nil where there must be none.
  package init(hiding hiddenParameters: [String] = [], base: String? = nil) {
    self.hiddenParameters = hiddenParameters
    self.base = base
  }

  /// What the beginning of a file says about the rest.
  package enum Shape: Sendable, Equatable {
    /// There were blanks alone so far.
    case unknown
    /// A list, be there bad lines in it.
    case list
    /// No manifest at all. A sentence without its full stop.
    case refused(String)
  }

  /// - Parameters:
  ///   - bytes: at least three, or all there are.
  ///   - isStart: whether these are the first bytes of the file.
  package static func shape(of bytes: [UInt8], isStart: Bool) -> Shape {
    var start = 0
    if isStart {
      switch (bytes.first, bytes.dropFirst().first) {
      case (0xFE, 0xFF), (0xFF, 0xFE), (_, 0x00), (0x00, _):
        return .refused("it is UTF-16; save it as UTF-8")
      default: break
      }
      if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { start = 3 }
    }
    switch bytes[start...].first(where: { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }) {
    case nil: return .unknown
    case UInt8(ascii: "<"): return .refused("it is an HTML or XML page, not a list of URLs")
    case UInt8(ascii: "["):
      return .refused("it is a JSON array; write one object a line (JSON Lines)")
    default: return .list
    }
  }

  /// What the bytes complete.
  package mutating func read(_ bytes: [UInt8]) -> [ManifestRecord] {
    var rest = bytes[...]
    var records: [ManifestRecord] = []
    while let record = splitter.next(in: &rest) {
      if let decoded = decode(record) { records.append(decoded) }
    }
    return records
  }

  /// What is left when the stream has ended.
  package mutating func finish() -> [ManifestRecord] {
    guard let record = splitter.finish(), let decoded = decode(record) else { return [] }
    return [decoded]
  }

  private mutating func decode(_ record: RecordSplitter.Record) -> ManifestRecord? {
    guard case .bytes(var bytes, let line) = record else {
      guard case .tooLong(let line) = record else { return nil }
      isAtStart = false
      return .problem(
        .init(line: line, message: "the line is longer than \(RecordSplitter.maximumLength) bytes"))
    }
    if isAtStart, bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes.removeFirst(3) }
    isAtStart = false
    guard bytes.contains(where: { $0 != 0x20 && $0 != 0x09 }) else { return nil }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      return .problem(.init(line: line, message: "the line is not valid UTF-8"))
    }
    guard let decoder else {
      let (found, isHeader) = Self.decoder(for: text)
      decoder = found
      splitter.separator = found.separatorOfQuotedFields
      return isHeader ? nil : decode(text, line: line, with: found)
    }
    return decode(text, line: line, with: decoder)
  }

  private func decode(
    _ text: String, line: Int, with decoder: any RecordDecoding
  ) -> ManifestRecord {
    do throws(ManifestProblem) {
      var entry = try decoder.entry(from: text, line: line)
      if let base, !entry.url.isEmpty { entry.url = SourceURL.resolve(entry.url, against: base) }
      if entry.hasNoID { entry.id = SourceURL.shown(entry.url, ignoring: hiddenParameters) }
      return .entry(try entry.checked(hasBase: base != nil))
    } catch {
      return .problem(error)
    }
  }

  private static func decoder(for first: String) -> (any RecordDecoding, isHeader: Bool) {
    if first.drop(while: { $0 == " " || $0 == "\t" }).hasPrefix("{") {
      return (JSONLinesDecoder(), false)
    }
    for separator in [Character("\t"), ",", ";"] {
      if let table = TableDecoder(header: first, separator: separator) { return (table, true) }
    }
    for separator in [Character("\t"), ",", ";"] {
      if let mistake = TableDecoder.mistake(inHeader: first, separator: separator) {
        return (UnusableTable(separator: separator, mistake: mistake), false)
      }
    }
    return (PlainTextDecoder(), false)
  }
}

/// Turns one record of a manifest's format into an entry.
protocol RecordDecoding: Sendable {
  /// Where fields in quotes may span lines, what parts the fields.
  var separatorOfQuotedFields: UInt8? { get }
  func entry(from text: String, line: Int) throws(ManifestProblem) -> ManifestEntry
}

extension RecordDecoding {
  var separatorOfQuotedFields: UInt8? { nil }
}

/// A table that does not say where its URLs are. What has a single field may be a URL below a title.
struct UnusableTable: RecordDecoding {
  let separator: Character
  let mistake: String

  func entry(from text: String, line: Int) throws(ManifestProblem) -> ManifestEntry {
    guard !text.contains(separator) else { throw ManifestProblem(line: line, message: mistake) }
    return try PlainTextDecoder().entry(from: text, line: line)
  }
}

/// One URL a line.
struct PlainTextDecoder: RecordDecoding {
  func entry(from text: String, line: Int) throws(ManifestProblem) -> ManifestEntry {
    let url = text.trimmed
    return ManifestEntry(line: line, id: nil, url: url)
  }
}

extension ManifestEntry {
  /// Limits that keep a line from hurting what comes after it. A URL's is what common servers take.
  private static let longestID = 1024
  private static let longestURL = 8192

  fileprivate func checked(hasBase: Bool) throws(ManifestProblem) -> ManifestEntry {
    func fail(_ message: String) throws(ManifestProblem) -> Never {
      throw ManifestProblem(line: line, message: message)
    }
    if id.isEmpty { try fail("the id is empty") }
    if id.utf8.count > Self.longestID {
      try fail("the id is \(id.utf8.count) bytes long; at most \(Self.longestID) are allowed")
    }
    if id.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) {
      try fail("the id has a control character in it")
    }
    if url.isEmpty { try fail("the URL is empty") }
    // A URL that holds its bytes itself may be as long as a line.
    if url.utf8.count > Self.longestURL, SourceURL.scheme(of: url) != "data" {
      try fail("the URL is \(url.utf8.count) bytes long; at most \(Self.longestURL) are allowed")
    }
    if url.unicodeScalars.contains(where: { $0.value < 0x21 || $0.value == 0x7F }) {
      try fail("the URL has a blank or a control character in it; write blanks as %20")
    }
    if !SourceURL.isSource(url) {
      let isRelative = !hasBase && SourceURL.scheme(of: url) == nil
      try fail(
        "the URL must begin with http:// or https:// and name a host, or be a file: or data: URL"
          + (isRelative ? "; relative ones need a \"base\" in the pipeline" : ""))
    }
    if let focus, !(0...1).contains(focus.x) || !(0...1).contains(focus.y) {
      try fail("the focus must be two numbers from 0 to 1, such as [0.5, 0.3]")
    }
    return self
  }
}

extension StringProtocol {
  /// Without blanks and tabs at both ends.
  var trimmed: String {
    let isBlank = { (character: Character) in character == " " || character == "\t" }
    let front = drop(while: isBlank)
    guard let last = front.lastIndex(where: { !isBlank($0) }) else { return "" }
    return String(front[...last])
  }
}
