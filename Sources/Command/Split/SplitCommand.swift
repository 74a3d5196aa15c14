internal import TesseraPipelineFile

enum SplitCommand: Command {
  static let name = "split"
  static let summary = "divide a very long manifest among shards"

  private static let pipeline = Option(
    "--pipeline", "PATH", "the pipeline file, if ids or URLs follow from its base or ignore-query",
    completes: .files)

  static let syntax = Syntax(
    [.one("MANIFEST", .files), .one("N"), .one("DIR", .folders)],
    text: """
      Writes DIR/0.jsonl to DIR/N-1.jsonl, each with the lines of one shard: give each to run --shard
      with --manifest. Without split, each shard reads the whole manifest, and takes its own lines.
      MANIFEST is a path, a URL, or - for standard input. DIR must not exist. Lines that can't be used
      are reported by their shards, too.
      """,
    options: [pipeline],
    example: Example(
      "tessera split feed.jsonl 8 parts", "Eight manifests, parts/0.jsonl to parts/7.jsonl."),
    statuses: [
      ExitMeaning(.done, "written"),
      ExitMeaning(.someFailed, "written, but some lines can't be used"),
      ExitMeaning(.failed, "could not be written"),
    ])

  static func run(_ arguments: Arguments) async throws -> ExitStatus {
    guard let manifest = PipelineFile.Manifest(arguments.operands[0], directory: "") else {
      throw UsageError("MANIFEST must be \(PipelineFile.Manifest.expected)")
    }
    guard let count = Int(arguments.operands[1]), (1...100_000).contains(count) else {
      throw UsageError("N must be a whole number from 1 to 100000")
    }
    let file =
      try arguments.value(pipeline).map {
        try PipelineFile.load($0, manifest: manifest, output: nil)
      }
      ?? PipelineFile(reading: manifest)
    let folder = try LocalPath.operand(arguments.operands[2], "DIR")
    let isJSON = arguments.has(CommonFlag.json)
    let report = try await ManifestSplitter(file, count: count).split(into: folder) {
      line, message in
      if !isJSON { Console.line("line \(line): \(message)") }
    }
    if isJSON {
      Console.write(report)
    } else if !arguments.has(CommonFlag.quiet) {
      Console.line(
        "\(Amount.count(report.entries, "item")) in \(Amount.count(count, "part"))"
          + (report.problems > 0 ? ", \(Amount.count(report.problems, "line")) can't be used" : ""))
      Console.line(folder)
    }
    return report.problems == 0 ? .done : .someFailed
  }
}
