/// A table whose header row does not name a column of URLs. Every row is a problem, but a line with
/// a single field may be a URL: the first line may be the title of a plain list.
struct UnusableTable: RecordDecoding {
  let header: String
  let separator: Character
  let mistake: String

  func entry(from text: String, line: Int) throws(ManifestProblem) -> ManifestEntry {
    guard !text.contains(separator) else {
      throw ManifestProblem(
        line: line,
        message: text == header ? mistake : "not read, because the table's header row is unusable")
    }
    return try PlainTextDecoder().entry(from: text, line: line)
  }
}
