extension Catalog {
  /// Reads a whole catalog, JSON or JSON Lines. For one that is too large for that there is ``CatalogReader``.
  ///
  /// - Throws: ``CatalogError``, which says where and why.
  public init(reading bytes: some Sequence<UInt8>) throws(CatalogError) {
    var reader = CatalogReader()
    reader.add(bytes)
    var images: [CatalogImage] = []
    while let image = try reader.next() { images.append(image) }
    try reader.finish()
    guard var catalog = reader.head else {
      throw CatalogError(line: 1, column: 1, member: "", message: "expected a catalog")
    }
    catalog.images = images
    self = catalog
  }
}

/// The members of a document before its pictures.
struct HeadFields: Sendable {
  private var schema: String?
  private var generator: Catalog.Generator?
  private var pipeline: Catalog.Pipeline?
  private var baseURL: String?
  private var slots: [String: CatalogSlot]?
  private var scales: [Int]?
  var hasImages = false

  /// A member that has to be there, and is not.
  var missing: String? {
    if schema == nil { return "schema" }
    if generator == nil { return "generator" }
    if pipeline == nil { return "pipeline" }
    if slots == nil { return "slots" }
    return scales == nil ? "scales" : nil
  }

  var catalog: Catalog? {
    guard let schema, let generator, let pipeline, let slots, let scales else { return nil }
    var catalog = Catalog(
      generator: generator, pipeline: pipeline, baseURL: baseURL, slots: slots, scales: scales,
      images: [])
    catalog.schema = schema
    return catalog
  }

  mutating func take(_ name: String, _ scanner: inout JSONScanner) throws(JSONScanner.Failure) {
    switch name {
    case "schema":
      let offset = scanner.offset
      let text = try scanner.string()
      guard text == Catalog.schema else {
        throw JSONScanner.Failure(
          offset: offset,
          message: "expected \"\(Catalog.schema)\", which is what this library reads, found "
            + "\"\(text)\"")
      }
      schema = text
    case "generator": generator = try Self.generator(&scanner)
    case "pipeline": pipeline = try Self.pipeline(&scanner)
    case "baseURL": baseURL = scanner.null() ? nil : try scanner.string()
    case "slots":
      var slots: [String: CatalogSlot] = [:]
      try scanner.object { scanner, name throws(JSONScanner.Failure) in
        slots[name] = try Self.slot(&scanner)
      }
      self.slots = slots
    case "scales":
      var scales: [Int] = []
      try scanner.array { scanner throws(JSONScanner.Failure) in scales.append(try scanner.int()) }
      self.scales = scales
    default: try scanner.skip()
    }
  }

  private static func generator(
    _ scanner: inout JSONScanner
  ) throws(JSONScanner.Failure) -> Catalog.Generator {
    var generator = Catalog.Generator(name: "", version: "", libvips: "")
    try scanner.object { scanner, name throws(JSONScanner.Failure) in
      switch name {
      case "name": generator.name = try scanner.string()
      case "version": generator.version = try scanner.string()
      case "libvips": generator.libvips = try scanner.string()
      default: try scanner.skip()
      }
    }
    return generator
  }

  private static func pipeline(
    _ scanner: inout JSONScanner
  ) throws(JSONScanner.Failure) -> Catalog.Pipeline {
    var pipeline = Catalog.Pipeline(name: "", fingerprint: "")
    try scanner.object { scanner, name throws(JSONScanner.Failure) in
      switch name {
      case "name": pipeline.name = try scanner.string()
      case "fingerprint": pipeline.fingerprint = try scanner.string()
      default: try scanner.skip()
      }
    }
    return pipeline
  }

  private static func slot(
    _ scanner: inout JSONScanner
  ) throws(JSONScanner.Failure) -> CatalogSlot {
    var slot = CatalogSlot(width: nil, height: nil, mode: .fit)
    try scanner.object { scanner, name throws(JSONScanner.Failure) in
      switch name {
      case "width": slot.width = scanner.null() ? nil : try scanner.int()
      case "height": slot.height = scanner.null() ? nil : try scanner.int()
      case "mode": slot.mode = try scanner.choice()
      default: try scanner.skip()
      }
    }
    return slot
  }
}
