/// The result of reading one record of a manifest.
package enum ManifestRecord: Sendable, Equatable {
  case entry(ManifestEntry)
  case problem(ManifestProblem)

  var line: Int {
    switch self {
    case .entry(let entry): entry.line
    case .problem(let problem): problem.line
    }
  }

  package var isEntry: Bool {
    if case .entry = self { true } else { false }
  }
}

/// Why a line cannot be used. The run continues without it.
package struct ManifestProblem: Error, Sendable, Equatable, Encodable {
  package var line: Int
  /// A sentence without its full stop: what was expected, what was found.
  package var message: String
  /// The list that has the line; nil if the manifest is one list.
  package private(set) var list: String?

  private enum CodingKeys: String, CodingKey {
    case list = "manifest"
    case line, message
  }

  /// The problem as one of a list among several.
  package func of(_ list: String) -> ManifestProblem {
    var problem = self
    problem.list = list
    return problem
  }

  /// Where it is, in words: `line 3`, or `line 3 of "a.csv"`.
  package var place: String { "line \(line)" + (list.map { " of \"\($0)\"" } ?? "") }
  /// The message, with the list if there are several.
  package var text: String { message + (list.map { " (in \"\($0)\")" } ?? "") }

  package init(line: Int, message: String) {
    self.line = line
    self.message = message
  }
}
