internal import TesseraCatalog
internal import TesseraJSON
internal import TesseraOutput
internal import TesseraPipelineFile
internal import TesseraPlan
internal import TesseraState
internal import TesseraSystem

/// Writes the catalog from the state, in the order of the manifest, a line for each image: the same
/// inputs give the same bytes. At most a hundred lines are in memory at a time.
struct CatalogWriter {
  let file: PipelineFile
  let libvips: String
  let state: StateStore
  let output: any Output
  let workspace: Workspace

  private static let batch = 100

  /// - Parameter count: the number of lines; with fewer, or others, the state is damaged.
  func write(run: Int, count: Int) async throws {
    let name = "catalog.\(file.catalogFormat.rawValue)"
    let staged = workspace.stagingPath(name)
    try await writeStaged(staged, run: run, count: count)
    try output.write(name, staged: staged)
    // A catalog in the other form would be out of date from now on.
    for other in PipelineFile.CatalogFormat.allCases where other != file.catalogFormat {
      try output.delete("catalog.\(other.rawValue)")
    }
  }

  private func writeStaged(_ path: String, run: Int, count: Int) async throws {
    let target = try File(path, .write)
    let isLines = file.catalogFormat == .jsonl
    // In JSON, the images are the last member of the object.
    try target.write(isLines ? head : head.dropLast() + Array(",\"images\":[".utf8))
    var position = -1
    var separator: [UInt8] = Array("\n".utf8)
    while true {
      let results = try await state.results(of: run, after: position, limit: Self.batch)
      guard let last = results.last else { break }
      // A gap is an item that the state has lost.
      guard results.map(\.position).elementsEqual(position + 1...position + results.count) else {
        throw lost
      }
      position = last.position
      var bytes: [UInt8] = []
      for (_, line) in results {
        bytes += separator
        bytes += Array(line.utf8)
        separator = Array((isLines ? "\n" : ",\n").utf8)
      }
      try target.write(bytes)
    }
    guard position + 1 == count else {
      throw lost
    }
    try target.write(Array((isLines ? "\n" : "\n]}\n").utf8))
  }

  private var lost: StateError {
    StateError(
      kind: .corrupt, path: workspace.statePath, message: "items of this run are missing in it")
  }

  /// Everything but the images.
  private var head: [UInt8] {
    var writer = JSONWriter()
    writer.object { object in
      object.member("schema", Catalog.schema)
      object.name("generator")
      object.object { generator in
        generator.member("name", Version.name)
        generator.member("version", Version.number)
        generator.member("libvips", libvips)
      }
      object.name("pipeline")
      object.object { pipeline in
        pipeline.member("name", file.name)
        pipeline.member("fingerprint", Fingerprint.pipeline(file, libvips: libvips))
      }
      if let baseURL = file.baseURL { object.member("baseURL", baseURL) }
      object.name("slots")
      object.object { slots in
        for slot in file.plan.slots {
          slots.name(slot.name)
          slots.object { group in
            if let width = slot.width { group.member("width", width) }
            if let height = slot.height { group.member("height", height) }
            group.member("mode", slot.mode.rawValue)
          }
        }
      }
      object.name("scales")
      object.array { for scale in file.plan.scales { $0.value(scale) } }
    }
    return writer.take()
  }

  /// One image's line.
  static func line(_ image: CatalogImage, extra: JSONValue?) -> String {
    var writer = JSONWriter()
    writer.object { object in
      object.member("id", image.id)
      object.member("url", image.url)
      object.member("status", image.status.rawValue)
      if let width = image.width { object.member("width", width) }
      if let height = image.height { object.member("height", height) }
      if let format = image.format { object.member("format", format) }
      if let alpha = image.alpha { object.member("alpha", alpha) }
      if let animated = image.animated { object.member("animated", animated) }
      if let frames = image.frames { object.member("frames", frames) }
      if let error = image.error {
        object.name("error")
        object.object { group in
          group.member("code", error.code)
          group.member("message", error.message)
          group.member("retryable", error.retryable)
        }
      }
      if let warnings = image.warnings {
        object.name("warnings")
        object.array { list in for warning in warnings { list.value(warning) } }
      }
      if let placeholder = image.placeholder {
        object.name("placeholder")
        object.object { group in
          if let color = placeholder.color { group.member("color", color) }
          if let hash = placeholder.thumbhash { group.member("thumbhash", hash) }
          if let hash = placeholder.blurhash { group.member("blurhash", hash) }
          if let picture = placeholder.lqip { group.member("lqip", picture) }
        }
      }
      if image.status != .failed {
        object.name("variants")
        object.array { list in for variant in image.variants { write(variant, to: &list) } }
        object.name("slots")
        object.object { group in
          for (name, use) in image.slots.sorted(by: { $0.key < $1.key }) {
            group.name(name)
            write(use, to: &group)
          }
        }
      }
      if let source = image.source {
        object.name("source")
        write(source, to: &object)
      }
      if let extra { object.member("extra", extra) }
    }
    return writer.text
  }

  private static func write(_ source: CatalogSource, to writer: inout JSONWriter) {
    writer.object { object in
      if let url = source.url { object.member("url", url) }
      if let bytes = source.bytes { object.member("bytes", bytes) }
      object.member("sha256", source.sha256)
      if let width = source.width { object.member("width", width) }
      if let height = source.height { object.member("height", height) }
      if let orientation = source.orientation { object.member("orientation", orientation) }
      if let space = source.colourSpace { object.member("colourSpace", space) }
      if let profile = source.profile { object.member("profile", profile) }
      if let etag = source.etag { object.member("etag", etag) }
      if let date = source.lastModified { object.member("lastModified", date) }
      if let robots = source.robots { object.member("robots", robots) }
    }
  }

  private static func write(_ variant: CatalogVariant, to writer: inout JSONWriter) {
    writer.object { object in
      object.member("path", variant.path)
      object.member("type", variant.type)
      object.member("width", variant.width)
      object.member("height", variant.height)
      object.member("bytes", variant.bytes)
      if let sha256 = variant.sha256 { object.member("sha256", sha256) }
      if let fallback = variant.fallback { object.member("fallback", fallback) }
      if let also = variant.also {
        object.name("also")
        object.array { list in for other in also { write(other, to: &list) } }
      }
    }
  }

  private static func write(_ other: CatalogVariant.Alternative, to writer: inout JSONWriter) {
    writer.object { object in
      object.member("path", other.path)
      object.member("type", other.type)
      object.member("bytes", other.bytes)
      if let sha256 = other.sha256 { object.member("sha256", sha256) }
      if let fallback = other.fallback { object.member("fallback", fallback) }
    }
  }

  private static func write(_ use: CatalogSlotUse, to writer: inout JSONWriter) {
    writer.object { object in
      object.member("width", use.width)
      object.member("height", use.height)
      object.name("variants")
      object.array { for index in use.variants { $0.value(index) } }
    }
  }
}
