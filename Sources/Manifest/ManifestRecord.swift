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
package struct ManifestProblem: Error, Sendable, Equatable {
  package var line: Int
  /// A sentence without its full stop: what was expected, what was found.
  package var message: String

  package init(line: Int, message: String) {
    self.line = line
    self.message = message
  }
}
