/// What the images of a catalog have in common on one device: the slots and scales, where files are, and which of them
/// the device shows.
package final class CatalogContext: Sendable {
  /// The catalog without its images.
  package let head: Catalog
  /// The media types that the device shows.
  package let accepted: Set<String>
  /// What comes before a path.
  private let prefix: String

  /// - Parameters:
  ///   - head: the catalog, with or without images.
  ///   - types: the media types that the device shows.
  ///   - source: the URL of the catalog; without it, and without an absolute ``Catalog/baseURL``, URLs are relative.
  package init(_ head: Catalog, accepting types: Set<String>, from source: String? = nil) {
    var head = head
    head.images = []
    self.head = head
    accepted = types
    prefix = Self.resolve(head.baseURL ?? "", against: source)
  }

  /// An image of the catalog, as this device sees it.
  package func entry(_ image: CatalogImage) -> CatalogEntry { CatalogEntry(image, self) }

  /// A file of an image in one of its formats.
  func file(
    _ file: CatalogVariant.File, of variant: CatalogVariant, _ image: CatalogImage
  ) -> ImageFile {
    ImageFile(
      url: url(of: file.reference), reference: file.reference, type: file.type,
      width: variant.width, height: variant.height, bytes: file.bytes,
      isAnimated: image.animated == true && !file.isStill)
  }

  /// The URL of a file by its ``ImageFile/reference``.
  package func url(of reference: String) -> String {
    // Paths begin with a folder's name, so that only a URL begins like one.
    reference.hasPrefix("http://") || reference.hasPrefix("https://")
      ? reference : prefix + reference
  }

  /// Resolves a reference against the URL of the catalog (RFC 3986, section 5.2; of dot segments only those with two dots at the
  /// start are removed, which lead from a screen to the catalog's folder).
  static func resolve(_ base: String, against source: String?) -> String {
    guard let source, !hasScheme(base) else { return base }
    let whole = source.prefix { $0 != "?" && $0 != "#" }
    let root = root(of: whole)
    // With the scheme of the catalog, if it has one.
    if base.hasPrefix("//") { return hasScheme(whole) ? whole.prefix { $0 != "/" } + base : base }
    if base.hasPrefix("/") { return root + base }
    let path = whole.dropFirst(root.count)
    var folder = path.lastIndex(of: "/").map { path[...$0] } ?? (root.isEmpty ? "" : "/")
    var rest = base[...]
    while rest.hasPrefix("../"), let end = folder.indices.last {
      rest = rest.dropFirst(3)
      // Nothing is above the root.
      if folder.count > 1 { folder = folder[..<end].lastIndex(of: "/").map { folder[...$0] } ?? "" }
    }
    return root + folder + rest
  }

  /// `https://example.com`, or `//example.com`; empty for a path.
  private static func root(of url: Substring) -> String {
    var rest = url
    if hasScheme(url), let colon = url.firstIndex(of: ":") {
      rest = url[url.index(after: colon)...]
    }
    let scheme = url.dropLast(rest.count)
    guard rest.hasPrefix("//") else { return String(scheme) }
    return scheme + "//" + rest.dropFirst(2).prefix { $0 != "/" }
  }

  /// Whether a URL begins with a scheme (RFC 3986, section 3.1).
  private static func hasScheme(_ url: some StringProtocol) -> Bool {
    guard let colon = url.firstIndex(of: ":"), let first = url.first, first.isASCII, first.isLetter
    else { return false }
    return url[..<colon].allSatisfy {
      $0.isASCII && ($0.isLetter || $0.isNumber || "+.-".contains($0))
    }
  }
}
