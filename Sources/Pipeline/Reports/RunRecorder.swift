internal import Synchronization
internal import TesseraCatalog
internal import TesseraManifest
internal import TesseraPlan
internal import TesseraState

/// Counts what happens in a run, from many tasks.
final class RunRecorder: Sendable {
  private let report = Mutex(RunReport())

  var current: RunReport { report.withLock { $0 } }

  /// Items with a result, and those with an error among them.
  var done: (all: Int, failed: Int) { report.withLock { ($0.total, $0.failed) } }

  func update(_ change: (inout RunReport) -> Void) { report.withLock { change(&$0) } }

  func add(_ problem: ManifestProblem) {
    update { report in
      report.problemCount += 1
      if report.problems.count < RunReport.keptProblems { report.problems.append(problem) }
    }
  }

  func add(_ standing: StandingItems.Verdict) {
    update { $0.counts[CatalogImage.Status.ok.rawValue, default: 0] += 1 }
    count(standing)
  }

  /// Counts the files of a line that is kept.
  func count(_ standing: StandingItems.Verdict) {
    update { report in
      report.variantsAsked += standing.places
      report.variantsReused += standing.files
    }
  }

  func add(_ done: ItemDone, seconds: Double) {
    update { report in
      report.counts[done.status.rawValue, default: 0] += 1
      if let error = done.error { report.errors[error.code, default: 0] += 1 }
      let isAmongSlowest = report.slowest.last.map { $0.seconds < seconds } ?? true
      guard isAmongSlowest || report.slowest.count < RunReport.keptSlowest else { return }
      report.slowest.append((done.id, seconds))
      report.slowest.sort { $0.seconds > $1.seconds }
      if report.slowest.count > RunReport.keptSlowest { report.slowest.removeLast() }
    }
  }

  /// Counts one decode and the files that were made from it.
  func addDecode(_ files: [VariantRecord]) {
    update { report in
      report.decodes += 1
      report.variantsMade += files.count
      report.bytesWritten += files.reduce(0) { $0 + $1.bytes }
    }
  }

  /// Counts the files that an item's slots request, and those of them that existed.
  func count(_ blueprint: Blueprint, made: Int) {
    count(blueprint.plan)
    update { $0.variantsReused += blueprint.keys.count - made }
  }

  func count(_ plan: Plan) { update { $0.variantsAsked += plan.asked } }
}
