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
