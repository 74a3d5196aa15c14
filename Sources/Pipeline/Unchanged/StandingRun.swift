internal import TesseraBytes
internal import TesseraJSON
internal import TesseraOutput
internal import TesseraPipelineFile
internal import TesseraState
internal import TesseraText

/// What a completed run leaves if every image of its manifest is `ok`: as long as all of this is the same, and the sources are
/// fresh, another run would do nothing and publish the same catalog.
struct StandingRun: Equatable, Sendable {
  /// SHA-256 of the manifest's bytes.
  var manifest: String
  /// A digest of everything else that a run follows.
  var settings: String
  /// Until when all sources are fresh, in seconds since 1970; nil if they always are.
  var freshUntil: Double?
  var items: Int
  /// Slots at scales that files serve, in each format; the files; and those of tables.
  var places: Int
  var files: Int
  var tables: Int

  /// Whether that is still so, apart from the manifest and the output.
  func stands(_ settings: String, now: Double) -> Bool {
    self.settings == settings && freshUntil.map { now < $0 } ?? true
  }

  // MARK: In the state

  /// A line of JSON after its own digest, so that a changed digit is noticed.
  var stored: String {
    var writer = JSONWriter()
    writer.array { list in
      list.value(manifest)
      list.value(settings)
      // With all digits.
      list.value(freshUntil.map { "\($0)" } ?? "")
      for number in [items, places, files, tables] { list.value(number) }
    }
    return "\(SHA256.of(writer.text)) \(writer.text)"
  }

  /// Nil unless ``stored`` made the text.
  init?(stored text: String) {
    let parts = text.split(separator: " ", maxSplits: 1)
    guard parts.count == 2, SHA256.of(String(parts[1])) == parts[0],
      let list = try? JSONParser.parse(Array(parts[1].utf8)).arrayValue, list.count == 7,
      let fresh = list[2].stringValue
    else { return nil }
    let texts = list.prefix(2).compactMap(\.stringValue)
    let numbers = list.dropFirst(3).compactMap(\.intValue)
    guard texts.count == 2, numbers.count == 4 else { return nil }
    (manifest, settings) = (texts[0], texts[1])
    freshUntil = Double(fresh)
    (items, places, files, tables) = (numbers[0], numbers[1], numbers[2], numbers[3])
  }

  /// Nil if another run would have something to do: images that are not `ok`, lines that can't be used, files that are
  /// missing.
  init?(
    _ report: RunReport, manifest: String?, settings: String, ended: Double
  ) {
    guard let manifest, report.total > 0, report.count("ok") == report.total,
      !report.hasFailures, report.forgotten == 0, report.upgradesWaiting == 0,
      report.tablesUnmade == 0, !report.isBehind
    else { return nil }
    guard report.freshUntil > ended else { return nil }
    (self.manifest, self.settings) = (manifest, settings)
    freshUntil = report.freshUntil.isInfinite ? nil : report.freshUntil
    (items, places) = (report.total, report.variantsAsked)
    files = report.variantsMade + report.variantsReused
    tables = report.tablesMade + report.tablesReused
  }

  /// Of everything that a run follows besides the manifest and the clock.
  ///
  /// - Parameters:
  ///   - owner: whose the output is.
  ///   - forgotten: the images that it leaves out.
  ///   - memory: what a worker has, in bytes.
  static func settings(
    _ file: PipelineFile, _ owner: OutputOwner, without forgotten: ForgottenItems, memory: Int,
    libvips: String
  ) -> String {
    let completed = owner.completed(items: 0)
    return SHA256.of(
      [
        Fingerprint.line(file), Fingerprint.pipeline(file),
        Fingerprint.rejection(file, memory: memory, libvips: libvips),
        "\(file.keptCatalogs)", file.fetch.revalidation.rawValue, "\(file.fetch.cache ?? 0)",
        completed.pipeline, completed.identity ?? "", completed.addresses ?? "",
        forgotten.digest,
        // What paths of files are shown from.
        file.shownURLs.folders.joined(separator: "\n"),
      ].joined(separator: "\n"))
  }
}
