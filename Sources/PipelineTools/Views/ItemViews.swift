internal import TesseraCatalog
internal import TesseraPlan

extension AccessLog {
  /// How often the image of a line of the catalog was viewed in each place; nil if none of its files was requested.
  func weights(of line: String, _ settings: PlanSettings) -> ViewWeights? {
    guard let image = CatalogImage(line: line) else { return nil }
    let counts = image.variants.map { variant in
      variant.files.reduce(0) { sum, file in sum + (file.path.map { requests(of: $0) } ?? 0) }
    }
    guard counts.contains(where: { $0 > 0 }) else { return nil }
    return ViewWeights(counts, image.slots.mapValues(\.variants), settings)
  }
}
