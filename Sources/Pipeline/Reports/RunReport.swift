internal import TesseraCatalog
package import TesseraManifest

/// What a run did: everything that `run.json` holds and the catalog must not.
package struct RunReport: Sendable {
  /// Seconds since 1970.
  package var started = 0.0
  package var seconds = 0.0
  /// Items by status.
  package var counts: [String: Int] = [:]
  /// Items with an error, by its code.
  package var errors: [String: Int] = [:]
  /// The first manifest lines that can't be used.
  package var problems: [ManifestProblem] = []
  package var problemCount = 0
  package var requests = 0
  package var retries = 0
  package var notModified = 0
  package var bytesFetched = 0
  package var variantsAsked = 0
  /// Made by an image service, when clients request them.
  package var variantsDelivered = 0
  package var variantsMade = 0
  package var variantsReused = 0
  package var bytesWritten = 0
  package var decodes = 0
  /// Files of tables.
  package var tablesMade = 0
  package var tablesReused = 0
  /// Files that the deadline left no time for.
  package var tablesUnmade = 0
  /// Images that are missing in tables, because their files could not be decoded.
  package var tablesLeftOut = 0
  package var workers = 0
  package var workersReplaced = 0
  /// In bytes.
  package var peakMemory = 0
  package var slowest: [(id: String, seconds: Double)] = []
  package var warnings: [String] = []

  /// All problems are counted, and this many are kept: memory does not grow with the manifest.
  static let keptProblems = 100
  static let keptSlowest = 10

  package init() {}

  package var total: Int { counts.values.reduce(0, +) }
  package func count(_ status: String) -> Int { counts[status, default: 0] }

  /// Items with an error.
  var failed: Int {
    count(CatalogImage.Status.failed.rawValue) + count(CatalogImage.Status.stale.rawValue)
  }

  /// Whether anything did not come out as it should: exit status 1.
  package var hasFailures: Bool { failed + problemCount > 0 }
}
