internal import TesseraBytes
internal import TesseraCatalog
internal import TesseraDelivery
internal import TesseraImageHeader
internal import TesseraPipelineFile
internal import TesseraPlaceholder
internal import TesseraPlan
internal import TesseraState

/// Names for "made the same way".
enum Fingerprint {
  /// Identifies one file: the source's content, how it is decoded, the recipe, and the versions of what
  /// cooks it.
  static func variant(
    content: String, decode: DecodePlan, recipe: String, libvips: String
  ) -> String {
    // Another version of libvips may encode other bytes, so its files are made again.
    SHA256.of(
      "content \(content)\n\(decode.recipe)\n\(recipe)\nlibvips \(libvips)\n"
        + "recipes \(Version.recipes)\n")
  }

  /// The key of the quality that is found for a content: of what is searched, how it is decoded, and the versions of
  /// what encodes it. A later version that searches better finds other qualities, and keeps those that are recorded.
  static func quality(
    content: String, decode: DecodePlan, _ search: Plan.QualitySearch, libvips: String
  ) -> String {
    let digest = variant(
      content: content, decode: decode, recipe: search.recipe, libvips: libvips)
    return QualityRecord.key(content: content, digest: digest)
  }

  /// Identifies what is shown of a content before its files are there.
  static func placeholder(content: String, decode: DecodePlan, libvips: String) -> String {
    variant(content: content, decode: decode, recipe: "placeholder", libvips: libvips)
  }

  /// Identifies everything but the item and its source that shapes a line of the catalog.
  static func line(_ file: PipelineFile, libvips: String) -> String {
    let rest =
      // Ignored parameters are left out of the URL of the line; max-bytes decides on acceptance.
      "\(Version.number) lines \(Version.lines) \(file.profile.rawValue) \(file.fetch.ignoredQuery) \(file.fetch.maximumBytes)"
    return String(SHA256.of("\(pipeline(file, libvips: libvips))\n\(rest)").prefix(32))
  }

  /// Identifies everything but its bytes that decides whether there is something to show of a source.
  ///
  /// - Parameter memory: what a worker has, in bytes. A machine may offer less than the pipeline allows.
  static func rejection(_ file: PipelineFile, memory: Int, libvips: String) -> String {
    // Who asks with another token, or as another program, may see something else.
    let headers = file.fetch.headers.map { "\($0.host ?? "") \($0.name): \($0.value)" }
    let rest =
      "memory \(memory) time \(file.limits.time) headers \(headers)"
      + " agent \(file.fetch.userAgent)"
    return String(SHA256.of("\(line(file, libvips: libvips))\n\(rest)").prefix(32))
  }

  /// Identifies everything in a pipeline file that shapes the catalog or its files. Keys of the
  /// network, of time and memory, and workers are not in it: they change how, not what.
  static func pipeline(_ file: PipelineFile, libvips: String) -> String {
    let plan = file.plan
    var lines = plan.slots.map { slot in
      "slot \(slot.name) \(slot.width ?? 0)x\(slot.height ?? 0) \(slot.mode.rawValue)"
    }
    lines.append("scales \(plan.scales)")
    lines.append("rounding \(plan.rounding)")
    lines.append("formats \(plan.formats.map(\.rawValue)) oversized \(plan.oversized.rawValue)")
    for format in OutputFormat.allCases {
      let (quality, effort) = (plan.quality[format] ?? 0, plan.effort[format] ?? -1)
      lines.append("\(format.rawValue) quality \(quality) effort \(effort)")
    }
    // Only where they shape something: what a pipeline without them has made stays as it is.
    if plan.findsQuality {
      let (target, range) = (plan.automaticQuality.target, plan.automaticQuality.range)
      lines.append("quality \(range.lowerBound) to \(range.upperBound) for \(target)")
    }
    if plan.alphaQuality < 100 { lines.append("alpha quality \(plan.alphaQuality)") }
    lines.append("background \(plan.background.hexadecimal) animation \(plan.keepsAnimation)")
    lines.append("metadata \(plan.metadata)")
    lines.append("gravity \(plan.gravity.rawValue)")
    lines.append("lanes \(plan.lanes.rawValue)")
    lines.append("placeholders \(file.placeholders.map(\.rawValue))")
    if let service = file.delivery { lines += service.identity }
    lines.append("base \(file.baseURL ?? "")")
    lines.append("fail on \(file.failOn.rawValue)")
    lines.append("accept \(file.accept.map(\.rawValue))")
    lines.append("pixels \(file.limits.pixels) frames \(file.limits.frames)")
    if !file.showsURLs { lines.append("no urls") }
    // Only where there are some, as above.
    for table in file.tables {
      lines.append("table \(table.slot) \(table.scales) \(table.pixels.map(\.rawValue))")
    }
    lines.append("libvips \(libvips) recipes \(Version.recipes)")
    return String(SHA256.of(lines.joined(separator: "\n")).prefix(16))
  }
}
