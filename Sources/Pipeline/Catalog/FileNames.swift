internal import TesseraBytes
package import TesseraCatalog
package import TesseraPipelineFile
internal import TesseraPlan
internal import TesseraState

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

/// Identifies what is made of a content: by how it is decoded, and the recipe.
struct ContentKeys {
  /// SHA-256 of the source's bytes.
  let content: String
  let facts: SourceFacts
  let decode: DecodePlan
  /// The source in the names of its files: its bytes, the version of our decoding of its format, and the size at which it is
  /// decoded for the largest of its files, from which all others are reduced.
  let source: String
  private let names: FileNames
  private let decoder: String

  /// - Parameter format: the source's, as the catalog names it.
  init(
    content: String, format: String, facts: SourceFacts, decode: DecodePlan, _ names: FileNames
  ) {
    (self.content, self.facts, self.decode, self.names) = (content, facts, decode, names)
    decoder = "recipes \(Recipes.common)\n" + Recipes.decoder(of: format, facts)
    let base = decode.base
    source = String(
      SHA256.of("content \(content)\nbase \(base.width)x\(base.height)\n\(decoder)")
        .prefix(FileName.sourceDigits))
  }

  func path(of file: PlannedFile) -> String { names.path(of: file, source: source) }

  /// The key of a file's record in the state.
  func key(of file: PlannedFile) -> String { VariantRecord.key(path: path(of: file)) }

  /// The key of the quality that is found for the content. A later version that searches better finds other qualities,
  /// and keeps those that are recorded.
  func quality(_ search: Plan.QualitySearch) -> String {
    let encoder = Recipes.encoder(of: search.encoding.format)
    return QualityRecord.key(
      content: content,
      digest: RecordKey.of("\(decode.recipe)\n\(search.recipe)\n\(decoder)\(encoder)"))
  }

  /// Of what is shown before the files are there.
  var placeholder: String {
    RecordKey.of("content \(content)\n\(decode.recipe)\nplaceholder\n\(decoder)")
  }
}

/// Numbers that are raised whenever the same recipe, content and libraries would give other bytes than before: they change the
/// names of these files, and only of these (``FileNames``). Each is for
/// the sources of one decoder or the files of one encoder, so that a correction has only those made again.
enum Recipes {
  /// Of all files.
  static let common = 4

  /// By format of the source. One that is missing has not changed since there are these numbers, and is in no key.
  static let decoders = [
    "avif": 1, "bmp": 1, "gif": 1, "heic": 1, "jpeg in inks": 1, "jxl": 1, "png": 2, "svg": 1,
    "tiff": 2, "webp": 1,
  ]

  /// By format of the file.
  static let encoders: [OutputFormat: Int] = [:]

  static func decoder(of format: String, _ facts: SourceFacts) -> String {
    let name = facts.isInks ? "\(format) in inks" : format
    return decoders[name].map { "decoder \(name) \($0)\n" } ?? ""
  }

  static func encoder(of format: OutputFormat) -> String {
    encoders[format].map { "encoder \(format.rawValue) \($0)\n" } ?? ""
  }

  /// All of them.
  static var text: String {
    let own =
      decoders.map { "decoder \($0.key) \($0.value)" }
      + encoders.map { "encoder \($0.key.rawValue) \($0.value)" }
    return "recipes \(common) \(own.sorted().joined(separator: ", "))"
  }
}
