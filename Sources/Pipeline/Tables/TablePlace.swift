internal import TesseraBytes
internal import TesseraCatalog
internal import TesseraPipelineFile
internal import TesseraPlan
internal import TesseraState

/// A slot at a scale that gets tables.
struct TablePlace {
  /// Among all places of the pipeline.
  let number: Int
  let slot: String
  let scale: Int
  /// The place of the scale among the pipeline's.
  private let scaleIndex: Int
  let pixels: [TablePixels]

  static func all(of file: PipelineFile) -> [TablePlace] {
    var places: [TablePlace] = []
    for table in file.tables {
      for scale in table.scales {
        guard let index = file.plan.scales.firstIndex(of: scale) else { continue }
        places.append(
          TablePlace(
            number: places.count, slot: table.slot, scale: scale, scaleIndex: index,
            pixels: table.pixels))
      }
    }
    return places
  }

  /// The hash of an id in hexadecimal, as the state has it: it sorts as the bytes do.
  static func hash(of id: String) -> String { String(SHA256.of(id).prefix(TableHash.size * 2)) }

  /// The bytes of a hash in hexadecimal.
  static func bytes(of hash: String) -> [UInt8] {
    let digits = hash.utf8.map { UInt8($0 < 0x3A ? $0 - 0x30 : $0 - 0x57) }
    return stride(from: 0, to: digits.count - 1, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
  }

  /// What an image's line of the catalog adds to the place's tables; nil if there is no file to make pixels of, or if
  /// it is too large.
  func entry(_ image: CatalogImage, hash: String) -> StateStore.TableEntry? {
    guard let indexes = image.slots[slot]?.variants, indexes.indices.contains(scaleIndex),
      image.variants.indices.contains(indexes[scaleIndex])
    else { return nil }
    let variant = image.variants[indexes[scaleIndex]]
    guard let file = variant.files.first, let path = file.path, let bytes = file.bytes, bytes > 0,
      TableGeometry(.bgra8, width: variant.width, height: variant.height) != nil
    else { return nil }
    return StateStore.TableEntry(
      hash: hash, id: image.id, path: path, type: file.type, width: variant.width,
      height: variant.height, bytes: bytes)
  }
}
