internal import TesseraCatalog
internal import TesseraPlan

extension AccessLog {
  /// How often the image of a line of the catalog was viewed in each place; nil if none of its files was requested.
  mutating func takeWeights(
    of line: ArraySlice<UInt8>, _ formats: [CatalogFormat], _ settings: PlanSettings
  ) -> ViewWeights? {
    guard let image = try? CatalogImage(reading: Array(line), formats) else { return nil }
    var counts: [Int] = []
    for variant in image.variants {
      counts.append(variant.allFiles.compactMap(\.path).reduce(0) { $0 + takeRequests(of: $1) })
    }
    guard counts.contains(where: { $0 > 0 }) else { return nil }
    return ViewWeights(counts, image.slots.mapValues(\.variants), settings)
  }
}
