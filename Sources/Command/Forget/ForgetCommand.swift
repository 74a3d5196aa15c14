enum ForgetCommand: Command {
  static let name = "forget"
  static let keepsWork = true
  static let summary = "remove an image from an output for good, wherever it is"

  private static let url = Option(
    "--url", "URL", "the images of this source; may be repeated")
  private static let undo = Flag(
    "--undo",
    "let later runs fetch these images again: by ID, and by --url if that was named")

  static let syntax = Syntax(
    [OutputOptions.operand, .any("ID")],
    text: """
      Removes images from the catalog, its screens and tables, from earlier catalogs, results of
      shards and reports, and deletes their files, unless other images have the same bytes, their
      sources in the cache, and what the state knows of them; the state is written anew. The gallery,
      catalog.sqlite and compressed copies (.gz, .br, .zst) of documents are deleted. A mark, from
      which neither id nor URL can be read, keeps later runs from fetching them again. Prints which
      files there are not Tessera's, what to purge at a CDN, and what it can't reach.
      """,
    options: [url, undo, OutputOptions.state],
    example: Example(
      "tessera forget build/feed p1",
      "All that Tessera wrote of the image p1 is gone from build/feed."),
    statuses: [
      ExitMeaning(
        .done, "nothing of the images remains but in files that are not Tessera's, which are named"),
      ExitMeaning(
        .failed,
        "an image is not known, and nothing was changed; or a place could not be written: run again"
      ),
      ExitMeaning(.busy, "a run holds the output"),
    ])

  static func run(_ arguments: Arguments) async throws -> ExitStatus {
    let urls = try arguments.all(url)
    let names = arguments.operands.first.map(OutputOptions.namesOutput) ?? false
    let ids = Array(arguments.operands.dropFirst(names ? 1 : 0))
    guard !ids.isEmpty || !urls.isEmpty else {
      throw UsageError("name the images: tessera forget OUTPUT ID…, or --url URL")
    }
    let output = try OutputOptions.output(
      names ? arguments.operands.first : nil, arguments, of: Self.self)
    let forgetting = Forgetting(
      output.root, ids: ids, urls: urls, state: output.state, store: output.store)
    let undoes = arguments.has(undo)
    let report =
      undoes
      ? try await forgetting.undo(repaired: Console.warn)
      : try await forgetting.run(repaired: Console.warn)
    if let warning = report.warning { Console.warn(warning) }
    if arguments.has(CommonFlag.json) {
      Console.write(report)
    } else if !arguments.has(CommonFlag.quiet) {
      for line in undoes ? [undone(report)] : lines(of: report) { Console.line(line) }
    }
    return .done
  }

  private static func undone(_ report: ForgetReport) -> String {
    if !report.ids.isEmpty, report.uncertain.isEmpty {
      return "the next run has \(report.ids.joined(separator: ", ")) again, if the manifest has it"
    }
    let images = report.uncertain.isEmpty ? "an image" : report.uncertain.joined(separator: ", ")
    return
      "the next run has \(images) again if both the id and the URL, as the manifest has it (--url), are named here or "
      + "before: the URL was named when it was forgotten, or is that of another forgotten image"
  }

  private static func lines(of report: ForgetReport) -> [String] {
    var lines = [
      "\(Amount.count(report.ids.count, "image")) forgotten: \(report.ids.joined(separator: ", "))",
      "\(Amount.count(report.files.count, "file")) deleted, \(Amount.count(report.documents.count, "document")) "
        + "replaced, \(Amount.count(report.cached, "cached source")) deleted",
    ]
    if report.unattributed > 0 {
      lines.append(
        "\(report.unattributed) of the files were named by nothing, and it is not known whose they were"
      )
    }
    if !report.shared.isEmpty {
      lines.append(
        "other images have the same bytes, so these files stay: \(report.shared.joined(separator: ", ")); forget those "
          + "images, too, if they show the same")
    }
    if !report.sameID.isEmpty {
      lines.append(
        "other images of the same id in the list stay: \(report.sameID.joined(separator: ", ")); forget those, too, if "
          + "all of the product is to go")
    }
    if !report.derived.isEmpty {
      lines.append(
        "deleted: \(report.derived.joined(separator: ", ")); what made them makes them again: tessera gallery, tessera "
          + "export, or what compresses documents"
      )
    }
    if !report.foreign.isEmpty {
      lines.append(
        "not of a run, and they may still show the images: \(report.foreign.joined(separator: ", ")); make these "
          + "exports again, or delete them")
    }
    if !report.purge.isEmpty { lines += ["to purge at a CDN:"] + report.purge.map { "  \($0)" } }
    return lines + ["not reached:"] + report.notReached.map { "  \($0)" }
  }
}
