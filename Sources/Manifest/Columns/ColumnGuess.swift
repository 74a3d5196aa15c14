internal import TesseraJSON
internal import TesseraText

/// The column of a table that has the URLs, or the member of JSON, where its names do not say it: by what is in its first rows.
package struct ColumnGuess {
  package var columns: ColumnMapping
  /// The first value, if there are paths and not URLs: the mapping needs a prefix.
  package let path: String?

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
    guard let names = ManifestFormat.headers(in: first).max(by: { $0.count < $1.count })
    else { return nil }
    let urls = Self.column(of: names, bytes, prefix: nil)
    let files = Self.column(of: names, bytes, prefix: Self.anyPrefix)
    // Pages have URLs, too.
    let areImages = urls.map { column in
      MemberGuess.isNamed(column.name) || column.found.urls.contains(where: MemberGuess.isFile)
    }
    guard let best = areImages == true ? urls : files ?? urls else { return nil }
    columns = ColumnMapping(
      [.url: [best.name]], separator: best.found.urls.count > best.found.rows ? Self.separator : nil
    )
    columns.columns[.id] = names.first { MemberGuess.ids.contains($0.lowercased()) }.map { [$0] }
    let file = best.found.urls[0].dropFirst(Self.anyPrefix.count)
    path =
      best.prefix == nil
      ? nil : PercentEncoding.decode(file).map { String(decoding: $0, as: UTF8.self) }
  }

  private static let separator = ","
  /// Makes a URL of a path, to try whether a column has paths.
  private static let anyPrefix = "file:///"

  private typealias Column = (name: String, found: (urls: [String], rows: Int), prefix: String?)

  /// The one with the most images.
  ///
  /// - Parameter prefix: for columns that have paths; nil for those that have URLs.
  private static func column(of names: [String], _ bytes: [UInt8], prefix: String?) -> Column? {
    names.filter { !$0.isEmpty }
      .compactMap { name in images(in: bytes, name, prefix).map { (name, $0, prefix) } }
      .max { (one: Column, other: Column) in one.found.urls.count < other.found.urls.count }
  }

  /// The images that the rows have in a column, and in how many rows; nil for none, and if anything is there that is not an image.
  private static func images(
    in bytes: [UInt8], _ column: String, _ prefix: String?
  ) -> (urls: [String], rows: Int)? {
    let mapping = ColumnMapping([.url: [column]], separator: separator, prefix: prefix)
    var reader = ManifestReader(columns: mapping)
    var (urls, lines): ([String], Set<Int>) = ([], [])
    for record in reader.read(bytes) {
      guard case .entry(let entry) = record else { return nil }
      if let prefix, !entry.url.begins(with: prefix) || !MemberGuess.isFile(entry.url) {
        return nil
      }
      urls.append(entry.url)
      lines.insert(entry.line)
    }
    return urls.isEmpty ? nil : (urls, lines.count)
  }
}
