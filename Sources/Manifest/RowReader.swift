/// Reads rows that have names for their fields already, such as those of a database.
package struct RowReader {
  package private(set) var lines: ManifestReader
  private var table: TableDecoder
  /// The rows so far that are not images.
  package private(set) var omitted = OmittedRows()

  /// - Parameters:
  ///   - columns: their names.
  ///   - lines: what it decides about entries holds.
  /// - Throws: ``ListRejection`` if no column has the URLs.
  package init(columns: [String], _ lines: ManifestReader) throws(ListRejection) {
    guard let table = TableDecoder(columns: columns, lines.columns) else {
      throw ListRejection(ofHeader: columns, lines.columns)
    }
    (self.table, self.lines) = (table, lines)
    self.lines.note(columns: table.columns)
  }

  /// - Parameter fields: one for each column; nil where there is no value.
  package mutating func records(of fields: [String?], line: Int) -> [ManifestRecord] {
    if let long = fields.first(where: { ($0?.utf8.count ?? 0) > RecordSplitter.maximumLength }) {
      table.loseRecord()
      return [
        .problem(
          ManifestProblem(
            line: line,
            message:
              "a field has \(long?.utf8.count ?? 0) bytes; at most \(RecordSplitter.maximumLength) are allowed"
          ))
      ]
    }
    do throws(ManifestProblem) {
      let entries = try table.entries(of: fields, line: line, &omitted)
      return lines.completed(entries.map { .entry($0) })
    } catch {
      return [.problem(error)]
    }
  }

  /// The record of a row whose text is not UTF-8.
  ///
  /// - Throws: ``ListRejection`` if other rows may share its id, as for a table in a file.
  package mutating func record(
    ofNoUTF8 column: String, line: Int
  ) throws(ListRejection) -> ManifestRecord {
    let message = "the column \"\(column)\" is not valid UTF-8"
    guard lines.columns?.columns[.id] == nil else {
      throw ListRejection(
        reason: "in row \(line) \(message); correct it, or leave the row out in the query")
    }
    table.loseRecord()
    return .problem(ManifestProblem(line: line, message: message))
  }

  package mutating func records(of part: ManifestChunk) -> [ManifestRecord] {
    lines.records(of: part)
  }
}
