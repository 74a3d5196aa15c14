internal import TesseraJSON

/// The images of Media RSS in an item: its contents, and those of its groups.
struct MediaContents {
  private let item: JSONValue

  init(_ item: JSONValue) { self.item = item }

  /// One for each content outside of groups, and one for each group, whose contents are "different representations" of the same
  /// (Media RSS 1.5.1, media:group).
  var images: [(url: String, alt: String?)?] {
    groups.map { group in
      Self.best(of: group).flatMap { content in
        content.image("url", alt: Self.descriptions)
          .map { ($0.url, $0.alt ?? group.texts(Self.descriptions).first { !$0.isEmpty }) }
      }
    }
      + item.all("media:content").filter { EnclosureType($0, "url").isImage }
      .map { $0.image("url", alt: Self.descriptions) }
  }

  /// Those beside contents, and the first of each content and group, which has them in the order of their importance (Media RSS
  /// 1.5.1, media:thumbnail).
  var thumbnails: [(url: String, alt: String?)] {
    let inside = (groups + item.all("media:content")).flatMap { parent in
      (parent.texts(Self.thumbnail)
        + parent.all("media:content").flatMap { $0.texts(Self.thumbnail) }).prefix(1)
    }
    return (item.texts(Self.thumbnail) + inside).map { ($0, nil) }
  }

  private static let thumbnail = "media:thumbnail.url"
  private static let descriptions = ["media:description", "media:description.text"]

  private var groups: [JSONValue] { item.all("media:group") }

  /// The default of a group's images, or else the largest.
  private static func best(of group: JSONValue) -> JSONValue? {
    let images = group.all("media:content").filter { EnclosureType($0, "url").isImage }
    let isDefault = { (content: JSONValue) in
      content["isDefault"]?.stringValue?.lowercased() == "true"
    }
    return images.first(where: isDefault)
      // The first of equal ones.
      ?? images.reduce(nil) { best, next in
        best.map { size(of: next) > size(of: $0) } == false ? best : next
      }
  }

  /// In pixels, and then in bytes, as far as it is said.
  private static func size(of content: JSONValue) -> (Double, Double) {
    func number(_ name: String) -> Double? {
      content[name]?.stringValue.flatMap { Double($0.trimmed) }.flatMap { $0 > 0 ? $0 : nil }
    }
    let (width, height) = (number("width"), number("height"))
    let pixels = (width ?? height ?? 0) * (height ?? width ?? 0)
    return (pixels, number("fileSize") ?? 0)
  }
}

extension JSONValue {
  fileprivate func texts(_ paths: [String]) -> [String] { paths.flatMap(texts) }
}

/// What an enclosure says of its kind.
struct EnclosureType {
  private let medium: String
  private let type: String
  private let url: String

  init(_ value: JSONValue, _ url: String) {
    func word(_ name: String) -> String { value[name]?.stringValue?.trimmed.lowercased() ?? "" }
    medium = word("medium")
    let type = word("type")
    // Without parameters.
    self.type = String((type.isEmpty ? word("mime_type") : type).prefix { $0 != ";" }).trimmed
    self.url = value[url]?.stringValue ?? ""
  }

  /// Types that say nothing but that there are bytes.
  private static let anything: Set = [
    "application/octet-stream", "binary/octet-stream", "application/binary",
    "application/x-unknown", "unknown/unknown", "application/force-download",
  ]

  /// Whether it is an image, as far as it says what it is.
  var isImage: Bool {
    if !medium.isEmpty { return medium == "image" }
    if type.isEmpty || type == "image" || type.hasPrefix("image/") { return true }
    return Self.anything.contains(type)
      ? MemberGuess.isFile(url) : MemberGuess.isEnding(type)
  }
}
