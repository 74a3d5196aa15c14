/// A Tessera catalog (`tessera-catalog/1`): everything an app needs to lay out its screens before
/// the first image has loaded.
///
///     let catalog = try Catalog(reading: data)
///     let index = CatalogIndex(catalog, accepting: SupportedTypes.iOS(17))
///     let avatar = index["p1"]?.file(for: "avatar", scale: 2)
///
/// Members that this version does not know are ignored, so an app can read catalogs of later minor
/// versions.
public struct Catalog: Sendable, Hashable {
  /// The schema's name and major version.
  public static let schema = "tessera-catalog/1"

  /// SHA-256 of the document as it was written: of all bytes after this member's comma, in hexadecimal. It says nothing of a
  /// value that was changed since. Nil if this is not of a document.
  public var digest: String?
  /// The document's schema: ``Catalog/schema-type.property`` in every catalog that this version reads.
  public var schema: String
  /// The program that made the catalog.
  public var generator: Generator
  /// The pipeline file behind the catalog.
  public var pipeline: Pipeline
  /// The prefix of a variant's path. Ends in "/"; nil if the pipeline file sets none.
  public var baseURL: String?
  /// The formats of files: those that the pipeline requests in their order of preference, then those that take their place where
  /// they can't hold an image.
  public var formats: [CatalogFormat]
  /// The places in the layout, by name.
  public var slots: [String: CatalogSlot]
  /// Device pixels per point, ascending. ``CatalogSlotUse/variants`` has one entry for each.
  public var scales: [Int]
  /// Ready pixels of small slots, by the slot's name; nil if the pipeline file has no `tables`.
  public var tables: [String: [CatalogTable]]?
  /// In the first document of a screen: the ``digest`` of the whole catalog. Else nil.
  public var catalogDigest: String?
  /// In the first document of a screen that has more: where those with the following images are, relative to ``baseURL`` as paths
  /// of files are. Each is named by its bytes, so it never changes. Else nil.
  public var parts: [String]?
  /// In the order of the manifest.
  public var images: [CatalogImage]

  /// The program that made the catalog.
  public struct Generator: Sendable, Hashable {
    /// `tessera`.
    public var name: String
    /// The program's version.
    public var version: String
    /// The version of libvips that made the files.
    public var libvips: String

    /// A program by its name and versions.
    public init(name: String, version: String, libvips: String) {
      self.name = name
      self.version = version
      self.libvips = libvips
    }
  }

  /// The pipeline file behind the catalog.
  public struct Pipeline: Sendable, Hashable {
    /// The file's name without its extension.
    public var name: String
    /// Changes whenever a key changes that affects the catalog or the bytes of its variants.
    public var fingerprint: String

    /// A pipeline file by its name and fingerprint.
    public init(name: String, fingerprint: String) {
      self.name = name
      self.fingerprint = fingerprint
    }
  }

  /// A catalog of this version, without a digest.
  public init(
    generator: Generator, pipeline: Pipeline, baseURL: String?, formats: [CatalogFormat],
    slots: [String: CatalogSlot], scales: [Int], images: [CatalogImage]
  ) {
    self.schema = Self.schema
    self.generator = generator
    self.pipeline = pipeline
    self.baseURL = baseURL
    self.formats = formats
    self.slots = slots
    self.scales = scales
    self.images = images
  }
}

extension Catalog {
  static var blank: Catalog {
    Catalog(
      generator: .blank, pipeline: .blank, baseURL: nil, formats: [], slots: [:], scales: [],
      images: [])
  }

  /// Everything but the images. A head is read and written apart from them, because the images of a
  /// catalog may not fit in memory.
  static func headMembers<Visitor: MemberVisitor & ~Copyable>(
    _ visitor: inout Visitor, _ catalog: inout Catalog
  ) throws(Visitor.Failure) {
    try visitor.optional("digest", &catalog.digest)
    try visitor.required("schema", &catalog.schema)
    try visitor.required("generator", &catalog.generator)
    try visitor.required("pipeline", &catalog.pipeline)
    try visitor.optional("baseURL", &catalog.baseURL)
    try visitor.required("formats", &catalog.formats)
    try visitor.named("slots", &catalog.slots)
    try visitor.required("scales", &catalog.scales)
    try visitor.optional("tables", &catalog.tables)
    try visitor.optional("catalog", &catalog.catalogDigest)
    try visitor.optional("parts", &catalog.parts)
  }
}

extension Catalog.Generator: CatalogRecord {
  static var blank: Self { Self(name: "", version: "", libvips: "") }

  static func members<Visitor: MemberVisitor & ~Copyable>(
    _ visitor: inout Visitor, _ generator: inout Self
  ) throws(Visitor.Failure) {
    try visitor.required("name", &generator.name)
    try visitor.required("version", &generator.version)
    try visitor.required("libvips", &generator.libvips)
  }
}

extension Catalog.Pipeline: CatalogRecord {
  static var blank: Self { Self(name: "", fingerprint: "") }

  static func members<Visitor: MemberVisitor & ~Copyable>(
    _ visitor: inout Visitor, _ pipeline: inout Self
  ) throws(Visitor.Failure) {
    try visitor.required("name", &pipeline.name)
    try visitor.required("fingerprint", &pipeline.fingerprint)
  }
}

extension Catalog {
  /// Reads a whole catalog. For a catalog that is larger than memory, use
  /// ``CatalogReader``.
  ///
  /// - Parameters:
  ///   - bytes: of the document.
  ///   - skip: called for each image that can't be read, which is then left out; nil for an error instead.
  /// - Throws: ``CatalogError``, which states the line, the column, the member and the reason.
  public init(
    reading bytes: some Sequence<UInt8>, skipping skip: ((CatalogError) -> Void)? = nil
  ) throws(CatalogError) {
    var reader = CatalogReader()
    reader.skipsBadImages = skip != nil
    reader.add(bytes)
    var images: [CatalogImage] = []
    while let image = try reader.next() { images.append(image) }
    try reader.finish()
    guard var catalog = reader.head else {
      throw CatalogError(line: 1, column: 1, member: "", message: "expected a catalog")
    }
    catalog.images = images
    if let skip { for problem in reader.problems { skip(problem) } }
    self = catalog
  }
}
