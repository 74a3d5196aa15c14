internal import TesseraJSON

/// What `verify`, or `warm`, found.
struct VerifyReport: Sendable, JSONDocument {
  struct Problem: Sendable, Encodable {
    let id: String
    let path: String
    /// Completes "the file …".
    let reason: String
    /// The same as a sentence.
    private let message: String

    private enum CodingKeys: CodingKey { case id, path, message }

    init(id: String, path: String, reason: String) {
      (self.id, self.path, self.reason) = (id, path, reason)
      message = "The file \(reason)."
    }
  }

  let schema = "tessera-verify/1"
  var images = 0
  var files = 0
  var problemCount = 0
  var removed = 0
  /// With `--deep`, files whose contents could be compared with no digest: neither a state nor the catalog has one.
  var withoutDigest = 0
  /// Files of an image service, which only a sample requests.
  var served = 0
  /// Drafts that killed processes have left. They do not make the catalog wrong, but public, and may name any image.
  var drafts: [String] = []
  /// Fetched from an image service.
  var bytes = 0
  /// The first problems, as many as the document lists.
  private(set) var problems: [Problem] = []

  private enum CodingKeys: String, CodingKey {
    case schema, images, files, problemCount, removed, withoutDigest, served
    case bytes = "bytesFetched"
    case drafts, problems
  }

  private static let listedProblems = 10_000

  init() {}

  /// Counts a problem, and returns it.
  mutating func add(id: String, path: String, _ reason: String) -> Problem {
    let problem = Problem(id: id, path: path, reason: reason)
    problemCount += 1
    if problems.count < Self.listedProblems { problems.append(problem) }
    return problem
  }
}
