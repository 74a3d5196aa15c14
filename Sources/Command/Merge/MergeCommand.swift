internal import TesseraCatalog
internal import TesseraJSON

enum MergeCommand: Command {
  static let name = "merge"
  static let keepsWork = true
  static let summary = "make one catalog of the results of all shards"

  private static let shards = Option.number(
    "--shards", "merge the results of this many shards, if there are others, too",
    in: 1...100_000)
  private static let into = Option.output(
    "--into", "write here, and copy the files of outputs that were written apart")
  private static let partialOK = Flag(
    "--partial-ok", "exit status 0 also if some images failed")

  private static let allowLoss = Flag(
    "--allow-loss", "accept that the catalog loses more images than lost-above")

  static let syntax = Syntax(
    [.several("OUTPUT", .folders)],
    text: """
      Puts the results of run --shard 0/N to run --shard N-1/N together to the catalog that a run of
      the whole manifest writes, byte for byte. Rejects them if one is missing, or was made of another
      manifest, with another pipeline, or with another version of libvips; the last catalog then
      stands. With --into, shards may have been written to outputs of their own, on local disks.
      """,
    options: [shards, into, OutputOptions.state, partialOK, allowLoss],
    example: Example(
      "tessera merge build/feed", "Writes build/feed/catalog.json from the results of its shards."),
    statuses: [
      ExitMeaning(.done, "written; no image failed, or --partial-ok was given"),
      ExitMeaning(
        .someFailed, "written, but some images failed, or the report could not be printed"),
      ExitMeaning(
        .failed,
        "a shard is missing or of another set, or lost-above stopped it; the catalog stands"
      ),
      ExitMeaning(.busy, "another run holds the output"),
    ])

  static func run(_ arguments: Arguments) async throws -> ExitStatus {
    let into = try arguments.value(into)
    guard arguments.operands.count == 1 || into != nil else {
      throw UsageError(
        "merge takes several outputs only with --into, which names the output of them all")
    }
    let merging = Merging(
      arguments.operands, into: into, shards: try arguments.value(shards),
      state: try arguments.value(OutputOptions.state),
      allowsLoss: arguments.has(allowLoss))
    let report = try await merging.run()
    if arguments.has(CommonFlag.json) {
      Console.write(report)
    } else if !arguments.has(CommonFlag.quiet) {
      for line in summary(of: report) { Console.line(line) }
    }
    return report.hasFailures && !arguments.has(partialOK) ? .someFailed : .done
  }

  private static func summary(of report: MergeReport) -> [String] {
    let statuses = report.countsInOrder.map { "\($0.count) \($0.status)" }
    var lines = [
      "\(Amount.count(report.images, "image")) of \(Amount.count(report.shards, "shard"))"
        + (statuses.isEmpty ? "" : ": " + statuses.joined(separator: ", "))
    ]
    if report.problems > 0 {
      lines.append("\(Amount.count(report.problems, "line")) of the manifest could not be used")
    }
    if report.copied > 0 {
      lines.append(
        "\(Amount.count(report.copied, "file")) copied (\(Amount.bytes(report.copiedBytes)))")
    }
    if report.standing > 0 {
      lines.append(
        "\(Amount.count(report.standing, "file")) already there, which another version of a library made with other bytes: "
          + "the first of a name stays")
    }
    return lines + [report.catalog]
  }
}

/// What `merge` made of the results of shards.
struct MergeReport: Sendable, JSONDocument {
  let schema = "tessera-merge/1"
  var shards = 0
  var images = 0
  /// Images by status.
  var counts: [String: Int] = [:]
  /// Lines of the manifest that could not be used.
  var problems = 0
  /// Files that came from other outputs.
  var copied = 0
  var copiedBytes = 0
  /// Files that were there before, and stay: those of a shard with the same names have other bytes.
  var standing = 0
  /// The path of the catalog.
  var catalog = ""

  private enum CodingKeys: String, CodingKey {
    case schema, catalog, shards, images, counts
    case problems = "manifestProblems"
    case copied, copiedBytes, standing
  }

  /// The counts that are there, the best status first.
  var countsInOrder: [(status: String, count: Int)] {
    CatalogImage.Status.allCases.compactMap { status in
      counts[status.rawValue].map { (status.rawValue, $0) }
    }
  }

  /// As after a run of all items: exit status 1.
  var hasFailures: Bool {
    counts["failed", default: 0] + counts["stale", default: 0] + problems > 0
  }
}
