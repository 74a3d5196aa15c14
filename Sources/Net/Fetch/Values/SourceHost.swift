internal import TesseraText

/// The host of a source: what its requests are counted, paced and reported by. One for all spellings of a host
/// (``HostName``), with its port unless that is the scheme's default.
package enum SourceHost {
  /// Empty for a URL without a host; the bucket of an object store.
  package static func name(of url: String) -> String {
    let written = SourceURL.hostAsWritten(of: url)
    // A URL is not parsed for nothing: each line of a manifest has one.
    if HostName.isPlain(written.utf8) { return written }
    let origin = Origin(url)
    return ["http", "https"].contains(origin.scheme) && !origin.host.isEmpty
      ? origin.authority : written
  }

  /// A host that a person names, with or without a port.
  package static func named(_ text: String) -> String { HostName.withPort(text) }
}
