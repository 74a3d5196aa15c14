internal import TesseraJSON
internal import TesseraNet
internal import TesseraOutput
internal import TesseraText

enum WhyCommand: Command {
  static let name = "why"
  static let summary = "what happened to one item, and why it was or was not done again"
  static let syntax = Syntax(
    [OutputOptions.operand, .one("ID")],
    source: "tessera status OUTPUT lists what failed, with ids",
    text: """
      Prints what the last run decided about one item of the manifest, and why: whether its source
      was requested, how the server answered, whether it was decoded, and which files were reused.
      If the image failed, says what can be done about it. ID may be the image's URL as the catalog
      shows it. Of a row of the list that is not an image, such as a draft's, it says so, if the
      output is that of pipeline.yaml in this folder, or of the pipeline file in the place of OUTPUT.
      """,
    options: [OutputOptions.state],
    example: Example(
      "tessera why build/feed p1", "Why the image p1 was fetched, made, kept or rejected."),
    statuses: [
      ExitMeaning(.done, "printed"),
      ExitMeaning(.failed, "the output does not have this image"),
    ])

  static func run(_ arguments: Arguments) async throws -> ExitStatus {
    // With one word only, that is the image.
    let (words, image) = (arguments.operands.dropLast(), arguments.operands.last ?? "")
    let output = try OutputOptions.output(words.first, arguments, of: Self.self)
    let explanation = try await Explanation.of(
      image, in: output.root, state: output.state, store: output.store, of: output.pipeline)
    if arguments.has(CommonFlag.json) {
      Console.write(explanation)
    } else {
      for line in lines(of: explanation) { Console.line(line) }
    }
    return .done
  }

  private static func lines(of explanation: Explanation) -> [String] {
    var lines = [
      "\(explanation.id), line \(explanation.line) of the manifest: \(explanation.status ?? "not finished")"
    ]
    if let url = explanation.url { lines.append("  \(url)") }
    lines += explanation.decisions.map { "  - \($0)" }
    if let time = explanation.unchangedUntil {
      lines.append(
        "  nothing to do since then: until \(time), runs found manifest, pipeline and sources as they were"
      )
    }
    if let failure = explanation.failure {
      lines.append(
        "  the last run ended at \(failure.time) without a new catalog (\(failure.reason)); the catalog is that of an earlier "
          + "run")
    }
    lines += explanation.qualities.map { "  \($0)" }
    if explanation.status == nil {
      lines.append("  the last run was stopped before it; the catalog is that of an earlier run")
    }
    if let message = explanation.error?.message,
      !explanation.decisions.contains(where: { $0.contains(message) })
    {
      lines.append("  error: \(message)")
    }
    if let remedy = explanation.error?.remedy {
      lines.append("  next: \(remedy); then run the pipeline with --retry-failed")
    }
    if let content = explanation.content { lines.append("  SHA-256 of its source: \(content)") }
    if let twin = explanation.twin { lines.append("  the same bytes as \(twin)") }
    if let status = explanation.statusInCatalog {
      lines.append(
        "  the current catalog is an earlier one (tessera rollback), in which this image is \(status)"
      )
    }
    if let holder = explanation.inProgress {
      lines.append("  \(holder) is at work on the output; this is what is saved so far")
    }
    return lines
  }
}

extension HostBan {
  /// The ban of the host that an image failed at, as the last run's report has it; nil if there is none.
  ///
  /// - Parameters:
  ///   - url: of the image; nil if it is not known.
  ///   - error: the member `error` of the image in the catalog.
  static func of(_ url: String?, _ error: JSONValue?, in output: OutputFolder) async -> HostBan? {
    guard let url, error?["code"]?.stringValue == FetchError.Code.httpStatus.rawValue else {
      return nil
    }
    let host = SourceHost.name(of: url)
    return await inReport(of: output).first { $0.host == host }
  }

  /// The bans that the last run with a result reports; none if its report can't be read: there are still the errors
  /// themselves.
  static func inReport(of output: OutputFolder) async -> [HostBan] {
    guard let bytes = try? await output.published.read("run.json", longestReport, at: 0),
      let report = try? JSONParser.parse(bytes)
    else { return [] }
    return report["bans"]?.arrayValue?.compactMap(HostBan.init) ?? []
  }

  private static let longestReport = 16 << 20

  /// Nil for an entry without the host, which a report may leave out.
  private init?(_ entry: JSONValue) {
    guard let host = entry["host"]?.stringValue, let answers = entry["answers"]?.intValue,
      let rejected = entry["rejected"]?.intValue
    else { return nil }
    self.init(host: host, answers: answers, rejected: rejected)
  }
}
