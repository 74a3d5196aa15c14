internal import Synchronization
internal import TesseraCatalog
internal import TesseraManifest
internal import TesseraPlan
internal import TesseraState
internal import TesseraSystem

/// Counts what happens in a run, from many tasks.
final class RunRecorder: Sendable {
  private let report = Mutex(RunReport())
  private let pauses = Mutex(0)

  var current: RunReport { report.withLock { $0 } }

  /// Items with a result, and those with an error among them, by its code.
  var done: (all: Int, errors: [String: Int]) { report.withLock { ($0.total, $0.errors) } }

  /// Images that got files of the better format.
  var upgraded: Int { report.withLock { $0.upgradedImages } }

  /// Items that wait for their next attempt.
  var pausing: Int { pauses.withLock { $0 } }

  func pause<Value>(_ body: () async throws -> Value) async rethrows -> Value {
    pauses.withLock { $0 += 1 }
    defer { pauses.withLock { $0 -= 1 } }
    return try await body()
  }

  func update(_ change: (inout RunReport) -> Void) { report.withLock { change(&$0) } }

  func add(_ problem: ManifestProblem) {
    update { report in
      report.problemCount += 1
      if report.problems.count < RunReport.keptProblems { report.problems.append(problem) }
    }
  }

  /// Items whose lines stand.
  ///
  /// - Parameter lines: what they have together.
  func add(standing items: Int, _ lines: KeptLine) {
    update { report in
      report.freshUntil = min(report.freshUntil, lines.freshUntil)
      report.counts[CatalogImage.Status.ok.rawValue, default: 0] += items
      report.changes[.reused, default: 0] += items
    }
    count(lines)
  }

  /// Counts the files of a line that is kept.
  func count(_ line: KeptLine) {
    update { report in
      report.variantsAsked += line.places
      report.variantsReused += line.files
    }
  }

  func add(_ item: ItemReport) {
    update { report in
      report.freshUntil = min(report.freshUntil, item.kept?.freshUntil ?? 0)
      report.counts[item.status.rawValue, default: 0] += 1
      if let change = item.change { report.changes[change, default: 0] += 1 }
      if let error = item.error { report.add(error, of: item) }
      report.fetching += item.fetching
      report.transcoding += item.transcoding
      report.addTime(of: item)
    }
  }

  /// Counts one decode and the files that were made from it.
  ///
  /// - Parameters:
  ///   - bytes: of the source; nil if that is not known.
  ///   - warnings: about the image.
  ///   - views: of the image.
  func addDecode(
    _ files: [VariantRecord], of bytes: Int?, _ warnings: [SourceWarning], _ views: ViewCost
  ) {
    update { report in
      report.decodes += 1
      if warnings.contains(where: { $0.code == .headerDiffers }) { report.headerDiffers += 1 }
      report.views += views
      report.sourceBytes += bytes ?? 0
      report.variantsMade += files.count
      report.bytesWritten += files.reduce(0) { $0 + $1.bytes }
    }
  }

  /// Counts what was done to add files of the better format to an item.
  ///
  /// - Parameter made: its files and their bytes; nil if it still lacks some.
  func addUpgrade(
    _ made: (files: Int, bytes: Int)?, fetching: Duration, transcoding: Duration
  ) {
    update { report in
      report.fetching += fetching
      report.transcoding += transcoding
      guard let made else { return }
      report.upgradedImages += 1
      report.upgradedFiles += made.files
      report.upgradedBytes += made.bytes
    }
  }

  /// Counts the files that an item's slots request, and those of them that existed.
  func count(_ filePlan: FilePlan, made: Int) {
    count(filePlan.plan)
    update { $0.variantsReused += filePlan.keys.count - made }
  }

  func count(_ plan: Plan) { update { $0.variantsAsked += plan.asked } }
}
