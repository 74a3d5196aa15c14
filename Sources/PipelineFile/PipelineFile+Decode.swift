internal import TesseraImageHeader
internal import TesseraManifest
internal import TesseraPlaceholder
internal import TesseraPlan
internal import TesseraSystem
internal import TesseraText

extension PipelineFile {
  /// Reads and decodes a pipeline file.
  ///
  /// - Parameter environment: looks up a variable for `${NAME}`.
  /// - Throws: ``PipelineFileError`` with every mistake, or ``SystemError`` if the file cannot be
  ///   read.
  package static func load(
    _ path: String, environment: @escaping (String) -> String? = Host.environment
  ) throws -> PipelineFile {
    // 1 MiB is far more than a pipeline file takes; a larger file is a mistake in the path.
    let bytes: [UInt8]
    do {
      bytes = try FileSystem.read(path, limit: 1 << 20)
    } catch {
      throw MistakenFile.error(ofLongFile: path) ?? error
    }
    return try decode(bytes, path: path, environment: environment)
  }

  package static func decode(
    _ bytes: [UInt8], path: String, environment: @escaping (String) -> String?
  ) throws(PipelineFileError) -> PipelineFile {
    let context = DecodingContext(environment: environment)
    do throws(Diagnostic) {
      let root = try YAMLParser.parse(bytes)
      if let file = decode(root, path: path, context: context), context.diagnostics.isEmpty {
        return file
      }
    } catch {
      context.report(error.mark, error.message)
    }
    if let mistaken = MistakenFile.diagnostic(of: bytes, at: path) {
      throw PipelineFileError(path: path, bytes: nil, diagnostics: [mistaken])
    }
    throw PipelineFileError(path: path, bytes: bytes, diagnostics: context.diagnostics)
  }

  private static func decode(
    _ root: YAMLNode, path: String, context: DecodingContext
  ) -> PipelineFile? {
    var top = KeyGroup(root, prefix: "", context: context)
    let directory = FileSystem.parent(of: path)
    let manifest = top.value("manifest", expected: Manifest.expected) {
      Manifest($0, directory: directory)
    }
    let output = top.value("output", expected: "a path, or s3://bucket/prefix") {
      place($0, in: directory)
    }
    let slots = SlotDecoding.slots(&top)
    // Decoding goes on without a required key, so that one run reports all mistakes. The stand-ins
    // never leave this function.
    var file = PipelineFile(
      name: name(of: path), path: path, manifest: manifest ?? .standardInput,
      output: output ?? "", plan: VariantDecoding.settings(&top, slots: slots ?? []))
    file.decodeOptionalKeys(&top, directory: directory)
    top.finish()
    for key in ["manifest", "output", "slots"] where top.node(key) == nil {
      context.report(top.mark, "the key \"\(key)\" is missing; it has no default")
    }
    return manifest != nil && output != nil && slots != nil ? file : nil
  }

  /// A path relative to a directory, or a place in an object store.
  private static func place(_ text: String, in directory: String) -> String? {
    guard text.contains("://") else { return FileSystem.join(directory, text) }
    return text.hasPrefix("s3://") && text.utf8.count > 5 ? text : nil
  }

  private static func store(_ top: inout KeyGroup) -> Store {
    var store = Store()
    guard var group = top.group("store") else { return store }
    store.endpoint = group.value(
      "endpoint", expected: "a URL, such as https://minio.example.com:9000"
    ) { isWebURL($0) ? $0 : nil }
    store.region = group.value("region", expected: "a name such as eu-central-1") {
      $0.isEmpty ? nil : $0
    }
    store.usesPathStyle = group.value("path-style", expected: "true or false", Bool.init)
    group.finish()
    return store
  }

  private mutating func decodeOptionalKeys(_ top: inout KeyGroup, directory: String) {
    base = top.value("base", expected: "a URL, such as https://images.example.com/") {
      Self.isWebURL($0) ? $0 : nil
    }
    baseURL = top.value("base-url", expected: "a URL, such as https://cdn.example.com/feed/") {
      // Clients join the base and a path without anything in between.
      Self.isWebURL($0) ? ($0.hasSuffix("/") ? $0 : $0 + "/") : nil
    }
    fetch = FetchDecoding.fetch(&top, directory: directory)
    state = top.value("state", expected: "a path") { FileSystem.join(directory, $0) }
    if state != nil, !output.hasPrefix("s3://"), let node = top.node("state") {
      top.context.report(
        node.mark,
        "\"state\" is for an output in an object store (s3://); a directory holds its own")
    }
    store = Self.store(&top)
    accept = Self.acceptedFormats(&top)
    limits = Self.limits(&top)
    workers =
      top.value("workers", expected: "\"auto\" or a whole number from 1 to 256") {
        // .some(nil) is the value "auto"; nil is a mistake.
        $0 == "auto" ? .some(nil) : Int($0).flatMap { (1...256).contains($0) ? .some($0) : nil }
      } ?? nil
    requiresSandbox =
      top.value("require-sandbox", expected: "true or false", Bool.init) ?? requiresSandbox
    decodeCatalogKeys(&top)
    decodeKeptCatalogs(&top)
    extra = Self.extra(&top) ?? extra
    tables = Self.tables(&top, plan)
    placeholders = Self.placeholders(&top)
    delivery = DeliveryDecoding.service(&top)
    failOn = top.choice("fail-on", FailOn.allCases) ?? failOn
    // In YAML 1.1, `on` and `off` are other names of true and false.
    plan.lanes =
      top.value("lanes", expected: "on or off") {
        Lanes(rawValue: $0) ?? Bool($0).map { $0 ? .on : .off }
      } ?? plan.lanes
    failAbove = top.percentage("fail-above") ?? failAbove
    shrinkAbove = top.percentage("shrink-above") ?? shrinkAbove
    lostAbove = top.percentage("lost-above") ?? lostAbove
    keepLost = top.duration("keep-lost", allowsZero: true) ?? keepLost
    applyDelivery(top)
  }

  private static func isWebURL(_ text: String) -> Bool {
    text.hasPrefix("http://") || text.hasPrefix("https://")
  }

  /// The name of the pipeline in a file: the file's name without its extension.
  package static func name(of path: String) -> String {
    let name = FileSystem.name(of: path)
    guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return name }
    return String(name[..<dot])
  }

  /// The kinds of placeholders; an empty list means none. Their order in the file has no effect.
  private static func placeholders(_ top: inout KeyGroup) -> [Placeholders.Kind] {
    guard let nodes = top.list("placeholders") else { return [.color, .thumbhash] }
    let named = nodes.compactMap { top.choice(of: $0, "placeholders", Placeholders.Kind.allCases) }
    return Placeholders.Kind.allCases.filter(named.contains)
  }

  private static func acceptedFormats(_ top: inout KeyGroup) -> [ImageFormat] {
    guard let nodes = top.list("accept") else { return defaultAccept }
    if nodes.isEmpty {
      top.context.report(top.mark, "\"accept\" must name at least one format")
    }
    let decoded = ImageFormat.allCases.filter(\.isDecoded)
    return nodes.compactMap {
      top.choice(of: $0, "accept", decoded, unsupported: [ImageFormat.psd.rawValue])
    }
  }

  private static func limits(_ top: inout KeyGroup) -> Limits {
    var limits = Limits()
    guard var group = top.group("limits") else { return limits }
    if let pixels = group.value(
      "pixels", expected: "a count of pixels, such as 100MP",
      { Units.pixels($0).flatMap { $0 > 0 ? $0 : nil } })
    {
      limits.pixels = pixels
    }
    limits.frames = group.int("frames", 1...100_000) ?? limits.frames
    // With less, libvips and its codecs cannot start.
    if let memory = group.value(
      "memory", expected: "a size of at least 256MB, such as 2GB",
      { Units.bytes($0).flatMap { $0 >= 256_000_000 ? $0 : nil } })
    {
      limits.memory = memory
    }
    limits.time = group.duration("time") ?? limits.time
    group.finish()
    return limits
  }

  private mutating func decodeCatalogKeys(_ top: inout KeyGroup) {
    guard var group = top.group("catalog") else { return }
    profile = group.choice("profile", Profile.allCases) ?? profile
    catalogFormat = group.choice("format", CatalogFormat.allCases) ?? catalogFormat
    catalogPages = group.value("pages", expected: "a whole number from 10 to 1000000") {
      Int($0).flatMap { (10...1_000_000).contains($0) ? $0 : nil }
    }
    showsURLs = group.choice("urls", URLDisplay.allCases).map { $0 == .shown } ?? showsURLs
    group.finish()
  }

  private enum URLDisplay: String, CaseIterable { case shown, none }

  /// A number of catalogs, or a group with it and their age.
  private mutating func decodeKeptCatalogs(_ top: inout KeyGroup) {
    let counts = 0...100
    guard let node = top.node("keep-catalogs") else { return }
    guard case .mapping = node.content else {
      keepCatalogs =
        top.value(
          of: node, "keep-catalogs",
          expected: "a whole number from 0 to 100, or a group such as {count: 3, age: 7d}"
        ) { Int($0).flatMap { counts.contains($0) ? $0 : nil } } ?? keepCatalogs
      return
    }
    var group = KeyGroup(node, prefix: "keep-catalogs.", context: top.context)
    keepCatalogs = group.int("count", counts) ?? keepCatalogs
    keepCatalogsFor = group.duration("age") ?? keepCatalogsFor
    group.finish()
  }

  /// Names of members or columns, or `all`.
  private static func extra(_ top: inout KeyGroup) -> ExtraMembers? {
    guard let nodes = top.list("extra") else { return nil }
    let names = nodes.compactMap { node in
      top.value(of: node, "extra", expected: "a list of names, such as [author, price], or all") {
        $0.isEmpty ? nil : $0
      }
    }
    if let node = top.node(of: "extra"), case .scalar = node.content, names == ["all"] {
      return .all
    }
    return .named(names)
  }
}
