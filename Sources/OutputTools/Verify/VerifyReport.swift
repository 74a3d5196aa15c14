internal import TesseraJSON

/// What `verify` found.
package struct VerifyReport: Sendable {
  package struct Problem: Sendable {
    package var id: String
    package var path: String
    /// Completes "the file …".
    package var reason: String
  }

  package var images = 0
  package var files = 0
  package var problemCount = 0
  package var removed = 0
  /// Drafts that killed processes have left. They are no problem of the catalog, but public, and may name any image.
  package internal(set) var drafts: [String] = []
  /// Fetched from an image service.
  package var bytes = 0
  /// The first problems, as many as ``json`` lists.
  private(set) var problems: [Problem] = []

  private static let listedProblems = 10_000

  init() {}

  /// Counts a problem, and returns it.
  mutating func add(id: String, path: String, _ reason: String) -> Problem {
    let problem = Problem(id: id, path: path, reason: reason)
    problemCount += 1
    if problems.count < Self.listedProblems { problems.append(problem) }
    return problem
  }

  /// The document that `verify --json` prints.
  package var json: [UInt8] {
    var writer = JSONWriter(indent: 2)
    writer.object { object in
      object.member("images", images)
      object.member("files", files)
      object.member("problemCount", problemCount)
      object.member("removed", removed)
      object.member("bytesFetched", bytes)
      object.member("drafts", drafts)
      object.name("problems")
      object.array { list in
        for problem in problems {
          list.object { entry in
            entry.member("id", problem.id)
            entry.member("path", problem.path)
            entry.member("message", "The file \(problem.reason).")
          }
        }
      }
    }
    return writer.take() + [UInt8(ascii: "\n")]
  }
}
