internal import TesseraJSON

/// Finds the column of a table that has the URLs, where its header row does not say it: by what is in its first rows.
package enum ColumnGuess {
  /// A mapping with which the rows, or the objects of JSON Lines, are images; nil if no column has absolute URLs and nothing
  /// else, and no member has URLs of images.
  ///
  /// - Parameter beginning: the first bytes of the list, of a hundred rows or so.
  package static func mapping(_ beginning: [UInt8]) -> ColumnMapping? {
    var text = ListText()
    guard let bytes = try? text.take(beginning), text.kind == .lines else { return nil }
    var splitter = RecordSplitter()
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
      return MemberGuess.mapping(objects)
    }
    guard let names = ManifestFormat.headers(in: first).max(by: { $0.count < $1.count })
    else { return nil }
    let id = names.first { MemberGuess.ids.contains($0.lowercased()) }
    let best = names.filter { !$0.isEmpty }
      .compactMap { name in
        images(in: bytes, name).map { (name: name, images: $0.images, rows: $0.rows) }
      }
      .max { $0.images < $1.images }
    guard let best else { return nil }
    var columns: [ColumnMapping.Member: [String]] = [.url: [best.name]]
    columns[.id] = id.map { [$0] }
    return ColumnMapping(columns, separator: best.images > best.rows ? separator : nil)
  }

  private static let separator = ","

  /// How many images the rows have in a column, and in how many rows; nil for none, and if anything is there that is no URL.
  private static func images(in bytes: [UInt8], _ column: String) -> (images: Int, rows: Int)? {
    var reader = ManifestReader(columns: ColumnMapping([.url: [column]], separator: separator))
    var lines: [Int] = []
    for record in reader.read(bytes) {
      guard case .entry(let entry) = record else { return nil }
      lines.append(entry.line)
    }
    return lines.isEmpty ? nil : (lines.count, Set(lines).count)
  }
}
