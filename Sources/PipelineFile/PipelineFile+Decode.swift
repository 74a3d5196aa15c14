internal import TesseraImageHeader
internal import TesseraManifest
internal import TesseraPlan
internal import TesseraSystem
internal import TesseraText

extension PipelineFile {
  /// Reads and checks a pipeline file.
  ///
  /// - Parameter environment: looks up a variable for `${NAME}`.
  /// - Throws: ``PipelineFileError`` with every mistake, or ``SystemError`` where the file can't be
  ///   read.
  package static func load(
    _ path: String, environment: @escaping (String) -> String? = Host.environment
  ) throws -> PipelineFile {
    let bytes = try FileSystem.read(path, limit: 1 << 20)
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
    let base = top.value("base", expected: "a URL, such as https://images.example.com/") {
      $0.hasPrefix("http://") || $0.hasPrefix("https://") ? $0 : nil
    }
    let output = top.value("output", expected: "a path") { FileSystem.join(directory, $0) }
    let baseURL = top.value("base-url", expected: "a URL, such as https://cdn.example.com/feed/") {
      $0.hasPrefix("http://") || $0.hasPrefix("https://")
        ? ($0.hasSuffix("/") ? $0 : $0 + "/") : nil
    }
    let slots = SlotDecoding.slots(&top)
    let plan = VariantDecoding.settings(&top, slots: slots ?? [])
    let fetch = FetchDecoding.fetch(&top, directory: directory)
    let accept = acceptedFormats(&top)
    let limits = limits(&top)
    let workers = top.value("workers", expected: "\"auto\" or a whole number from 1 to 256") {
      $0 == "auto" ? .some(nil) : Int($0).flatMap { (1...256).contains($0) ? .some($0) : nil }
    }
    let (profile, catalogFormat) = catalogKeys(&top)
    let placeholders = placeholders(&top)
    let failOn = top.choice("fail-on", FailOn.allCases) ?? .error
    let failAbove = top.value(
      "fail-above", expected: "a percentage from 0% to 100%", Units.percentage)
    top.finish()
    for key in ["manifest", "output", "slots"] where top.node(key) == nil {
      context.report(top.mark, "the key \"\(key)\" is missing; it has no default")
    }
    guard let manifest, let output, slots != nil else { return nil }
    var file = PipelineFile(
      name: baseName(path), path: path, manifest: manifest, base: base, output: output,
      baseURL: baseURL, plan: plan, fetch: fetch, accept: accept, limits: limits,
      workers: workers ?? nil, placeholders: placeholders,
      failOn: failOn)
    file.failAbove = failAbove ?? file.failAbove
    file.profile = profile
    file.catalogFormat = catalogFormat
    return file
  }

  private static func baseName(_ path: String) -> String {
    let name = FileSystem.name(of: path)
    guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return name }
    return String(name[..<dot])
  }

  /// An empty list means none. The order does not matter.
  private static func placeholders(_ top: inout KeyGroup) -> [Placeholder] {
    guard let nodes = top.list("placeholders") else { return [.color, .thumbhash] }
    let named = nodes.compactMap { top.choice(of: $0, "placeholders", Placeholder.allCases) }
    return Placeholder.allCases.filter(named.contains)
  }

  private static func acceptedFormats(_ top: inout KeyGroup) -> [ImageFormat] {
    guard let nodes = top.list("accept") else { return defaultAccept }
    if nodes.isEmpty {
      top.context.report(top.mark, "\"accept\" must name at least one format")
    }
    let built = ImageFormat.allCases.filter(\.isDecoded)
    return nodes.compactMap {
      top.choice(of: $0, "accept", built, unbuilt: [ImageFormat.psd.rawValue])
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
    // Below this libvips and its codecs can't even start.
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

  private static func catalogKeys(_ top: inout KeyGroup) -> (Profile, CatalogFormat) {
    guard var group = top.group("catalog") else { return (.client, .json) }
    let profile = group.choice("profile", Profile.allCases) ?? .client
    let format = group.choice("format", CatalogFormat.allCases) ?? .json
    group.finish()
    return (profile, format)
  }
}

extension PipelineFile.Manifest {
  package static let expected = "a path, an http(s) URL, or \"-\" for standard input"

  /// Reads where a manifest is. Nil where it is a URL that is not fetched.
  ///
  /// - Parameter directory: what paths are relative to.
  package init?(_ text: String, directory: String) {
    if text.isEmpty { return nil }
    if text == "-" {
      self = .standardInput
    } else if text.contains("://") {
      guard SourceURL.isFetchable(text) else { return nil }
      self = .url(text)
    } else {
      self = .file(FileSystem.join(directory, text))
    }
  }
}
