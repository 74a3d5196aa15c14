internal import TesseraJSON

/// What one screen of an app needs of a catalog (`catalog: {screens: …}`): the images with some slots and files, in documents of
/// the catalog's form: `screens/feed/first.json` for those that are seen first, and parts with the others.
package struct CatalogScreen: Sendable, Equatable {
  package var name: String
  package var selection: CatalogSelection
  /// How many images the first document has.
  package var first: Int
  /// How many images each part has; the last may have fewer.
  package var part: Int

  package init(name: String, selection: CatalogSelection, first: Int, part: Int) {
    (self.name, self.selection) = (name, selection)
    (self.first, self.part) = (first, part)
  }

  /// The folder of all screens, beside the catalog.
  package static let folder = "screens"

  /// Whether a path is that of a part: `screens/feed/3f9c….json`, with 32 hexadecimal digits. Paths are joined to URLs, so they
  /// lead nowhere else.
  package static func isPart(_ path: String) -> Bool {
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 3, parts[0] == folder, isName(parts[1]), parts[2].hasSuffix(".json")
    else { return false }
    let digits = parts[2].utf8.dropLast(".json".utf8.count)
    return digits.count == 32
      && digits.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
  }

  /// Whether a screen may have a name, which becomes that of a folder: ASCII letters and digits, `-` and `_`, and neither of
  /// these first.
  package static func isName(_ name: some StringProtocol) -> Bool {
    let isLetter = { (byte: UInt8) in
      (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
    }
    guard let first = name.utf8.first, isLetter(first) else { return false }
    return name.utf8.allSatisfy {
      isLetter($0) || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_")
    }
  }

  /// Paths of files are relative to the folder of the catalog, which is two folders up.
  private static let base = "../../"

  /// The head of each document. Without tables: one that changes would change all documents.
  package func head(_ catalog: Catalog) -> Catalog {
    var head = selection.head(catalog)
    (head.digest, head.tables) = (nil, nil)
    head.baseURL = Self.isAbsolute(head.baseURL) ? head.baseURL : Self.base + (head.baseURL ?? "")
    return head
  }

  private static func isAbsolute(_ base: String?) -> Bool {
    base.map { $0.hasPrefix("/") || $0.hasPrefix("http:") || $0.hasPrefix("https:") } ?? false
  }

  /// What is drawn of an image, and what the manifest passes on.
  package func image(_ whole: CatalogImage, scales: [Int]) -> CatalogImage {
    var image = selection.image(whole, scales: scales)
    // What the catalog's schema requires of an image stays: it is the same for most, and costs next to nothing after gzip.
    (image.url, image.warnings, image.provenance) = (nil, nil, nil)
    for index in image.variants.indices { image.variants[index].forgetProvenance() }
    return image
  }
}

extension CatalogVariant {
  fileprivate mutating func forgetProvenance() {
    fallback = nil
    for place in files.indices { files[place].forgetProvenance() }
    highDynamicRangeFile?.forgetProvenance()
  }
}

extension CatalogVariant.File {
  fileprivate mutating func forgetProvenance() { (sha256, quality, score) = (nil, nil, nil) }
}

extension Catalog {
  /// ``headLine(slotNames:)`` with the slots in alphabetical order.
  package var sortedHeadLine: [UInt8] { headLine(slotNames: slots.keys.sorted()) }
}

/// The part of a catalog that some slots need: no other slots, and no files that only those have.
package struct CatalogSelection: Sendable, Equatable {
  package var slots: [String]
  /// The media types of files; nil for all. A variant that has none of them keeps its last file, which most clients show.
  package var types: [String]?
  /// Of the catalog's scales; nil for all.
  package var scales: [Int]?

  package init(slots: [String], types: [String]? = nil, scales: [Int]? = nil) {
    (self.slots, self.types, self.scales) = (slots, types, scales)
  }

  package func head(_ catalog: Catalog) -> Catalog {
    var head = catalog
    head.slots = head.slots.filter { slots.contains($0.key) }
    head.tables = head.tables?.filter { slots.contains($0.key) }
    if head.tables?.isEmpty == true { head.tables = nil }
    if let scales { head.scales = head.scales.filter(scales.contains) }
    return head
  }

  /// - Parameter all: the catalog's scales.
  package func image(_ whole: CatalogImage, scales all: [Int]) -> CatalogImage {
    var image = whole
    image.slots = image.slots.filter { slots.contains($0.key) }
    for (name, use) in image.slots {
      let places = zip(all, use.variants).filter { scales?.contains($0.0) ?? true }.map(\.1)
      image.slots[name]?.variants = places.filter(whole.variants.indices.contains)
    }
    let used = Set(image.slots.values.flatMap(\.variants)).sorted()
    image.variants = used.map { whole.variants[$0].files(of: types) }
    let places = Dictionary(uniqueKeysWithValues: zip(used, 0...))
    for (name, use) in image.slots {
      image.slots[name]?.variants = use.variants.map { places[$0]! }
    }
    return image
  }
}

extension CatalogVariant {
  /// The variant with the files of some types only.
  fileprivate func files(of types: [String]?) -> CatalogVariant {
    guard let types else { return self }
    var variant = self
    variant.files = files.filter { types.contains($0.type) }
    if variant.files.isEmpty, let last = files.last { variant.files = [last] }
    if let high = highDynamicRangeFile, !types.contains(high.type) {
      (variant.highDynamicRangeFile, variant.headroom) = (nil, nil)
    }
    return variant
  }
}

extension CatalogImage {
  /// The image as one line of JSON, without a line break. Members that this version does not know are not in it.
  package var json: [UInt8] {
    line(
      extra: extra.map { extra in
        var writer = JSONWriter()
        extra.write(to: &writer)
        return writer.text
      })
  }
}
