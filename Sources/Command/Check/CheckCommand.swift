internal import TesseraJSON
internal import TesseraManifest
internal import TesseraPipeline
internal import TesseraPipelineFile
internal import TesseraText

enum CheckCommand: Command {
  static let name = "check"
  static let summary = "find every mistake in a pipeline file and its manifest"

  private static let probe = Flag(
    "--probe", "probe each image; also needed for a manifest at a URL")

  static let syntax = Syntax(
    [.optional("PIPELINE", .files)],
    text: """
      Reads the pipeline file and the whole manifest as a run would, and reports their mistakes, such as
      addresses and files that the pipeline does not permit. Uses neither the network nor the output.
      If the pipeline makes AVIF or HEIC, a worker says whether this machine has the encoder.
      With --probe, the first bytes of each image are requested, too: images that can't be fetched or
      would be rejected are reported. The items that it counts are those without a mistake.
      """,
    options: [probe, PipelineOptions.manifest],
    example: Example(
      "tessera check feed.yaml", "Each mistake with its file, line and column."),
    statuses: [
      ExitMeaning(.done, "no mistakes"),
      ExitMeaning(.someFailed, "lines of the manifest, or images, can't be used"),
      ExitMeaning(.failed, "the pipeline file can't be used, or not on this machine"),
    ])

  static func run(_ arguments: Arguments) async throws -> ExitStatus {
    let file = try PipelineOptions.load(arguments)
    let isJSON = arguments.has(CommonFlag.json)
    let names = file.manifest.all.map { list in
      switch list {
      case .file(let path), .object(let path): path
      // A URL may hold a token, and the name is printed with each mistake.
      case .url(let url): file.shown(url)
      case .query(let query): query.database
      case .standardInput, .several: "standard input"
      }
    }
    var check = try ManifestCheck(file, probes: arguments.has(probe))
    var causes: [Substring: Int] = [:]
    let report = try await check.run { list, line, message in
      let cause = Self.cause(message)
      if let cause { causes[cause, default: 0] += 1 }
      guard !isJSON, cause.map({ causes[$0, default: 0] <= listedOfOneCause }) != false else {
        return
      }
      Console.line("\(list ?? names[0]):\(line): error: \(message)")
    }
    if isJSON {
      Console.write(report)
    } else {
      for (cause, count) in causes.sorted(by: { $0.key < $1.key }) where count > listedOfOneCause {
        let more = Amount.count(count - listedOfOneCause, "more image")
        Console.line("\(more): \(cause); --json lists them")
      }
      for line in notes(on: report) { Console.line(line) }
      Console.line("\(Amount.count(report.items, "item")), \(verdict(on: report))")
    }
    try await EncoderCheck.run(file, workerPath: WorkerPath.find())
    return report.problemCount == 0 ? .done : .someFailed
  }

  /// Images with the same mistake that are printed; --json has more.
  private static let listedOfOneCause = 10

  /// What many images have in common, such as a server that is not permitted: the message without the URL. Nil for a mistake
  /// of a line, which is to be corrected there.
  private static func cause(_ message: String) -> Substring? {
    guard let match = message.prefixMatch(of: #/[a-z0-9]+://[^ ]+:\x20/#) else { return nil }
    return message[match.range.upperBound...]
  }

  /// Names of columns that a note has; --json has all.
  private static let listed = 12

  /// What of the manifest does not become public.
  private static func notes(on report: CheckReport) -> [String] {
    var notes: [String] = []
    notes += report.warnings.map { "warning: \($0)" }
    if let columns = report.columnsText { notes.append("columns: \(columns)") }
    notes += ListNotes.omitted(imageless: report.imageless, unpublished: report.unpublished)
    let names = report.leftOut.keys.sorted()
    if let first = names.first {
      let more = names.count > listed ? " and \(names.count - listed) more" : ""
      notes.append(
        "not in the catalog: \(names.prefix(listed).joined(separator: ", "))\(more); name what is to be public in the "
          + "pipeline file, such as extra: [\(first)]")
    }
    if report.secrets > 0 {
      notes.append(
        "\(Amount.count(report.secrets, "URL")) with a signature or a token, which the catalog does not show"
      )
    }
    if let note = report.contactNote { notes.append(note) }
    if report.encoded > 0 { notes.append(ListNotes.encoded(report.encoded)) }
    if let choice = report.choice, choice.excess >= RunSummary.notedExcess {
      notes.append(
        "rounded sizes cost visitors \(Amount.percent(choice.excess)) more bytes; \(choice.hint)"
      )
    }
    return notes
  }

  private static func verdict(on report: CheckReport) -> String {
    let bad = [(report.badLines, "line"), (report.badImages, "image")]
      .filter { $0.0 > 0 }.map { Amount.count($0.0, $0.1) }
    return bad.isEmpty ? "no mistakes" : bad.joined(separator: " and ") + " can't be used"
  }
}

/// What `check` found in a manifest.
struct CheckReport: Sendable, JSONDocument {
  let schema = "tessera-check/1"
  /// Items that a run would process, without those that have a problem.
  var items = 0
  /// Lines that repeat an entry with the same content.
  var repeated = 0
  /// Lines of the manifest that can't be used.
  private(set) var badLines = 0
  /// Columns and members that do not become public, with how often the manifest has each.
  var leftOut: [String: Int] = [:]
  /// Rows and items of a feed that are not images, as ``OmittedRows`` counts them.
  var imageless = 0
  var unpublished = 0
  /// Where the pipeline says that the manifest has what; nil if it has Tessera's own names.
  var columns: ColumnMapping?
  /// The pipeline's `columns` on one line; nil if it has none.
  var columnsText: String? { columns?.yaml }
  /// What a person should know about the manifest.
  @Omitting([]) var warnings: [String] = []
  /// URLs with signatures or tokens, which are left out of what is shown.
  var secrets = 0
  /// URLs with characters that a URL can't have, which are encoded.
  var encoded = 0
  /// What the User-Agent lacks for the owners of these images; nil if nothing, or if they need no contact.
  var contact: UserAgent.Gap?
  /// The same as a clause.
  var contactNote: String? { contact?.clause }
  /// Images that could not be probed, or that a run would reject.
  private(set) var badImages = 0
  /// Both.
  private(set) var problemCount = 0
  /// What a view of a probed image costs, on the pipeline's ladder and on others; nil without any.
  var choice: LadderChoice? { didSet { excess = choice?.excess } }
  private var excess: Double?
  /// The first problems, as many as the document lists.
  private var problems: [ManifestProblem] = []

  private enum CodingKeys: CodingKey {
    case schema, items, repeated, problemCount, badLines, badImages, secrets, imageless, unpublished
    case columns, encoded, contact, excess, warnings, leftOut, problems
  }

  private static let listedProblems = 10_000

  /// - Parameter isProbed: whether the probe of its image found the problem.
  mutating func add(_ problem: ManifestProblem, isProbed: Bool) {
    problemCount += 1
    if isProbed { badImages += 1 } else { badLines += 1 }
    if problems.count < Self.listedProblems { problems.append(problem) }
  }
}

extension ColumnMapping: Encodable {
  func encode(to encoder: any Encoder) { json.encode(to: encoder) }
}
