internal import TesseraCatalog

enum RollbackCommand: Command {
  static let name = "rollback"
  static let summary = "an earlier catalog becomes the current one"

  private static let to = Option.number(
    "--to", "1 is the catalog before the current one, 2 the one before that; default 1", in: 1...100
  )
  private static let list = Flag("--list", "list the catalogs that are kept, and change nothing")

  static let syntax = Syntax(
    [OutputOptions.operand],
    text: """
      Makes a catalog that a run has replaced the current one again, after checking that every file it
      names is there. The catalog that was current is kept in turn. Runs keep as many as "keep-catalogs"
      in the pipeline file says. The state stays what it is: the next run writes the catalog that
      follows from the manifest, so stop its timer, or comment out
      its line of cron, until the cause is repaired.
      """,
    options: [to, list, OutputOptions.state],
    example: Example(
      "tessera rollback build/feed --list", "The catalogs that are kept, with their ages."),
    statuses: [
      ExitMeaning(.done, "done, or listed"),
      ExitMeaning(
        .failed, "no such catalog is kept, or a file that it names is missing; nothing changes"),
      ExitMeaning(.busy, "a run holds the output"),
    ])

  static func run(_ arguments: Arguments) async throws -> ExitStatus {
    let output = try OutputOptions.output(arguments, of: Self.self)
    let rollback = Rollback(output.root, state: output.state, store: output.store)
    let isJSON = arguments.has(CommonFlag.json)
    if arguments.has(list) {
      let kept = try await rollback.list()
      if isJSON {
        Console.write(kept)
      } else {
        for line in lines(of: kept) { Console.line(line) }
      }
      return .done
    }
    let report = try await rollback.run(to: try arguments.value(to) ?? 1)
    if let warning = report.warning { Console.warn(warning) }
    if isJSON {
      Console.write(report)
    } else if !arguments.has(CommonFlag.quiet) {
      for line in lines(of: report) { Console.line(line) }
    }
    return .done
  }

  private static func lines(of list: KeptCatalogList) -> [String] {
    guard !list.catalogs.isEmpty else { return ["no earlier catalog is kept"] }
    return TextTable.lines(
      ["number", "replaced", "age", "images", "", "size", "digest"],
      list.catalogs.map { entry in
        [
          "\(entry.number)", entry.time, Amount.age(entry.age), entry.images.map(String.init) ?? "",
          entry.counts.map { statuses($0).joined(separator: ", ") } ?? "can't be read",
          Amount.bytes(entry.bytes), String(entry.digest.prefix(16)),
        ]
      })
  }

  private static func statuses(_ counts: [String: Int]) -> [String] {
    CatalogImage.Status.allCases.compactMap { status in
      counts[status.rawValue].map { "\($0) \(status)" }
    }
  }

  private static func lines(of report: RollbackReport) -> [String] {
    let statuses = statuses(report.counts)
    let counts = statuses.isEmpty ? "" : " (\(statuses.joined(separator: ", ")))"
    var lines = [
      "the current catalog is again the one that was replaced at \(report.catalog.time), "
        + "\(Amount.age(report.catalog.age)) ago",
      "\(Amount.count(report.images, "image"))\(counts), \(Amount.count(report.files, "file")), "
        + "digest \(report.catalog.digest.prefix(16))",
    ]
    if report.hasReplaced {
      lines.append("the one that was current is kept: another rollback makes it current again")
    }
    return lines + [
      "the next run writes the catalog from the manifest again: stop its timer, or comment out its line of "
        + "cron, until the cause is repaired"
    ]
  }
}
