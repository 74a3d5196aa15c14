internal import TesseraCatalog

/// A file of a catalog that an image service makes.
struct DeliveredFile: Sendable {
  var id: String
  var url: String
  var type: String
  var width: Int
  var height: Int

  /// All of an image.
  static func all(of image: CatalogImage) -> [DeliveredFile] {
    image.variants.flatMap { variant in
      variant.allFiles.compactMap { file in
        file.url.map {
          DeliveredFile(
            id: image.id, url: $0, type: file.type, width: variant.width, height: variant.height)
        }
      }
    }
  }
}
