internal import TesseraJSON

/// What one screen of an app needs of a catalog (`catalog: {screens: …}`): the images with some slots and files, in a
/// file for those that are seen first, and in pages.
package struct CatalogScreen: Sendable, Equatable {
  package var name: String
  package var selection: CatalogSelection
  /// How many images the first page has.
  package var first: Int
  /// About how many images each other page has.
  package var pages: Int

  package init(name: String, selection: CatalogSelection, first: Int, pages: Int) {
    (self.name, self.selection) = (name, selection)
    (self.first, self.pages) = (first, pages)
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

  /// The head of each page. Without tables: one that changes would change all pages.
  package func head(_ catalog: Catalog) -> Catalog {
    var head = selection.head(catalog)
    head.tables = nil
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
    (image.url, image.warnings, image.source) = (nil, nil, nil)
    for index in image.variants.indices { image.variants[index].forgetProvenance() }
    return image
  }
}

extension CatalogVariant {
  fileprivate mutating func forgetProvenance() {
    (sha256, quality, score, fallback) = (nil, nil, nil, nil)
    also = also?.map { other in
      var file = other
      (file.sha256, file.quality, file.score, file.fallback) = (nil, nil, nil, nil)
      return file
    }
  }
}

extension Catalog {
  /// ``headLine(slotNames:)`` with the slots in alphabetical order.
  package var sortedHeadLine: [UInt8] { headLine(slotNames: slots.keys.sorted()) }
}
