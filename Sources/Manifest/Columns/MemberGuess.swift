internal import TesseraJSON

/// Finds the member of JSON Lines that has the URLs, where no member is named `url`: by names and values.
enum MemberGuess {
  /// Names of members and of columns whose values are ids.
  static let ids: Set = ["id", "sku", "handle"]

  /// What is known of a path: how many URLs it has led to, and how many of them look like those of images.
  private struct Candidate {
    var path: String
    var urls = 0
    var images = 0
    /// The names of files or of members decide; then the number, and then the order of the members.
    var rank: (Int, Int) { (images, urls) }
  }

  /// A mapping with which these objects are images; nil if none of their members has a URL that looks like one of an image.
  static func mapping(_ objects: [JSONValue]) -> ColumnMapping? {
    var found: [Candidate] = []
    for object in objects { note(object, path: "", in: &found) }
    let best = found.filter { $0.images > 0 }.reduce(nil) { best, next -> Candidate? in
      best.map { $0.rank >= next.rank } == true ? best : next
    }
    guard let best else { return nil }
    var columns: [ColumnMapping.Member: [String]] = [.url: [best.path]]
    if case .object(let members)? = objects.first,
      let id = members.first(where: { ids.contains($0.name.lowercased()) })
    {
      columns[.id] = [id.name]
    }
    return ColumnMapping(columns)
  }

  private static func note(_ value: JSONValue, path: String, in found: inout [Candidate]) {
    switch value {
    case .object(let members):
      // A name with a mark of paths in it has no path.
      for member in members where !member.name.isEmpty && !member.name.contains(/[.\[\]]/) {
        note(
          member.value, path: path.isEmpty ? member.name : "\(path).\(member.name)", in: &found)
      }
    case .array(let values):
      for value in values { note(value, path: path, in: &found) }
    case .string(let text) where text.hasPrefix("http://") || text.hasPrefix("https://"):
      let index = found.firstIndex { $0.path == path } ?? found.endIndex
      if index == found.endIndex { found.append(Candidate(path: path)) }
      found[index].urls += 1
      let isNamed = path.lowercased().contains(
        /image|img|photo|picture|thumb|cover|avatar|media|src/)
      let isFile = text.lowercased().contains(
        /\.(jpe?g|png|gif|webp|avif|heic|jxl|tiff?)([?#].*)?$/)
      if isNamed || isFile { found[index].images += 1 }
    case .string, .number, .bool, .null: break
    }
  }
}
