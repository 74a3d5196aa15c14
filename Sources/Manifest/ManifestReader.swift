internal import TesseraJSON
package import TesseraText

/// U+FEFF in UTF-8. Some programs write it before the text; it is not part of the first line.
let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

/// Reads a manifest as a stream: bytes in, entries and problems out, in order.
///
/// The first line that is not blank decides the format: `{` begins JSON Lines; a header row with a
/// field `url`, or with the columns of a mapping, means CSV or TSV; anything else is plain text with one URL per line. A
/// first line that looks like another header row is a ``rejection``. Memory does not grow with the manifest.
package struct ManifestReader {
  var splitter = RecordSplitter()
  var builder = PartBuilder()
  private var decoder: (any RecordDecoding)?
  /// Nil unless the manifest is a part of one that was split.
  package private(set) var split: SplitManifest?
  private var isAtStart = true
  private let shown: ShownURLs
  private let resolve: (@Sendable (String) -> String?)?
  /// Nil keeps all other members with their entries, for a manifest that is only split.
  private let extra: ExtraMembers?
  private let requiresIDs: Bool
  let columns: ColumnMapping?
  /// Why no line of the list can be used; nil if they can, and before the first one.
  package private(set) var rejection: ListRejection?
  /// The rows so far that are not images.
  package private(set) var omitted: OmittedRows
  private var lastPublished:
    (line: Int, own: String?, others: OtherMembers, extra: Result<String?, ManifestProblem>)?
  /// The members so far that do not become public.
  package private(set) var leftOut = LeftOutMembers()
  /// How many URLs so far have secrets, which are not shown.
  package private(set) var secrets = 0
  /// How many URLs so far had characters that a URL can't have, and are encoded.
  package private(set) var encoded = 0

  /// - Parameters:
  ///   - shown: makes the id of an entry without one from its URL.
  ///   - resolve: returns the absolute URL that a reference means, or nil for one that is malformed.
  ///     If this is nil, relative references are problems.
  ///   - extra: which other members become public.
  ///   - columns: where a list has what; nil if it has Tessera's own names.
  ///   - requiresIDs: whether an entry without an id is a problem, because its URL would become public.
  ///   - id: of a row that may not be an image, and is looked for.
  package init(
    shown: ShownURLs = ShownURLs(), resolve: (@Sendable (String) -> String?)? = nil,
    columns: ColumnMapping? = nil, extra: ExtraMembers? = .named([]), requiresIDs: Bool = false,
    lookingFor id: String? = nil
  ) {
    omitted = OmittedRows(lookingFor: id)
    self.columns = columns
    self.shown = shown
    self.extra = extra
    self.requiresIDs = requiresIDs
    self.resolve = resolve
  }

  /// Consumes bytes, and returns the records that they complete: at most `limit`, because a line of
  /// two bytes makes a record of some hundred. With fewer, all bytes are consumed.
  package mutating func read(
    _ bytes: inout ArraySlice<UInt8>, limit: Int
  ) -> [ManifestRecord] {
    var records: [ManifestRecord] = []
    while records.count < limit, let record = splitter.next(in: &bytes) {
      records += decode(record)
    }
    return records
  }

  /// All records that these bytes complete.
  package mutating func read(_ bytes: [UInt8]) -> [ManifestRecord] {
    var rest = bytes[...]
    return read(&rest, limit: .max)
  }

  /// The last record, at the end of the stream.
  package mutating func finish() -> [ManifestRecord] {
    lastRecord().map { decode($0) } ?? []
  }

  /// The last record, if the list does not end with a line end. If it is not whole, the list was cut off, and what came
  /// after it is missing, too: that is a ``rejection``.
  mutating func lastRecord() -> RecordSplitter.Record? {
    if splitter.elements?.isOpen == true {
      rejection = ListRejection(
        reason:
          "it is cut off after line \(splitter.lastLine): its JSON array has no end; make or fetch the list again"
      )
      return nil
    }
    guard let record = splitter.finish() else { return nil }
    guard let decoder, split == nil, let bytes = record.bytes, bytes.last != UInt8(ascii: "\n"),
      bytes.contains(where: { $0 != 0x20 && $0 != 0x09 })
    else { return record }
    let text = String(decoding: bytes, as: UTF8.self)
    guard record.openQuote != nil || !decoder.isComment(text) && decoder.isCutOff(text) else {
      return record
    }
    rejection = ListRejection(cutOff: record.lines.lowerBound)
    return nil
  }

  /// Notes the columns of a table: the pipeline file may name others, or too few.
  mutating func note(columns: [String]) { leftOut.note(extra, columns: columns, self.columns) }

  /// The number of the last line so far.
  var lastLine: Int { splitter.lastLine }

  /// Whether lines of the same text mean the same from here on.
  var hasFormat: Bool { split == nil && decoder?.joinsRows == false }

  /// None for a blank line, a comment or a header row.
  mutating func decode(_ record: RecordSplitter.Record) -> [ManifestRecord] {
    if rejection != nil { return [] }
    let line = record.lines.lowerBound
    guard var bytes = record.bytes, record.openQuote == nil else {
      isAtStart = false
      decoder?.loseRecord()
      let problem = ManifestProblem(unclosed: record)
      if splitter.elements != nil { rejection = ListRejection(ofElement: line, problem.message) }
      return rejection == nil ? [.problem(problem)] : []
    }
    if isAtStart, bytes.starts(with: byteOrderMark) { bytes.removeFirst(byteOrderMark.count) }
    isAtStart = false
    guard bytes.contains(where: { $0 != 0x20 && $0 != 0x09 }) else { return [] }
    // Invalid UTF-8 is an error and not repaired: a repaired URL would be another URL.
    guard let text = String(validating: bytes, as: UTF8.self) else {
      rejection = ListRejection(
        ofOtherEncoding: bytes, line: line, self.columns, isFirst: decoder == nil)
      decoder?.loseRecord()
      return rejection == nil
        ? [.problem(.init(line: line, message: "the line is not valid UTF-8"))] : []
    }
    if split != nil {
      guard let record = split?.record(text) else { return [] }
      return [completed(record)]
    }
    guard let decoder else { return begin(text, record.lines) }
    return decoder.isComment(text) ? [] : decode(text, record.lines)
  }

  /// The first line that is not blank.
  private mutating func begin(_ text: String, _ lines: ClosedRange<Int>) -> [ManifestRecord] {
    split = SplitManifest(first: text)
    if split != nil || ManifestFormat.isSeparatorLine(text) { return [] }
    switch ManifestFormat(first: text, columns) {
    case .rejected where PlainTextDecoder().isComment(text): return []
    case .rejected(let rejection):
      self.rejection = rejection
      return []
    case .readable(let found, let isHeader):
      // A comment does not decide about the format.
      if !isHeader, PlainTextDecoder().isComment(text) { return [] }
      decoder = found
      // Only now: before the format is known, a quote is a character like others.
      splitter.separator = found.separatorOfQuotedFields
      var mapping = ""
      if let columns {
        var writer = JSONWriter()
        writer.value(columns.json)
        mapping = " \(writer.text)"
      }
      builder.seed = Array("\(type(of: found)) \(isHeader ? text : "")\(mapping)\n".utf8)
      if let table = found as? TableDecoder { note(columns: table.columns) }
      return isHeader ? [] : decode(text, lines)
    }
  }

  private mutating func decode(_ text: String, _ lines: ClosedRange<Int>) -> [ManifestRecord] {
    do throws(ManifestProblem) {
      let entries =
        try decoder?.entries(from: text, line: lines.lowerBound, &omitted) ?? []
      return entries.map { entry in
        do throws(ManifestProblem) {
          return .entry(try completed(entry))
        } catch {
          return .problem(error.skipping(lines))
        }
      }
    } catch {
      if splitter.elements != nil {
        do throws(JSONError) {
          _ = try JSONParser.parse(Array(text.utf8))
        } catch {
          rejection = ListRejection(ofElement: lines.lowerBound, error.message)
          return []
        }
      }
      return [.problem(error.skipping(lines))]
    }
  }

  mutating func completed(_ records: [ManifestRecord]) -> [ManifestRecord] {
    records.map { completed($0) }
  }

  private mutating func completed(_ record: ManifestRecord) -> ManifestRecord {
    guard case .entry(let entry) = record else { return record }
    do throws(ManifestProblem) {
      return .entry(try completed(entry))
    } catch {
      return .problem(error)
    }
  }

  /// The entry with what becomes public. It is the same for all images of a record, of which there may be thousands.
  private mutating func published(
    _ entry: ManifestEntry, _ selection: ExtraMembers
  ) throws(ManifestProblem) -> ManifestEntry {
    guard !entry.others.list.isEmpty else { return entry }
    var result = entry
    if let last = lastPublished, last.line == entry.line, last.own == entry.extra,
      last.others == entry.others
    {
      (result.extra, result.others) = (try last.extra.get(), OtherMembers())
      return result
    }
    let extra: Result<String?, ManifestProblem>
    do throws(ManifestProblem) {
      result = try entry.publishing(selection, &leftOut)
      extra = .success(result.extra)
    } catch {
      extra = .failure(error)
    }
    lastPublished = (entry.line, entry.extra, entry.others, extra)
    _ = try extra.get()
    return result
  }

  /// The entry with its URL resolved and its id derived, as far as they are not given, and checked.
  private mutating func completed(
    _ entry: ManifestEntry
  ) throws(ManifestProblem) -> ManifestEntry {
    var entry = entry
    if let extra { entry = try published(entry, extra) }
    let written = entry.url
    entry.url = SourceURL.encoded(written)
    let isEncoded = !entry.url.utf8.elementsEqual(written.utf8)
    // What cannot be in a URL all the same stays as it is, so that the check below names it.
    if let resolve, !entry.url.isEmpty, !SourceURL.hasBlank(entry.url), let url = resolve(entry.url)
    {
      entry.url = url
    }
    // After resolving, so that the id is the same as for the absolute URL.
    if entry.hasNoID {
      if requiresIDs {
        throw ManifestProblem(
          line: entry.line,
          message: "it has no id, and its URL, which would be its id, is not to be public "
            + "(catalog: {urls: none}); give it an id")
      }
      entry.id = shown(entry.url)
    } else if entry.sharesID {
      // A text of a feed or of a column that a mapping names, which may be a URL as well.
      entry.id = shown.id(entry.id)
    }
    entry = try entry.checked(hasBase: resolve != nil)
    if SourceURL.hasSecret(entry.url) { secrets += 1 }
    if isEncoded { encoded += 1 }
    return entry
  }
}

extension ManifestProblem {
  /// A record that does not end where it should.
  fileprivate init(unclosed record: RecordSplitter.Record) {
    let tooLong = "longer than \(RecordSplitter.maximumLength) bytes"
    let message =
      switch (record.bytes, record.openQuote) {
      case (nil, let quote?): "the field in quotes that begins on line \(quote) is \(tooLong)"
      case (_, let quote?): "the quote that opens on line \(quote) is not closed"
      case (_, nil): "the line is \(tooLong)"
      }
    self = Self(line: record.lines.lowerBound, message: message).skipping(record.lines)
  }

  /// The problem of a record of several lines, which may hold entries that a wrong quote has swallowed.
  fileprivate func skipping(_ lines: ClosedRange<Int>) -> ManifestProblem {
    guard lines.count > 1 else { return self }
    return ManifestProblem(
      line: line,
      message: "\(message); lines \(lines.lowerBound) to \(lines.upperBound) are skipped")
  }
}
