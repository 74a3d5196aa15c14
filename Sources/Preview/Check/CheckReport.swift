internal import TesseraJSON
internal import TesseraManifest

/// What `check` found in a manifest.
package struct CheckReport: Sendable {
  /// Items that a run would process.
  package var items = 0
  /// Lines that repeat an entry with the same content.
  package var repeated = 0
  package var problemCount = 0
  /// The first problems, as many as ``json`` lists.
  private var problems: [ManifestProblem] = []

  private static let listedProblems = 10_000

  mutating func add(_ problem: ManifestProblem) {
    problemCount += 1
    if problems.count < Self.listedProblems { problems.append(problem) }
  }

  /// The document that `check --json` prints.
  package var json: [UInt8] {
    var writer = JSONWriter(indent: 2)
    writer.object { object in
      object.member("items", items)
      object.member("repeated", repeated)
      object.member("problemCount", problemCount)
      object.name("problems")
      object.array { list in
        for problem in problems {
          list.object { entry in
            entry.member("line", problem.line)
            entry.member("message", problem.message)
          }
        }
      }
    }
    return writer.take() + [UInt8(ascii: "\n")]
  }
}
