internal import TesseraBytes
internal import TesseraJSON
internal import TesseraText

/// The images of an item of a feed, of a sitemap's page, or of a product in a Merchant feed.
///
/// RSS 2.0 and 1.0 with enclosures, Media RSS and iTunes' images; Atom (RFC 4287) with enclosures; JSON Feed 1.1; Google's
/// image sitemaps and Merchant feeds. An enclosure that says that it is something else is not an image. What is in a group of Media RSS is one
/// image.
struct FeedImages {
  private let item: JSONValue

  /// - Parameter item: with groups as they are; see ``JSONValue/init(_:dissolvesGroups:)``.
  init(_ item: JSONValue) { self.item = item }

  /// An entry for each image; they share the item's id.
  func entries(line: Int) -> [ManifestEntry] {
    var seen: Set<Identifier> = []
    // Once for all: the members of an item may be thousands.
    let id = id
    return images.filter { !$0.url.isEmpty && seen.insert($0.url) }.map { image in
      var entry = ManifestEntry(line: line, id: id, url: image.url, alt: image.alt)
      entry.sharesID = id != nil
      return entry
    }
  }

  private typealias Image = (url: String, alt: String?)

  private var id: String? {
    first("g:id", "guid", "guid.text", "id", "id.text", "loc", "link", "link.href")
  }

  private var images: [Image] {
    let others = texts("g:additional_image_link")
      .flatMap { URLSeparator.pieces(of: $0, ",") }
    let merchant = texts("g:image_link") + others
    if !merchant.isEmpty {
      let title = first("g:title", "title", "title.text")
      return merchant.map { ($0, title) }
    }
    let whole =
      // Of a JSON Feed (1.1), the image of the item comes first.
      (texts("image") + texts("banner_image")).map { ($0, nil) }
      + all("image:image").map {
        image($0, "image:loc", alt: "image:caption", "image:title")
      }
      + MediaContents(item).images
      + all("enclosure").filter { EnclosureType($0, "url").isImage }
      .map { image($0, "url", alt: "title") }
      + all("link").filter {
        $0["rel"]?.stringValue == "enclosure" && EnclosureType($0, "href").isImage
      }
      .map { image($0, "href", alt: "title") }
      + all("attachments").filter { EnclosureType($0, "url").isImage }
      .map { image($0, "url", alt: "title") }
      + all("itunes:link").filter { $0["rel"]?.stringValue == "image" }
      .map { image($0, "href", alt: "title") }
      + (texts("itunes:image.href") + texts("itunes:image.url") + texts("image.url"))
      .map { ($0, nil) }
    let found = whole.compactMap(\.self)
    // Small ones only where there is nothing else.
    return found.isEmpty ? MediaContents(item).thumbnails : found
  }

  private func image(_ value: JSONValue, _ url: String, alt: String...) -> Image? {
    value.image(url, alt: alt)
  }

  private func first(_ paths: String...) -> String? {
    paths.flatMap(texts).first { !$0.isEmpty }
  }

  private func texts(_ path: String) -> [String] { item.texts(path) }

  private func all(_ name: String) -> [JSONValue] { item.all(name) }
}

extension JSONValue {
  /// An element as JSON: a text, or an object of its attributes, its children and its text. Children of one name are an array.
  ///
  /// References in attributes are resolved against `xml:base` (RFC 4287, section 2).
  ///
  /// - Parameter dissolvesGroups: whether the children of a group of Media RSS are its parent's.
  init(_ element: XMLElement, dissolvesGroups: Bool) {
    let children = element.children.flatMap {
      dissolvesGroups && $0.name == "media:group" ? $0.children : [$0]
    }
    if element.attributes.isEmpty, children.isEmpty {
      self = .string(element.text)
      return
    }
    var names: [String] = []
    var values: [[JSONValue]] = []
    var places: [String: Int] = [:]
    func add(_ name: String, _ value: JSONValue) {
      if let place = places[name] { return values[place].append(value) }
      places[name] = names.count
      names.append(name)
      values.append([value])
    }
    for attribute in element.attributes {
      add(attribute.name, .string(element.resolved(attribute)))
    }
    for child in children { add(child.name, JSONValue(child, dissolvesGroups: dissolvesGroups)) }
    if !element.text.isEmpty { add("text", .string(element.text)) }
    self = .object(
      zip(names, values).map { Member($0, $1.count == 1 ? $1[0] : .array($1)) })
  }
}

extension XMLElement {
  /// The attributes that are references: those of Atom and of enclosures.
  private static let references: Set = ["href", "src", "url"]

  fileprivate func resolved(_ attribute: (name: String, value: String)) -> String {
    // Blanks around a reference do not belong to it, and an empty one is not an image.
    let value = attribute.value.trimmed
    guard !bases.isEmpty, !value.isEmpty, Self.references.contains(attribute.name) else {
      return attribute.value
    }
    let base = bases.reduce("") { SourceURL.resolve($1, against: $0) }
    return SourceURL.resolve(value, against: base)
  }
}

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
