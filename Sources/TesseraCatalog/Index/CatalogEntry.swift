/// An image of a catalog as one device sees it. It knows its place in each slot and the file to request for it.
///
///     let image = index.image("p1")
///     let box = image?.box(in: "card")
///     let file = image?.file(for: "card", scale: 3)
///
/// All members of the ``CatalogImage`` are members of the entry, too: `image.alt`.
@dynamicMemberLookup
public struct CatalogEntry: Sendable, Identifiable {
  /// The image in the catalog.
  public let image: CatalogImage
  /// What it has in common with the other images.
  let context: CatalogContext

  init(_ image: CatalogImage, _ context: CatalogContext) {
    self.image = image
    self.context = context
  }

  public var id: String { image.id }

  /// A member of the ``image``.
  public subscript<Value>(dynamicMember member: KeyPath<CatalogImage, Value>) -> Value {
    image[keyPath: member]
  }
}

extension CatalogEntry {
  /// The size of the image's box in a slot, in points: nil only if the image is not used in the slot. A failed image whose size
  /// is unknown has the slot's sides; where one is free, its box is a square.
  public func box(in slot: SlotName) -> CatalogSize? { use(slot)?.box }

  /// The size of the image's box in any place: the place itself if the image covers it, or if the size of the image is unknown,
  /// or else a size of the image's shape, even if it has fewer pixels. Sides are whole numbers from 1 to 100,000.
  ///
  /// Nil if both sides are nil, or if one is not a number above 0: a layout that is not there yet.
  public func box(in place: CatalogBox) -> CatalogSize? { image.layout(in: place)?.box }

  /// Where the image is drawn in its box: it has the box's size, or covers it, and then the focus decides which part is seen.
  /// Nil if ``box(in:)-(SlotName)`` is.
  public func frame(in slot: SlotName) -> CatalogFrame? {
    use(slot).map { CatalogFrame($0.image, in: $0.box, focus: image.focus) }
  }

  /// Where the whole image is drawn in any place. Nil if ``box(in:)-(CatalogBox)`` is.
  public func frame(in place: CatalogBox) -> CatalogFrame? {
    image.layout(in: place).map { CatalogFrame($0.image, in: $0.box, focus: image.focus) }
  }

  private func use(_ slot: SlotName) -> ImageLayout? {
    image.layout(in: slot.rawValue, of: context.head)
  }

  /// The file to request for a slot on a screen: the one for the smallest scale that is at least `scale`, or for the
  /// largest scale, in the first format that the device shows.
  ///
  /// Nil if the image is not used in the slot, has no file that the device shows, or if the scale is not a number above 0.
  ///
  /// - Parameters:
  ///   - slot: its name.
  ///   - scale: device pixels per point.
  ///   - motion: which file of an animation.
  public func file(for slot: SlotName, scale: Double, motion: ImageMotion = .auto) -> ImageFile? {
    guard let box = box(in: slot) else { return nil }
    return variant(slot, scale).flatMap { file(of: $0, in: box, motion) }
  }

  /// The file to request for any place on a screen: the smallest one with at least one pixel per device pixel, or the largest.
  /// Files that were cropped for a slot are ignored, unless all were. Nil also where ``box(in:)-(CatalogBox)`` is.
  public func file(
    for place: CatalogBox, scale: Double, motion: ImageMotion = .auto
  ) -> ImageFile? {
    guard let box = box(in: place) else { return nil }
    return image.variant(for: place, scale: scale).flatMap { file(of: $0, in: box, motion) }
  }

  private func file(
    of variant: CatalogVariant, in box: CatalogSize, _ motion: ImageMotion
  ) -> ImageFile? {
    let files = variant.files.lazy.filter { context.accepted.contains($0.type) }
      .map { context.file($0, of: variant, image) }
    let isStill = motion == .still || motion == .auto && max(box.width, box.height) <= 64
    return isStill ? files.first { !$0.isAnimated } ?? files.first : files.first
  }

  private func variant(_ slot: SlotName, _ scale: Double) -> CatalogVariant? {
    image.variant(for: slot.rawValue, scale: scale, in: context.head)
  }

  /// The file for a slot on a screen of high dynamic range: a JPEG with a gain map. Nil if there is none that the device shows.
  public func highDynamicRangeFile(for slot: SlotName, scale: Double) -> ImageFile? {
    variant(slot, scale).flatMap(highDynamicRangeFile)
  }

  /// The file for any place on a screen of high dynamic range: a JPEG with a gain map. Nil if there is none that the device shows.
  public func highDynamicRangeFile(for place: CatalogBox, scale: Double) -> ImageFile? {
    image.variant(for: place, scale: scale).flatMap(highDynamicRangeFile)
  }

  private func highDynamicRangeFile(of variant: CatalogVariant) -> ImageFile? {
    guard let file = variant.highDynamicRangeFile, context.accepted.contains(file.type) else {
      return nil
    }
    return context.file(file, of: variant, image)
  }

  /// The best file that an app has already, to show at once while the wanted one loads: the wanted size, or else the smallest
  /// larger one of the same part of the image, or else the largest smaller one. Nil if it has none of these.
  ///
  /// - Parameters:
  ///   - wanted: the file chosen for the place.
  ///   - isCached: whether the file with this ``ImageFile/reference`` is at hand.
  public func cachedFile(
    for wanted: ImageFile, isCached: (_ reference: String) -> Bool
  ) -> ImageFile? {
    if isCached(wanted.reference) { return wanted }
    return image.cachedVariant(width: wanted.width, height: wanted.height) { variant in
      variant.files.first { context.accepted.contains($0.type) && isCached($0.reference) }
        .map { context.file($0, of: variant, image) }
    }
  }
}

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
