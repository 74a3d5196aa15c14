internal import TesseraBytes
package import TesseraCatalog
package import TesseraPipelineFile
internal import TesseraPlan

/// The formats of a pipeline's files, and what the files are called: the one owner of the question what shapes their bytes
/// (``FileName``).
///
/// A version of a library is not in a name, so that a security update renames nothing: of a name the first file stands.
package struct FileNames: Sendable {
  /// As the head of the catalog has them.
  package let formats: [CatalogFormat]
  private let fileFormats: [FileFormat]
  private let recipes: [String]

  package init(_ file: PipelineFile) {
    var settings = file.upgradedPlan ?? file.plan
    settings.service = nil
    let fileFormats = settings.fileFormats
    let recipes = fileFormats.map { format in
      let text = settings.recipe(of: format) + "\n" + Recipes.encoder(of: format.format)
      return String(SHA256.of(text).prefix(FileName.recipeDigits))
    }
    // An image service that makes all images leaves no files to name.
    let hasFiles = file.deliveringService.map { !$0.filesFor.isEmpty } ?? true
    formats = zip(fileFormats, recipes).map { format, recipe in
      CatalogFormat(
        type: format.format.mediaType,
        fileExtension: hasFiles ? format.format.fileExtension : nil,
        recipe: hasFiles ? recipe : nil, isFallback: format.isFallback ? true : nil,
        dynamicRange: format.hasGainMap ? "high" : nil)
    }
    (self.fileFormats, self.recipes) = (fileFormats, recipes)
  }

  /// The place of a file's format in ``formats``.
  func place(of encoding: Encoding) -> Int? { fileFormats.firstIndex { $0.isOf(encoding) } }

  /// The digest of a part of an image; nil for the whole.
  static func crop(_ crop: Crop?) -> String? {
    crop.map { String(SHA256.of("\($0)").prefix(FileName.cropDigits)) }
  }

  /// - Parameter source: ``ContentKeys/source``.
  func path(of file: PlannedFile, source: String) -> String {
    let place = place(of: file.encoding) ?? 0
    return FileName.path(
      source: source, width: file.size.width, height: file.size.height,
      crop: Self.crop(file.crop), recipe: recipes[place],
      fileExtension: file.encoding.format.fileExtension)
  }
}
