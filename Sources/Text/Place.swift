/// A place that a person names, on the command line or in a pipeline file: the one answer to whether a text is a path.
package enum Place: Sendable, Equatable {
  /// `-`: standard output, or standard input.
  case stream
  /// In an object store: `s3://bucket/prefix`. Whether the bucket may have this name, the store's client says.
  case store
  /// A URL that nothing can be written to. As a path it would be a folder such as `ftp:`.
  case url
  /// A path of this machine.
  case path

  package init(_ text: String) {
    self =
      switch text {
      case "-": .stream
      case _ where text.hasPrefix("s3://") && text.utf8.count > 5: .store
      case _
      where SourceURL.scheme(of: text).map { text.dropFirst($0.count).hasPrefix("://") } == true:
        .url
      default: .path
      }
  }
}
