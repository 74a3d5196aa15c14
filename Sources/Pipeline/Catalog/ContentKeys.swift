internal import TesseraBytes
internal import TesseraCatalog
internal import TesseraPlan
internal import TesseraState

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
