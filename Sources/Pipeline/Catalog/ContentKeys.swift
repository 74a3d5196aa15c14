internal import TesseraPlan
internal import TesseraState

/// Identifies what is made of a content: by how it is decoded, the recipe, and the versions of what cooks it.
struct ContentKeys {
  /// SHA-256 of the source's bytes.
  let content: String
  /// The source's, as the catalog names it.
  let format: String
  let facts: SourceFacts
  let decode: DecodePlan
  /// Another version of libvips may encode other bytes, so its files are made again.
  let libvips: String

  func file(_ file: PlannedFile) -> String {
    key(file.recipe, encoder: Recipes.encoder(of: file.encoding.format))
  }

  /// The key of the quality that is found for the content. A later version that searches better finds other qualities,
  /// and keeps those that are recorded.
  func quality(_ search: Plan.QualitySearch) -> String {
    let encoder = Recipes.encoder(of: search.encoding.format)
    return QualityRecord.key(content: content, digest: key(search.recipe, encoder: encoder))
  }

  /// Of what is shown before the files are there.
  var placeholder: String { key("placeholder", encoder: "") }

  private func key(_ recipe: String, encoder: String) -> String {
    RecordKey.of(
      "content \(content)\n\(decode.recipe)\n\(recipe)\nlibvips \(libvips)\n"
        + "recipes \(Recipes.common)\n" + Recipes.decoder(of: format, facts) + encoder)
  }
}
