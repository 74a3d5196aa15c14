internal import TesseraBytes
internal import TesseraText

/// What is known of an item by the last run that looked at it, without its line of the catalog.
package struct ItemState: Sendable {
  /// In its line.
  package var status: String
  /// Of the line, and of the names of its files; nil without any.
  var sum: Int
  var files: String?
  package var source: String
  /// Nil if it is the source's.
  var request: String?
  var placeholder: String?

  static let columns = "\(status), sum, source, request, placeholder, files"
  /// Most often `ok`: SQL.
  static let status = "coalesce(status, 'ok')"
  static let width = 6

  init(
    status: String, sum: Int, files: String?, source: String, request: String?,
    placeholder: String?
  ) {
    (self.status, self.sum, self.files) = (status, sum, files)
    (self.source, self.request, self.placeholder) = (source, request, placeholder)
  }

  /// A row that begins with ``columns``; nil for an item without a result.
  init?(_ row: Statement.Row) {
    guard !row.isNull(1) else { return nil }
    self.init(
      status: row.text(0), sum: row.int(1), files: row.optionalKey(5), source: row.key(2),
      request: row.optionalKey(3), placeholder: row.optionalKey(4))
  }

  /// What the item has, besides the bytes of its source.
  var possessions: Set<Possession> {
    var names: Set<Possession> = [
      Possession(.sources, source), Possession(.rejections, request ?? source),
    ]
    if let files { names.insert(Possession(.files, files)) }
    if let placeholder { names.insert(Possession(.placeholders, placeholder)) }
    return names
  }
}

/// Something that an item has in an output: files, or a row of a table of the state.
package struct Possession: Sendable, Hashable {
  package enum Kind: String, Sendable, CaseIterable {
    case files, sources, rejections, contents, placeholders
  }

  package var kind: Kind
  /// What the names of files begin with, or a key.
  package var name: String

  init(_ kind: Kind, _ name: String) { (self.kind, self.name) = (kind, name) }

  /// As it is stored.
  var values: [Statement.Value] { [.text(kind.rawValue), .key(name)] }

  /// A row that begins with such values; nil if it has no such kind.
  init?(_ row: Statement.Row) {
    guard let kind = Kind(rawValue: row.text(0)) else { return nil }
    self.init(kind, row.key(1))
  }
}

/// What a run decided about an item.
package struct ItemResult: Sendable {
  package var id: String
  /// The item's line of the catalog. It is not stored.
  package var line: String
  /// The status in that line.
  package var status: String
  package var reasons: [Reason]
  /// Nil if no later run may reuse the line.
  package var inputs: LineInputs?
  /// The key of the placeholder that the line shows, or may show in a later run.
  package var placeholder: String?
  /// What the names of its files begin with; nil without any.
  package var files: String?
  /// The host of the URL that the line shows; only of an item that failed or is stale.
  package var host: String?
  /// Whether the source is gone, as ``StateStore/lostSince(_:now:)`` has noted.
  package var isLost = false

  package init(
    id: String, line: String, status: String, reasons: [Reason], inputs: LineInputs? = nil,
    placeholder: String? = nil, files: String? = nil, host: String? = nil
  ) {
    (self.id, self.line, self.status, self.reasons) = (id, line, status, reasons)
    (self.inputs, self.placeholder, self.files, self.host) = (inputs, placeholder, files, host)
  }
}

/// What shaped an item's line of the catalog besides the item: a later run takes the line from the last catalog if all of it is
/// unchanged.
package struct LineInputs: Sendable {
  /// A digest of everything in the pipeline that shapes the line.
  package var settings: String
  /// A digest of everything that the manifest says about the item.
  package var entry: String
  /// The key of the source.
  package var source: String

  package init(settings: String, entry: String, source: String) {
    (self.settings, self.entry, self.source) = (settings, entry, source)
  }

  /// What is stored of a line: 32 bits. The bytes of its chunk have a sum of their own.
  package static func sum(of line: some Sequence<UInt8>) -> Int {
    Int(Int32(bitPattern: CRC32.of(Array(line))))
  }

  /// What a line is recognized by: its sum, and what it was made of.
  ///
  /// - Parameter source: as it is known.
  package func mark(_ id: String, sum: Int, _ source: SourceRecord) -> Int {
    Self.mark(id, sum: sum, settings: settings, entry: Self.short(entry), source)
  }

  static func mark(
    _ id: String, sum: Int, settings: String, entry: Int, _ source: SourceRecord
  ) -> Int {
    RecordMark.of(
      id,
      [
        .int(sum), .key(settings), .int(entry), .key(source.content), .optional(source.url),
        .optional(source.robots), .optional(source.confirmation.etag),
        .optional(source.confirmation.lastModified),
      ])
  }

  /// What is stored of a digest that only tells two lines of one manifest apart.
  static func short(_ entry: String) -> Int { RecordMark.of(entry, []) }
}
