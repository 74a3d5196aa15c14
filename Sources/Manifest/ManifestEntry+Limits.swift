internal import TesseraCatalog
internal import TesseraText

extension ManifestEntry {
  /// In bytes. An id is a key in the state, in the catalog and in apps; more than this is a mistake
  /// in the columns.
  private static let longestID = 1024
  /// In bytes: the longest request line that common servers accept (nginx and Apache: 8 kB).
  private static let longestURL = 8192

  /// In bytes. A description of more is another text in the wrong column.
  private static let longestAlt = 8192

  /// A number that says how often something is viewed; nil for any other. A hint that shapes no file costs no image.
  static func views(_ number: Double?) -> Double? {
    number.flatMap { (0...1e15).contains($0) ? $0 : nil }
  }

  /// The point that two words are: numbers from 0 to 1. Nil for no words.
  static func focusPoint(_ words: [String], line: Int) throws(ManifestProblem) -> CatalogFocus? {
    if words.isEmpty { return nil }
    let numbers = words.map { Double($0) }
    guard numbers.count == 2, let x = numbers[0], let y = numbers[1] else {
      throw ManifestProblem(
        line: line, message: "\"focus\" must be two numbers from 0 to 1, such as 0.5 0.3")
    }
    return CatalogFocus(x: x, y: y)
  }

  /// The entry itself if its members are valid and within the limits.
  ///
  /// - Parameter hasBase: whether the pipeline has a base for relative URLs, which the message
  ///   omits if so.
  func checked(hasBase: Bool) throws(ManifestProblem) -> ManifestEntry {
    try checkID()
    try checkURL(hasBase: hasBase)
    if let focus, !(0...1).contains(focus.x) || !(0...1).contains(focus.y) {
      throw problem("the focus must be two numbers from 0 to 1, such as [0.5, 0.3]")
    }
    if let alt, alt.utf8.count > Self.longestAlt {
      throw problem(
        "the alt text is \(alt.utf8.count) bytes long; at most \(Self.longestAlt) are allowed")
    }
    return self
  }

  private func checkID() throws(ManifestProblem) {
    // An id such as ../x or CON is accepted: no id becomes a path, and files are named by digests.
    if id.isEmpty { throw problem("the id is empty") }
    if id.utf8.count > Self.longestID {
      throw problem("the id is \(id.utf8.count) bytes long; at most \(Self.longestID) are allowed")
    }
    // They would garble a terminal or end a line of a report.
    if id.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) {
      throw problem("the id has a control character in it")
    }
  }

  private func checkURL(hasBase: Bool) throws(ManifestProblem) {
    if url.isEmpty { throw problem("the URL is empty") }
    // A data: URL contains the image itself and may be as long as a line.
    if url.utf8.count > Self.longestURL, SourceURL.scheme(of: url) != "data" {
      throw problem(
        "the URL is \(url.utf8.count) bytes long; at most \(Self.longestURL) are allowed")
    }
    // A line end in a URL would let it add headers to the request.
    if SourceURL.hasBlank(url) {
      throw problem("the URL has a blank or a control character in its host")
    }
    if !SourceURL.isSource(url) {
      let isRelative = !hasBase && SourceURL.scheme(of: url) == nil
      let isPath = isRelative && url.hasPrefix("/") && !url.hasPrefix("//")
      throw problem(
        "the URL must begin with http:// or https:// and name a host, or be a file:, data: or s3: URL\(found)"
          + (isRelative ? "; relative ones need a \"base\" in the pipeline" : "")
          + (isPath ? ", and a file of this machine \"file://\" before its path" : ""))
    }
  }

  /// What there is instead, without what may be a secret.
  private var found: String {
    let beginning = url.prefix { $0 != "?" && $0 != "#" }
    return beginning.contains("@") ? "" : ", found \"\(String(beginning).excerpt)\""
  }

  private func problem(_ message: String) -> ManifestProblem {
    ManifestProblem(line: line, message: message)
  }
}
