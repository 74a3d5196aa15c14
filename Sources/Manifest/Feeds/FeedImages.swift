internal import TesseraJSON
internal import TesseraText
internal import TesseraXML

/// The images of an item of a feed, of a sitemap's page, or of a product in a Merchant feed.
///
/// RSS 2.0 and 1.0 with enclosures, Media RSS and iTunes' images; Atom (RFC 4287) with enclosures; JSON Feed 1.1; Google's
/// image sitemaps and Merchant feeds. An enclosure that says that it is something else is none.
struct FeedImages {
  private let item: JSONValue

  init(_ item: JSONValue) { self.item = item }

  /// An entry for each image; they share the item's id.
  func entries(line: Int) -> [ManifestEntry] {
    var seen: Set<Identifier> = []
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
    let merchant = texts("g:image_link") + texts("g:additional_image_link")
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
      + all("media:content").filter(Self.isImage).map {
        image($0, "url", alt: "media:description", "media:description.text")
      }
      + all("enclosure").filter(Self.isImage).map { image($0, "url", alt: "title") }
      + all("link").filter { $0["rel"]?.stringValue == "enclosure" && Self.isImage($0) }
      .map { image($0, "href", alt: "title") }
      + all("attachments").filter(Self.isImage).map { image($0, "url", alt: "title") }
      + all("itunes:link").filter { $0["rel"]?.stringValue == "image" }
      .map { image($0, "href", alt: "title") }
      + (texts("itunes:image.href") + texts("itunes:image.url") + texts("image.url"))
      .map { ($0, nil) }
    let found = whole.compactMap(\.self)
    // Small ones only where there is nothing else.
    return found.isEmpty ? texts("media:thumbnail.url").map { ($0, nil) } : found
  }

  private func image(_ value: JSONValue, _ url: String, alt: String...) -> Image? {
    guard let url = Self.texts(url, in: value).first else { return nil }
    return (url, alt.flatMap { Self.texts($0, in: value) }.first { !$0.isEmpty })
  }

  /// Whether an enclosure is an image, as far as it says what it is.
  private static func isImage(_ value: JSONValue) -> Bool {
    if let medium = value["medium"]?.stringValue { return medium == "image" }
    let type = (value["type"] ?? value["mime_type"])?.stringValue
    return type?.lowercased().hasPrefix("image/") ?? true
  }

  private func first(_ paths: String...) -> String? {
    paths.flatMap(texts).first { !$0.isEmpty }
  }

  private func texts(_ path: String) -> [String] { Self.texts(path, in: item) }

  private static func texts(_ path: String, in value: JSONValue) -> [String] {
    MemberPath(path)?.texts(in: value) ?? []
  }

  private func all(_ name: String) -> [JSONValue] {
    guard let value = item[name] else { return [] }
    return value.arrayValue ?? [value]
  }
}

extension JSONValue {
  /// An element as JSON: a text, or an object of its attributes, its children and its text. Children of one name are an array;
  /// those of a group of Media RSS are its parent's.
  init(_ element: XMLElement) {
    let children = element.children.flatMap { $0.name == "media:group" ? $0.children : [$0] }
    if element.attributes.isEmpty, children.isEmpty {
      self = .string(element.text)
      return
    }
    var members: [Member] = []
    var places: [String: Int] = [:]
    func add(_ name: String, _ value: JSONValue) {
      guard let place = places[name] else {
        places[name] = members.count
        return members.append(Member(name, value))
      }
      let before = members[place].value
      members[place].value = .array((before.arrayValue ?? [before]) + [value])
    }
    for attribute in element.attributes { add(attribute.name, .string(attribute.value)) }
    for child in children { add(child.name, JSONValue(child)) }
    if !element.text.isEmpty { add("text", .string(element.text)) }
    self = .object(members)
  }
}
