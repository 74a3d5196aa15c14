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
