internal import TesseraJSON
internal import TesseraManifest
internal import TesseraText

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
