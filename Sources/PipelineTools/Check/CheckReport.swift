internal import TesseraJSON
internal import TesseraManifest
internal import TesseraText

/// What `check` found in a manifest.
package struct CheckReport: Sendable {
  /// Items that a run would process, without those that have a problem.
  package var items = 0
  /// Lines that repeat an entry with the same content.
  package var repeated = 0
  /// Lines of the manifest that can't be used.
  package private(set) var badLines = 0
  /// Columns and members that do not become public, with how often the manifest has each.
  package internal(set) var leftOut: [String: Int] = [:]
  /// Rows and items of a feed that are no images.
  var omitted = OmittedRows()
  package var imageless: Int { omitted.imageless }
  package var unpublished: Int { omitted.unpublished }
  /// Where the pipeline says that the manifest has what; nil if it has Tessera's own names.
  var columns: ColumnMapping?
  /// The pipeline's `columns` on one line; nil if it has none.
  package var columnsText: String? { columns?.yaml }
  /// What a person should know about the manifest.
  package internal(set) var warnings: [String] = []
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
  package var problemCount: Int { badLines + badImages }
  /// What a view of a probed image costs, on the pipeline's ladder and on others; nil without any.
  package internal(set) var choice: LadderChoice?
  /// The first problems, as many as ``json`` lists.
  private var problems: [ManifestProblem] = []

  private static let listedProblems = 10_000

  /// - Parameter isProbed: whether the probe of its image found the problem.
  mutating func add(_ problem: ManifestProblem, isProbed: Bool) {
    if isProbed { badImages += 1 } else { badLines += 1 }
    if problems.count < Self.listedProblems { problems.append(problem) }
  }

  /// The document that `check --json` prints.
  package var json: [UInt8] {
    var writer = JSONWriter(indent: 2)
    writer.object { object in
      object.member("items", items)
      object.member("repeated", repeated)
      object.member("problemCount", problemCount)
      object.member("badLines", badLines)
      object.member("badImages", badImages)
      object.member("secrets", secrets)
      object.member("imageless", imageless)
      object.member("unpublished", unpublished)
      if let columns { object.member("columns", columns.json) }
      object.member("encoded", encoded)
      if let contact { object.member("contact", contact.rawValue) }
      if let choice { object.member("excess", choice.excess) }
      if !warnings.isEmpty {
        object.name("warnings")
        object.array { list in for warning in warnings { list.value(warning) } }
      }
      object.name("leftOut")
      object.object { names in
        for (name, count) in leftOut.sorted(by: { $0.key < $1.key }) { names.member(name, count) }
      }
      object.name("problems")
      object.array { list in
        for problem in problems {
          list.object { entry in
            if let list = problem.list { entry.member("manifest", list) }
            entry.member("line", problem.line)
            entry.member("message", problem.message)
          }
        }
      }
    }
    return writer.take() + [UInt8(ascii: "\n")]
  }
}
