internal import TesseraText

/// The result of reading one record of a manifest.
package enum ManifestRecord: Sendable, Equatable {
  case entry(ManifestEntry)
  case problem(ManifestProblem)

  var line: Int {
    switch self {
    case .entry(let entry): entry.line
    case .problem(let problem): problem.line
    }
  }

  package var isEntry: Bool {
    if case .entry = self { true } else { false }
  }
}

/// Why a line cannot be used. The run continues without it.
package struct ManifestProblem: Error, Sendable, Equatable, Encodable {
  package var line: Int
  /// A sentence without its full stop: what was expected, what was found.
  package var message: String
  /// The list that has the line; nil if the manifest is one list.
  package private(set) var list: String?

  private enum CodingKeys: String, CodingKey {
    case list = "manifest"
    case line, message
  }

  /// The problem as one of a list among several.
  package func of(_ list: String) -> ManifestProblem {
    var problem = self
    problem.list = list
    return problem
  }

  /// Where it is, in words: `line 3`, or `line 3 of "a.csv"`.
  package var place: String { "line \(line)" + (list.map { " of \"\($0)\"" } ?? "") }
  /// The message, with the list if there are several.
  package var text: String { message + (list.map { " (in \"\($0)\")" } ?? "") }

  package init(line: Int, message: String) {
    self.line = line
    self.message = message
  }
}

/// Decodes the records of a manifest in one format.
protocol RecordDecoding: Sendable {
  /// The byte between fields, in formats whose quoted fields may span lines; nil in others.
  var separatorOfQuotedFields: UInt8? { get }
  /// Whether a line is for people only.
  func isComment(_ text: String) -> Bool
  /// Whether the last record of a list, which has no line end, is the beginning of a record only.
  func isCutOff(_ text: String) -> Bool
  /// Whether what a record means may depend on those before it. If not, records of the same text mean the same.
  var joinsRows: Bool { get }
  /// To be called for a record that can't be read, and is therefore not passed to ``entries(from:line:_:)``.
  mutating func loseRecord()
  /// Decodes one record, which may have several images or none. The caller resolves a relative URL, derives a missing id
  /// and checks limits.
  mutating func entries(
    from text: String, line: Int, _ omitted: inout OmittedRows
  ) throws(ManifestProblem) -> [ManifestEntry]
}

extension RecordDecoding {
  var separatorOfQuotedFields: UInt8? { nil }
  func isComment(_ text: String) -> Bool { false }
  func isCutOff(_ text: String) -> Bool { false }
  var joinsRows: Bool { false }
  mutating func loseRecord() {}
}

/// Plain text: one URL per line. Lines that begin with a number sign are comments, as in `text/uri-list`
/// (RFC 2483, section 5).
struct PlainTextDecoder: RecordDecoding {
  func isComment(_ text: String) -> Bool { text.trimmed.hasPrefix("#") }

  func entries(
    from text: String, line: Int, _ omitted: inout OmittedRows
  ) throws(ManifestProblem) -> [ManifestEntry] {
    [ManifestEntry(line: line, id: nil, url: text.trimmed)]
  }
}

/// The rows and items of a list that are not images, counted.
package struct OmittedRows: Sendable, Equatable {
  package enum Reason: Sendable, Equatable {
    /// Without the URL of an image.
    case imageless
    /// With an image, of what the list says is not published.
    case unpublished
  }

  private(set) package var imageless = 0
  private(set) package var unpublished = 0
  /// The id of a row that is looked for; nil for none.
  private let wanted: Identifier?
  /// Why the row with that id is none; nil if there is none so far.
  package private(set) var found: (line: Int, reason: Reason)?

  package init(lookingFor id: String? = nil) { wanted = Identifier(id) }

  /// - Parameter id: of the row; nil if it has none.
  mutating func add(_ reason: Reason, line: Int, id: @autoclosure () -> String? = nil) {
    switch reason {
    case .imageless: imageless += 1
    case .unpublished: unpublished += 1
    }
    // Of several rows of a draft, some may have no image.
    guard let wanted, found?.reason != .unpublished, found == nil || reason == .unpublished,
      Identifier(id()) == wanted
    else { return }
    found = (line, reason)
  }

  package static func + (one: Self, other: Self) -> Self {
    var sum = one
    sum.imageless += other.imageless
    sum.unpublished += other.unpublished
    sum.found = one.found ?? other.found
    return sum
  }

  package static func == (one: Self, other: Self) -> Bool {
    one.imageless == other.imageless && one.unpublished == other.unpublished
  }
}
