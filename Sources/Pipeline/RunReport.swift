internal import Synchronization
internal import TesseraCatalog
internal import TesseraJSON
package import TesseraManifest
internal import TesseraSystem

/// What a run did: everything that `run.json` holds and the catalog must not.
package struct RunReport: Sendable {
  package var started = 0.0
  package var seconds = 0.0
  package var counts: [String: Int] = [:]
  package var errors: [String: Int] = [:]
  package var problems: [ManifestProblem] = []
  package var problemCount = 0
  package var requests = 0
  package var retries = 0
  package var notModified = 0
  package var bytesFetched = 0
  package var variantsAsked = 0
  package var variantsMade = 0
  package var variantsReused = 0
  package var bytesWritten = 0
  package var decodes = 0
  package var workers = 0
  package var workersReplaced = 0
  package var peakMemory = 0
  package var slowest: [(id: String, seconds: Double)] = []
  package var warnings: [String] = []

  /// Problems are counted without end, but only so many are kept.
  static let keptProblems = 100
  static let keptSlowest = 10

  package init() {}

  package var total: Int { counts.values.reduce(0, +) }
  package func count(_ status: String) -> Int { counts[status, default: 0] }

  /// Whether anything did not come out as it should: exit status 1.
  package var hasFailures: Bool { count("failed") + count("stale") + problemCount > 0 }

  /// The document `run.json`.
  package var json: [UInt8] {
    var writer = JSONWriter(indent: 2)
    writer.object { object in
      object.member("schema", "tessera-run/1")
      object.member("started", Host.timestamp(started))
      object.member("seconds", seconds)
      object.name("items")
      object.object { items in
        items.member("total", total)
        for status in CatalogImage.Status.allCases {
          items.member(status.rawValue, count(status.rawValue))
        }
      }
      object.name("errors")
      object.object { list in
        for (code, count) in errors.sorted(by: { $0.key < $1.key }) { list.member(code, count) }
      }
      object.name("manifestProblems")
      object.object { group in
        group.member("total", problemCount)
        group.name("first")
        group.array { list in
          for problem in problems {
            list.object { entry in
              entry.member("line", problem.line)
              entry.member("message", problem.message)
            }
          }
        }
      }
      object.name("fetch")
      object.object { fetch in
        fetch.member("requests", requests)
        fetch.member("retries", retries)
        fetch.member("notModified", notModified)
        fetch.member("bytes", bytesFetched)
      }
      object.name("variants")
      object.object { variants in
        variants.member("asked", variantsAsked)
        variants.member("made", variantsMade)
        variants.member("reused", variantsReused)
        variants.member("bytesWritten", bytesWritten)
      }
      object.member("decodes", decodes)
      object.member("encodes", variantsMade)
      object.name("workers")
      object.object { group in
        group.member("count", workers)
        group.member("replaced", workersReplaced)
      }
      object.member("peakMemoryBytes", peakMemory)
      object.name("slowest")
      object.array { list in
        for item in slowest {
          list.object { entry in
            entry.member("id", item.id)
            entry.member("seconds", item.seconds)
          }
        }
      }
      object.name("warnings")
      object.array { list in for warning in warnings { list.value(warning) } }
    }
    return writer.take() + [UInt8(ascii: "\n")]
  }
}

/// Counts what happens, from many tasks.
final class RunRecorder: Sendable {
  private let report = Mutex(RunReport())

  var current: RunReport { report.withLock { $0 } }

  func update(_ change: (inout RunReport) -> Void) { report.withLock { change(&$0) } }

  func add(_ problem: ManifestProblem) {
    update { report in
      report.problemCount += 1
      if report.problems.count < RunReport.keptProblems { report.problems.append(problem) }
    }
  }

  func add(_ standing: StandingItems.Verdict) {
    update { report in
      report.counts[CatalogImage.Status.ok.rawValue, default: 0] += 1
      report.variantsAsked += standing.places
      report.variantsReused += standing.files
    }
  }

  func add(_ image: CatalogImage, seconds: Double) {
    update { report in
      report.counts[image.status.rawValue, default: 0] += 1
      if let error = image.error { report.errors[error.code, default: 0] += 1 }
      let isAmongSlowest = report.slowest.last.map { $0.seconds < seconds } ?? true
      if isAmongSlowest || report.slowest.count < RunReport.keptSlowest {
        report.slowest.append((image.id, seconds))
        report.slowest.sort { $0.seconds > $1.seconds }
        if report.slowest.count > RunReport.keptSlowest { report.slowest.removeLast() }
      }
    }
  }
}
