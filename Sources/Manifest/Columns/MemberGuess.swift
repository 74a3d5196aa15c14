internal import TesseraJSON
internal import TesseraText

/// Finds the member of JSON Lines that has the URLs, where no member is named `url`: by names and values.
enum MemberGuess {
  /// Names of members and of columns whose values are ids.
  static let ids: Set = ["id", "sku", "handle"]

  /// What is known of a path: how many URLs and paths of files it has led to, and how many of them look like those of images.
  private struct Candidate {
    let path: String
    var urls = 0
    var images = 0
    /// Of them, those that are paths of files and no URLs, and the first one.
    var files = 0
    var file: String?
    var hasFiles: Bool { files * 2 > urls }
    /// URLs before files; then the names of files or of members decide; then the number, and then the order of the members.
    var rank: (Int, Int, Int) { (hasFiles ? 0 : 1, images, urls) }
  }

  private struct Candidates {
    private(set) var all: [Candidate] = []
    private var places: [String: Int] = [:]

    mutating func note(_ text: String, path: String) {
      let isURL = ["http://", "https://", "file://"].contains { text.hasPrefix($0) }
      let (isFile, isNamed) = (MemberGuess.isFile(text), MemberGuess.isNamed(path))
      // A sentence may end in the name of a file.
      guard isURL || isFile && (isNamed || text.contains("/")) else { return }
      let index = places[path] ?? all.count
      if index == all.count {
        places[path] = index
        all.append(Candidate(path: path))
      }
      all[index].urls += 1
      if !isURL {
        all[index].files += 1
        all[index].file = all[index].file ?? text
      }
      if isNamed || isFile { all[index].images += 1 }
    }
  }

  /// A mapping with which these objects are images, and the first value if there are paths and not URLs; nil if none of their
  /// members has a URL or a path that looks like one of an image.
  static func mapping(_ objects: [JSONValue]) -> (columns: ColumnMapping, path: String?)? {
    var found = Candidates()
    for object in objects { note(object, path: "", in: &found) }
    let best = found.all.filter { $0.images > 0 }.reduce(nil) { best, next -> Candidate? in
      best.map { $0.rank >= next.rank } == true ? best : next
    }
    guard let best else { return nil }
    var columns: [ColumnMapping.Member: [String]] = [.url: [best.path]]
    if case .object(let members)? = objects.first,
      let id = members.first(where: { ids.contains($0.name.lowercased()) })
    {
      columns[.id] = [id.name]
    }
    columns[.alt] = description(besides: best.path, in: objects).map { [$0] }
    return (ColumnMapping(columns), best.hasFiles ? best.file : nil)
  }

  /// Whether a text is the URL or the path of a file that is named as an image.
  static func isFile(_ text: String) -> Bool {
    let path = text.prefix { $0 != "?" && $0 != "#" }
    guard text.utf8.count <= longest, !text.contains(where: \.isNewline), !text.contains("\\"),
      let dot = path.lastIndex(of: "."), let before = path[..<dot].last, before != "/"
    else { return false }
    return isEnding(String(path[path.index(after: dot)...]))
  }

  /// Whether files of images have this ending.
  static func isEnding(_ text: String) -> Bool { endings.contains(text.lowercased()) }

  /// Whether a column or the path of a member is named as one of images.
  static func isNamed(_ name: String) -> Bool {
    name.lowercased().contains(/image|img|photo|picture|thumb|cover|avatar|media|src/)
  }

  private static let endings: Set = [
    "jpg", "jpeg", "png", "gif", "webp", "avif", "heic", "jxl", "tif", "tiff",
  ]
  /// In bytes; a longer text is not a path.
  private static let longest = 4096

  /// The member `alt` beside that of the URLs; nil without one.
  private static func description(besides path: String, in objects: [JSONValue]) -> String? {
    guard let end = path.lastIndex(of: ".") else { return nil }
    let name = path[...end] + "alt"
    guard let alt = MemberPath(String(name)),
      objects.contains(where: { !alt.texts(in: $0).isEmpty })
    else { return nil }
    return String(name)
  }

  private static func note(_ value: JSONValue, path: String, in found: inout Candidates) {
    switch value {
    case .object(let members):
      // A name with a mark of paths in it has no path.
      for member in members where !member.name.isEmpty && !member.name.contains(/[.\[\]]/) {
        note(
          member.value, path: path.isEmpty ? member.name : "\(path).\(member.name)", in: &found)
      }
    case .array(let values):
      for value in values { note(value, path: path, in: &found) }
    case .string(let text): found.note(text, path: path)
    case .number, .bool, .null: break
    }
  }
}

/// Finds the URLs in a field that has several.
///
/// URLs of image services have commas in them (`…/w_400,h_300/x.jpg`). In a URL, and in a path from the root, a comma is a separator
/// only if another one follows, or nothing. After a backslash a separator is a part of a URL.
enum URLSeparator {
  static func pieces(of field: String, _ separator: String?) -> [String] {
    guard let separator else { return field.isEmpty ? [] : [field] }
    var pieces = [""]
    var rest = field[...]
    while let range = rest.firstRange(of: separator) {
      let before = rest[..<range.lowerBound]
      rest = rest[range.upperBound...]
      if before.last == "\\" {
        pieces[pieces.count - 1] += before.dropLast() + separator
        continue
      }
      pieces[pieces.count - 1] += before
      if separator.contains(","), isPart(of: pieces[pieces.count - 1], before: rest) {
        pieces[pieces.count - 1] += separator
      } else {
        pieces.append("")
      }
    }
    pieces[pieces.count - 1] += rest
    return pieces.map(\.trimmed).filter { !$0.isEmpty }
  }

  /// Whether a comma after a piece is a part of it.
  private static func isPart(of piece: String, before rest: Substring) -> Bool {
    guard begins(piece) else { return false }
    // The one behind which the data begins (RFC 2397).
    if scheme(of: beginning(piece)) == "data", !piece.contains(",") { return true }
    let next = rest.drop { $0 == " " || $0 == "\t" }
    return !next.isEmpty && !next.hasPrefix(",") && !begins(next)
  }

  /// Whether a text begins as a URL does, or as a path from the root. What else has a colon is a setting of an image service.
  private static func begins(_ text: some StringProtocol) -> Bool {
    let text = beginning(text)
    if text.hasPrefix("/") { return true }
    guard let scheme = scheme(of: text) else { return false }
    return scheme == "data" || text.dropFirst(scheme.count).hasPrefix(":/")
  }

  /// As much as tells how a text begins: a field may have very many commas.
  private static func beginning(_ text: some StringProtocol) -> String {
    String(text.drop { $0 == " " || $0 == "\t" }.prefix(64))
  }

  private static func scheme(of text: String) -> String? { SourceURL.scheme(of: text) }
}
