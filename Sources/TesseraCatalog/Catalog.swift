/// A Tessera catalog (`tessera-catalog/1`): everything an app needs to lay out its screens before
/// the first picture has loaded.
///
///     let catalog = try Catalog(reading: data)
///     let index = CatalogIndex(catalog)
///     let avatar = index.variant(of: "p1", for: "avatar", scale: 2)
///
/// Members that this version does not know are ignored, so an app goes on reading catalogs of
/// later minor versions. Any `Decoder` decodes one as well, more slowly, and looks less closely: it takes any ``schema``,
/// and numbers such as `1.0` for whole ones.
public struct Catalog: Codable, Sendable, Equatable {
  /// The schema's name and major version.
  public static let schema = "tessera-catalog/1"

  public var schema: String
  public var generator: Generator
  public var pipeline: Pipeline
  /// What clients put before a variant's path. Ends in "/" or is nil.
  public var baseURL: String?
  /// The places of the layout, by name.
  public var slots: [String: CatalogSlot]
  /// Device pixels a point, ascending. ``CatalogSlotUse/variants`` has one entry for each.
  public var scales: [Int]
  /// In the order of the manifest.
  public var images: [CatalogImage]

  /// What made the catalog.
  public struct Generator: Codable, Sendable, Equatable {
    public var name: String
    public var version: String
    public var libvips: String

    public init(name: String, version: String, libvips: String) {
      self.name = name
      self.version = version
      self.libvips = libvips
    }
  }

  /// The pipeline file behind the catalog.
  public struct Pipeline: Codable, Sendable, Equatable {
    /// The file's name without its extension.
    public var name: String
    /// Changes whenever a key changes that shapes the catalog or the variants' bytes.
    public var fingerprint: String

    public init(name: String, fingerprint: String) {
      self.name = name
      self.fingerprint = fingerprint
    }
  }

  public init(
    generator: Generator, pipeline: Pipeline, baseURL: String?, slots: [String: CatalogSlot],
    scales: [Int], images: [CatalogImage]
  ) {
    self.schema = Self.schema
    self.generator = generator
    self.pipeline = pipeline
    self.baseURL = baseURL
    self.slots = slots
    self.scales = scales
    self.images = images
  }
}

/// A place in the layout, in points.
public struct CatalogSlot: Codable, Sendable, Equatable {
  public enum Mode: String, Codable, Sendable, CaseIterable {
    /// The whole picture inside the box.
    case fit
    /// The whole picture covering the box.
    case fill
    /// The picture cropped to the box's shape.
    case clip
  }

  /// Nil where the width is free.
  public var width: Int?
  /// Nil where the height is free.
  public var height: Int?
  public var mode: Mode

  public init(width: Int?, height: Int?, mode: Mode) {
    self.width = width
    self.height = height
    self.mode = mode
  }
}
