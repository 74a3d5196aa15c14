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

/// One file of a table before it is made: its images, and how their pixels are stored.
struct TablePart {
  var pixels: TablePixels
  let prefix: TablePrefix
  /// In the order of their hashes.
  var entries: [StateStore.TableEntry]
  let background: Colour
  let quality: Int
  let effort: Int

  /// WebP's usual effort, for pipelines that choose it by the source.
  private static let usualEffort = 4

  init(
    _ pixels: TablePixels, _ prefix: TablePrefix, _ entries: [StateStore.TableEntry],
    _ plan: PlanSettings
  ) {
    (self.pixels, self.prefix, self.entries) = (pixels, prefix, entries)
    background = plan.background
    quality = plan.quality[.webp] ?? 80
    effort = plan.effort[.webp] ?? Self.usualEffort
  }

  /// Of a cell.
  var width: Int { entries.map(\.width).max() ?? 0 }
  var height: Int { entries.map(\.height).max() ?? 0 }

  /// Nil for an atlas.
  var geometry: TableGeometry? { TableGeometry(pixels, width: width, height: height) }

  /// Identifies the file: its images, and how they are stored.
  var key: String {
    let settings =
      pixels == .webp
      ? "quality \(quality) effort \(effort)"
      : pixels.hasAlpha ? "" : "background \(background.hexadecimal)"
    let lines = entries.map { "\($0.hash) \($0.path)" + (pixels == .webp ? " \($0.id)" : "") }
    return RecordKey.of(
      (["table \(pixels.rawValue) \(settings)", "recipes \(Recipes.common)"] + lines)
        .joined(separator: "\n"))
  }

  /// Whether this many images fit in one file.
  static func fits(_ content: StateStore.TableContent, _ pixels: TablePixels) -> Bool {
    content.count <= TableGeometry.maximumCount
      && (pixels != .webp
        || content.count <= AtlasGrid.capacity(width: content.width, height: content.height))
  }
}

extension TablePixels {
  fileprivate var hasAlpha: Bool { self == .bgra8 || self == .rgba8 }
}

/// Where the images of an atlas are: in cells of equal size, row by row.
struct AtlasGrid {
  /// In pixels. Every browser and graphics processor decodes an image of this size, and a worker encodes it in its
  /// least memory.
  private static let longestSide = 2_048
  /// libwebp's macroblocks: an image shares none with its neighbour, so that neither bleeds into the other.
  private static let alignment = 16

  let columns: Int
  let size: Size
  private let cell: Size

  init(count: Int, width: Int, height: Int) {
    cell = Self.cell(width, height)
    // Nearly square.
    var columns = 1
    while columns * columns * cell.width < count * cell.height { columns += 1 }
    // No more rows than there is room for.
    let rowLimit = max(1, Self.longestSide / cell.height)
    columns = max(columns, (count + rowLimit - 1) / rowLimit)
    self.columns = min(columns, max(1, Self.longestSide / cell.width), max(1, count))
    let rows = (count + self.columns - 1) / self.columns
    size = Size(self.columns * cell.width, rows * cell.height)
  }

  func origin(of position: Int) -> (x: Int, y: Int) {
    (position % columns * cell.width, position / columns * cell.height)
  }

  /// How many cells an atlas has room for.
  static func capacity(width: Int, height: Int) -> Int {
    let cell = cell(width, height)
    return max(1, longestSide / cell.width) * max(1, longestSide / cell.height)
  }

  private static func cell(_ width: Int, _ height: Int) -> Size {
    func rounded(_ side: Int) -> Int { (side + alignment - 1) / alignment * alignment }
    return Size(rounded(width), rounded(height))
  }
}
