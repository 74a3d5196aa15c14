package import TesseraJSON
internal import TesseraManifest
internal import TesseraText

/// What `check` found in a manifest.
package struct CheckReport: Sendable, JSONDocument {
  package let schema = "tessera-check/1"
  /// Items that a run would process, without those that have a problem.
  package var items = 0
  /// Lines that repeat an entry with the same content.
  package var repeated = 0
  /// Lines of the manifest that can't be used.
  package private(set) var badLines = 0
  /// Columns and members that do not become public, with how often the manifest has each.
  package internal(set) var leftOut: [String: Int] = [:]
  /// Rows and items of a feed that are no images, as ``OmittedRows`` counts them.
  package internal(set) var imageless = 0
  package internal(set) var unpublished = 0
  /// Where the pipeline says that the manifest has what; nil if it has Tessera's own names.
  var columns: ColumnMapping?
  /// The pipeline's `columns` on one line; nil if it has none.
  package var columnsText: String? { columns?.yaml }
  /// What a person should know about the manifest.
  @Omitting([]) package internal(set) var warnings: [String] = []
  /// URLs with signatures or tokens, which are left out of what is shown.
  package internal(set) var secrets = 0
  /// URLs with characters that a URL can't have, which are encoded.
  package internal(set) var encoded = 0
  /// What the User-Agent lacks for the owners of these images; nil if nothing, or if they need no contact.
  var contact: UserAgent.Gap?
  /// The same as a clause.
  package var contactNote: String? { contact?.clause }
  /// Images that could not be probed, or that a run would reject.
  package private(set) var badImages = 0
  /// Both.
  package private(set) var problemCount = 0
  /// What a view of a probed image costs, on the pipeline's ladder and on others; nil without any.
  package internal(set) var choice: LadderChoice? { didSet { excess = choice?.excess } }
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
  package func encode(to encoder: any Encoder) { json.encode(to: encoder) }
}
