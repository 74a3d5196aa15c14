import TesseraManifest

/// What a list has, line by line, for comparison with a list of texts.
enum ListOutline {
  /// `3 id url alt` or `3: message` for each record, or `rejected: reason` for a list that is none.
  ///
  /// - Parameter chunk: bytes that arrive together.
  static func lines(
    _ bytes: [UInt8], columns: ColumnMapping? = nil, chunk: Int = 1_000,
    extra: ExtraMembers? = .named([])
  ) -> [String] {
    records(bytes, columns: columns, chunk: chunk, extra: extra).map(outline)
  }

  static func lines(
    _ text: String, columns: ColumnMapping? = nil, chunk: Int = 1_000,
    extra: ExtraMembers? = .named([])
  ) -> [String] {
    lines(Array(text.utf8), columns: columns, chunk: chunk, extra: extra)
  }

  /// The records; a problem of line 0 for a list that is none.
  static func records(
    _ bytes: [UInt8], columns: ColumnMapping? = nil, chunk: Int = 1_000,
    extra: ExtraMembers? = .named([]), isCompared: Bool = false
  ) -> [ManifestRecord] {
    var reader = ListReader(ManifestReader(columns: columns, extra: extra))
    var records: [ManifestRecord] = []
    do throws(ListRejection) {
      for start in stride(from: 0, to: bytes.count, by: chunk) {
        try reader.add(Array(bytes[start..<min(start + chunk, bytes.count)]))
        for part in try reader.parts(limit: 100, isCompared: isCompared) {
          records += reader.records(of: part)
        }
      }
      try reader.end()
      for part in try reader.parts(limit: .max, isCompared: isCompared)
        + reader.finish(isCompared: isCompared)
      {
        records += reader.records(of: part)
      }
    } catch {
      records.append(.problem(ManifestProblem(line: 0, message: error.reason)))
    }
    return records
  }

  private static func outline(_ record: ManifestRecord) -> String {
    switch record {
    case .entry(let entry):
      let words = [
        "\(entry.line)", entry.id, entry.url, entry.alt, entry.sharesID ? "shared" : nil,
        entry.extra,
      ]
      return words.compactMap(\.self).joined(separator: " ")
    case .problem(let problem):
      return problem.line == 0
        ? "rejected: \(problem.message)" : "\(problem.line): \(problem.message)"
    }
  }
}
