package import TesseraCatalog
package import TesseraJSON

/// An image's line of a catalog as it was written, for work on the catalog itself; apps decode a `CatalogImage`. A member that
/// is missing or has the wrong type is nil.
package struct CatalogLine: Sendable, Equatable {
  package let json: JSONValue

  package init(_ json: JSONValue) { self.json = json }

  /// Nil if the text is not valid JSON.
  package init?(_ text: some Sequence<UInt8>) {
    guard let json = try? JSONParser.parse(Array(text)) else { return nil }
    self.json = json
  }

  /// The id and the URL of a line, without a tree of the whole; nil if it is not a JSON object.
  package static func names(in text: [UInt8]) -> (id: String?, url: String?)? {
    var (id, url): (String?, String?)
    do throws(JSONScanner.Failure) {
      var scanner = JSONScanner(text)
      try scanner.beginObject()
      var isFirst = true
      // Tessera writes both first: nothing else of the image is read.
      while id == nil || url == nil, let name = try scanner.nextName(isFirst: isFirst) {
        isFirst = false
        switch name.text {
        case "id": id = try scanner.string()
        case "url": url = try scanner.string()
        default: try scanner.skip()
        }
      }
    } catch {
      return id == nil ? nil : (id, url)
    }
    return (id, url)
  }

  /// The status of a line, without a tree of the whole.
  package static func status(in text: [UInt8]) -> String? {
    do throws(JSONScanner.Failure) {
      var scanner = JSONScanner(text)
      try scanner.beginObject()
      var isFirst = true
      while let name = try scanner.nextName(isFirst: isFirst) {
        isFirst = false
        if name.text == "status" { return try scanner.string() }
        try scanner.skip()
      }
    } catch {
      // A line that is damaged has none.
    }
    return nil
  }

  package var id: String? { json["id"]?.stringValue }
  package var status: String? { json["status"]?.stringValue }
  /// The source's, without secrets.
  package var url: String? { json["url"]?.stringValue }
  package var error: JSONValue? { json["error"] }

  /// The statuses of images that are shown.
  package static let shownStatuses: Set<String> = ["ok", "stale"]

  package var isShown: Bool { status.map(Self.shownStatuses.contains) ?? false }

  private var variants: [JSONValue] { json["variants"]?.arrayValue ?? [] }

  /// All files of the image in the output; nil if members of one are missing.
  ///
  /// - Parameter formats: of the catalog (`Catalog.formats`).
  package func files(_ formats: [CatalogFormat]) -> [PublishedFile]? {
    var files: [PublishedFile] = []
    for variant in variants {
      guard let width = variant["width"]?.intValue, let height = variant["height"]?.intValue else {
        return nil
      }
      // What an image service makes is not in the output.
      let sizes = variant["bytes"]?.arrayValue ?? []
      guard sizes.count <= formats.count else { return nil }
      let digests = variant["sha256"]?.arrayValue ?? []
      for (place, (format, size)) in zip(formats, sizes).enumerated() where size != .null {
        guard let bytes = size.intValue, let source = json["source"]?.stringValue,
          let recipe = format.recipe, let ending = format.fileExtension
        else { return nil }
        let path = FileName.path(
          source: source, width: width, height: height, crop: variant["crop"]?.stringValue,
          recipe: recipe, fileExtension: ending)
        files.append(
          PublishedFile(
            path: path, type: format.type, bytes: bytes, width: width, height: height,
            sha256: place < digests.count ? digests[place].stringValue : nil))
      }
    }
    return files
  }

  /// The URLs of its variants at an image service.
  package var serviceURLs: [String] {
    variants.flatMap { variant in
      (variant["urls"]?.arrayValue ?? []).compactMap(\.stringValue)
        + [variant["original"]?["url"]?.stringValue].compactMap(\.self)
    }
  }
}
