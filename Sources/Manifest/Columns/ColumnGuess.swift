internal import TesseraJSON

/// The column of a table that has the URLs, or the member of JSON, where its names do not say it: by what is in its first rows.
package struct ColumnGuess {
  package var columns: ColumnMapping
  /// The first value, if there are paths and not URLs: the mapping needs a prefix.
  package let path: String?

  private init(_ columns: ColumnMapping, path: String?) {
    (self.columns, self.path) = (columns, path)
  }

  /// Nil if no column has URLs, or paths of images, and nothing else, and no member has one of an image.
  ///
  /// - Parameter beginning: the first bytes of the list, of a hundred rows or so.
  package init?(_ beginning: [UInt8]) {
    var text = ListText()
    guard let bytes = try? text.take(beginning), [.lines, .array].contains(text.kind)
    else { return nil }
    var splitter = RecordSplitter()
    if text.kind == .array { splitter.splitElements() }
    var rest = bytes[...]
    guard
      let first = splitter.next(in: &rest)?.bytes.flatMap({ String(validating: $0, as: UTF8.self) }
      )
    else { return nil }
    if first.trimmed.first == "{" {
      var objects = [first].compactMap { try? JSONParser.parse(Array($0.utf8)) }
      while let line = splitter.next(in: &rest)?.bytes {
        if let object = try? JSONParser.parse(line) { objects.append(object) }
      }
      guard let guess = MemberGuess.mapping(objects) else { return nil }
      (columns, path) = guess
      return
    }
    guard let names = ManifestFormat.headers(in: first).max(by: { $0.count < $1.count }),
      let guess = Self.column(of: names, bytes, prefix: nil)
        ?? Self.column(of: names, bytes, prefix: Self.anyPrefix)
    else { return nil }
    self = guess
  }

  private static let separator = ","
  /// Makes a URL of a path, to try whether a column has paths.
  private static let anyPrefix = "file:///"

  /// - Parameter prefix: for columns that have paths; nil for those that have URLs.
  private static func column(
    of names: [String], _ bytes: [UInt8], prefix: String?
  ) -> ColumnGuess? {
    let best = names.filter { !$0.isEmpty }
      .compactMap { name in images(in: bytes, name, prefix).map { (name: name, found: $0) } }
      .max { $0.found.urls.count < $1.found.urls.count }
    guard let best, let first = best.found.urls.first else { return nil }
    var columns: [ColumnMapping.Member: [String]] = [.url: [best.name]]
    columns[.id] = names.first { MemberGuess.ids.contains($0.lowercased()) }.map { [$0] }
    return ColumnGuess(
      ColumnMapping(columns, separator: best.found.urls.count > best.found.rows ? separator : nil),
      path: prefix.map { String(first.dropFirst($0.count)) })
  }

  /// The images that the rows have in a column, and in how many rows; nil for none, and if anything is there that is no image.
  private static func images(
    in bytes: [UInt8], _ column: String, _ prefix: String?
  ) -> (urls: [String], rows: Int)? {
    let mapping = ColumnMapping([.url: [column]], separator: separator, prefix: prefix)
    var reader = ManifestReader(columns: mapping)
    var (urls, lines): ([String], Set<Int>) = ([], [])
    for record in reader.read(bytes) {
      guard case .entry(let entry) = record else { return nil }
      if let prefix, !entry.url.hasPrefix(prefix) || !MemberGuess.isFile(entry.url) { return nil }
      urls.append(entry.url)
      lines.insert(entry.line)
    }
    return urls.isEmpty ? nil : (urls, lines.count)
  }
}
