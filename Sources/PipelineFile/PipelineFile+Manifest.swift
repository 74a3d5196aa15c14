internal import TesseraSystem
internal import TesseraText

extension PipelineFile.Manifest {
  /// Completes "must be …" in messages.
  package static let expected =
    "a path, an http(s) URL, s3://bucket/key, or \"-\" for standard input"

  /// Parses the location of a manifest. Nil for a URL that Tessera does not fetch.
  ///
  /// - Parameter directory: the base of relative paths.
  package init?(_ text: String, directory: String) {
    if text.isEmpty { return nil }
    if text == "-" {
      self = .standardInput
    } else if text.hasPrefix("s3://") {
      self = .object(text)
    } else if text.contains("://") {
      // A URL of another scheme is a mistake and not a path.
      guard SourceURL.isFetchable(text) else { return nil }
      self = .url(text)
    } else {
      self = .file(FileSystem.join(directory, text))
    }
  }
}
