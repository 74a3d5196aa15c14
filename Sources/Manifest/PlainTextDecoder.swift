/// Plain text: one URL per line.
struct PlainTextDecoder: RecordDecoding {
  func entry(from text: String, line: Int) throws(ManifestProblem) -> ManifestEntry {
    ManifestEntry(line: line, id: nil, url: text.trimmed)
  }
}
