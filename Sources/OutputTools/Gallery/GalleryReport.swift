internal import TesseraCatalog
internal import TesseraJSON

/// What `gallery` wrote.
package struct GalleryReport: Sendable, JSONDocument {
  package let schema = "tessera-gallery/1"
  package var path: String
  /// Images in the catalog.
  package var images = 0
  /// Images on the page.
  package var shown = 0

  private enum CodingKeys: String, CodingKey {
    case schema, path
    // Programs read this name, so it stays although the sources say "images".
    case images = "pictures"
    case shown
  }

  init(path: String) { self.path = path }
}

/// What all images of a catalog add up to, for the page's heading.
struct GalleryTotals {
  private(set) var images = 0
  private var statuses: [CatalogImage.Status: Int] = [:]
  private var files = 0
  private var bytes = 0

  mutating func add(_ image: CatalogImage) {
    images += 1
    statuses[image.status, default: 0] += 1
    for file in image.variants.flatMap(\.allFiles) {
      files += 1
      // A damaged catalog may state any number.
      let (sum, isTooLarge) = bytes.addingReportingOverflow(max(0, file.bytes ?? 0))
      bytes = isTooLarge ? .max : sum
    }
  }

  func write(to object: inout JSONWriter) {
    object.member("images", images)
    object.name("statuses")
    object.object { list in
      for status in CatalogImage.Status.allCases {
        list.member(status.rawValue, statuses[status] ?? 0)
      }
    }
    object.member("files", files)
    object.member("bytes", bytes)
  }
}
