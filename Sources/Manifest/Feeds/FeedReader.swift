internal import TesseraBytes
internal import TesseraJSON

/// Reads feeds and sitemaps: RSS, Atom, JSON Feed, and sitemaps with images. See ``FeedImages``.
///
/// What is public of an item besides is decided as for JSON Lines; with a mapping, it says where the images are.
struct FeedReader {
  /// What one item may take, as a line of a list may.
  private static let maximumItem = RecordSplitter.maximumLength
  /// A JSON Feed is read as a whole, and takes up to thirty times as much memory.
  private static let maximumDocument = 8 << 20

  private enum Source {
    case xml(XMLReader)
    case json([UInt8])
  }

  private var source: Source
  private var decoder: MappedJSONDecoder?
  /// The items so far that are not images.
  private(set) var omitted: OmittedRows

  /// The element of an item, by the root.
  private static let items = ["rss": "item", "rdf:RDF": "item", "feed": "entry", "urlset": "url"]

  private static let namespaces = XMLNamespaces([
    "http://www.w3.org/2005/Atom": "", "http://purl.org/atom/ns#": "",
    "http://backend.userland.com/rss2": "", "http://purl.org/rss/1.0/": "",
    "http://my.netscape.com/rdf/simple/0.9/": "",
    "http://channel.netscape.com/rdf/simple/0.9/": "",
    "http://www.sitemaps.org/schemas/sitemap/0.9": "",
    "http://www.google.com/schemas/sitemap/0.84": "",
    "http://www.w3.org/1999/02/22-rdf-syntax-ns#": "rdf",
    "http://search.yahoo.com/mrss/": "media", "http://video.search.yahoo.com/mrss/": "media",
    "http://www.itunes.com/dtds/podcast-1.0.dtd": "itunes",
    "http://base.google.com/ns/1.0": "g", "http://base.google.com/cns/1.0": "c",
    "http://www.google.com/schemas/sitemap-image/1.1": "image",
    "http://purl.org/dc/elements/1.1/": "dc",
    "http://purl.org/rss/1.0/modules/content/": "content",
  ])

  /// - Parameters:
  ///   - isConverted: whether the text is UTF-8 whatever it says.
  ///   - omitted: none yet.
  init(
    _ kind: ListText.Kind, isConverted: Bool, _ columns: ColumnMapping?,
    omitted: OmittedRows = OmittedRows()
  ) {
    self.omitted = omitted
    decoder = columns.map { MappedJSONDecoder($0, isOfXML: kind != .document) }
    source =
      kind == .document
      ? .json([])
      : .xml(
        XMLReader(
          encoding: isConverted ? "UTF-8" : nil, namespaces: Self.namespaces,
          maximumBytes: Self.maximumItem
        ) { path in
          path.count > 1 && Self.items[path[0]] == path[path.count - 1]
        })
  }

  /// The entries of the items that these bytes complete; a problem for each item that can't be used.
  ///
  /// - Throws: ``ListRejection`` if the document is not well-formed, is not a feed, or has a trap in it.
  mutating func read(_ bytes: [UInt8], isEnd: Bool) throws(ListRejection) -> [ManifestRecord] {
    switch source {
    case .xml(let reader): return try read(bytes, isEnd: isEnd, by: reader)
    case .json(var document):
      source = .json([])
      document += bytes
      guard document.count <= Self.maximumDocument else {
        throw ListRejection(
          reason:
            "it is a JSON document of more than \(Self.maximumDocument) bytes; write one object per line"
        )
      }
      source = .json(document)
      return isEnd ? try readFeed(document) : []
    }
  }

  // MARK: XML

  private mutating func read(
    _ bytes: [UInt8], isEnd: Bool, by reader: XMLReader
  ) throws(ListRejection) -> [ManifestRecord] {
    let found: [Result<XMLElement, XMLError>]
    do throws(XMLError) {
      found = try reader.read(bytes, isEnd: isEnd)
    } catch {
      try checkRoot(of: reader)
      throw ListRejection(reason: "its XML can't be read: line \(error.line): \(error.message)")
    }
    try checkRoot(of: reader)
    var records: [ManifestRecord] = []
    for result in found {
      switch result {
      case .success(let element):
        records += items(
          JSONValue(element, dissolvesGroups: true),
          FeedImages(JSONValue(element, dissolvesGroups: false)), line: element.line)
      case .failure(let error):
        records.append(.problem(ManifestProblem(line: error.line, message: error.message)))
      }
    }
    return records
  }

  private func checkRoot(of reader: XMLReader) throws(ListRejection) {
    guard let root = reader.root?.name, Self.items[root] == nil else { return }
    switch root.lowercased() {
    case "html": throw ListRejection(reason: ListText.page)
    case "sitemapindex":
      throw ListRejection(
        reason:
          "it is an index of sitemaps; name the sitemaps themselves, as a list: manifest: [https://…, https://…]"
      )
    default:
      throw ListRejection(
        reason:
          "it is an XML document with the root <\(root.prefix(60))>, and neither RSS, Atom nor a sitemap"
      )
    }
  }

  // MARK: JSON

  private mutating func readFeed(_ document: [UInt8]) throws(ListRejection) -> [ManifestRecord] {
    let feed: JSONValue
    do throws(JSONError) {
      feed = try JSONParser.parse(document)
    } catch {
      throw ListRejection(
        reason:
          "it is a JSON document and not JSON Lines, and not valid at byte \(error.offset + 1): \(error.message)"
      )
    }
    guard let items = feed["items"]?.arrayValue,
      JSONBeginning.isFeed(version: feed["version"]?.stringValue)
    else {
      throw ListRejection(
        reason: "it is a JSON document, and no JSON Feed; write one object per line"
          + (feed.listedObjects.map { ": jq -c '.\($0)[]' OLD.json > NEW.jsonl" } ?? " (JSON Lines)")
      )
    }
    return zip(items, 1...).flatMap { item, number in
      self.items(item, FeedImages(item), line: number)
    }
  }

  // MARK: Items

  private mutating func items(
    _ item: JSONValue, _ images: FeedImages, line: Int
  ) -> [ManifestRecord] {
    guard case .object(let members) = item else {
      omitted.add(.imageless, line: line)
      return []
    }
    do throws(ManifestProblem) {
      let entries =
        try decoder?.entries(of: members, extra: nil, line: line, &omitted)
        ?? entries(of: images, members, line: line)
      return entries.map { .entry($0) }
    } catch {
      return [.problem(error)]
    }
  }

  private mutating func entries(
    of images: FeedImages, _ members: [JSONValue.Member], line: Int
  ) -> [ManifestEntry] {
    let entries = images.entries(line: line)
    if entries.isEmpty { omitted.add(.imageless, line: line) }
    return entries.map { entry in
      var entry = entry
      entry.others = OtherMembers(list: members, mapped: Self.known)
      return entry
    }
  }

  /// Members that say what the image and its id are. Others are for those who name them.
  private static let known: Set = [
    "id", "g:id", "guid", "loc", "link", "image:image", "media:content", "media:thumbnail",
    "enclosure", "attachments", "itunes:image", "image", "banner_image", "g:image_link",
    "g:additional_image_link",
  ]
}
