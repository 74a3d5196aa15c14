internal import TesseraJSON
internal import TesseraNet
internal import TesseraOutput
internal import TesseraPipelineFile
internal import TesseraSystem
internal import TesseraText

/// What the next run of an output will do, as far as earlier runs know.
package struct RunForecast: Sendable, Equatable {
  /// The images of the manifest, or those that are named.
  package var images = 0
  /// Those of the last run of all images; nil if there was none.
  package var before: Int?
  /// Images that the output does not have, whose line of the manifest has changed, and of the catalog that the manifest no longer has.
  package var new = 0
  package var changed = 0
  package var gone = 0
  /// Images of which nothing is requested or made.
  package var fresh = 0
  /// Images of which the server is asked whether they have changed, which are fetched, and which are made of kept copies.
  package var revalidated = 0
  package var fetched = 0
  package var copied = 0
  /// Images that failed the last time, or are stale, and are requested again; they are among those above.
  package var retried = 0
  /// Images that the run leaves out.
  package var forgotten = 0
  package var problems = 0
  /// Why the run would stop before it replaces the catalog: a clause. Nil if no guard is known to stop it.
  package var stop: String?
  /// If every origin answers as the last time.
  package var expected = Work()
  /// If every source that is revalidated has changed, what failed succeeds, and each image of a source has to fetch it.
  package var most = Work()
  /// Whether that makes a difference.
  package var dependsOnOrigins: Bool { expected != most }
  /// What is there now, by the records of files.
  package var disk = Files()
  /// What is left on the output's disk; nil for an object store, and if the system does not say.
  package var room: Room?
  /// Whether the most that the run may write does not fit there: the files' bytes, and an inode for each.
  package var isDiskShort: (bytes: Bool, inodes: Bool) {
    (
      most.bytes > room?.bytes ?? .max,
      most.files > room?.inodes ?? .max
    )
  }

  package struct Work: Sendable, Equatable, Encodable {
    package var requests = 0
    /// Of those, the ones to hosts that have a rate.
    private(set) var paced: [String: Int] = [:]
    package var files = 0
    /// Of these files, if they are like those that are there.
    package var bytes = 0
    /// By the clock, if it goes on as in the last runs; nil if none of them has done such work.
    package var seconds: Double?

    private enum CodingKeys: CodingKey { case requests, files, bytes, seconds }

    /// - Parameter host: whose rate they keep to; nil without one.
    mutating func add(requests count: Int, of host: String?) {
      requests += count
      if let host { paced[host, default: 0] += count }
    }
  }

  /// Free bytes and inodes; nil if the file system makes inodes as they are needed.
  package struct Room: Sendable, Equatable {
    package var bytes: Int
    package var inodes: Int?
  }

  package struct Files: Sendable, Equatable, Encodable {
    package var count = 0
    package var bytes = 0

    private enum CodingKeys: String, CodingKey {
      case count = "files"
      case bytes
    }

    package init(count: Int = 0, bytes: Int = 0) { (self.count, self.bytes) = (count, bytes) }
  }
}

extension RunForecast {
  /// The document that `plan --only… --json` prints.
  package var document: [UInt8] { Document(next: self).json }

  private struct Document: JSONDocument {
    let schema = "tessera-plan/1"
    let next: RunForecast
  }
}

/// The members of the document that `plan --json` prints about the next run.
extension RunForecast: Encodable {
  private struct Members: Encodable {
    let images: Images
    let stop: String?
    let expected, most: Work
    let disk: Files
    let free: Free?
  }

  private struct Images: Encodable {
    let total: Int
    let before: Int?
    let new, changed, gone, fresh, revalidated, fetched, copied, retried, forgotten, problems: Int
  }

  private struct Free: Encodable {
    let bytes: Int
    let inodes: Int?
    let suffices: Bool
  }

  package func encode(to encoder: any Encoder) throws {
    try Members(
      images: Images(
        total: images, before: before, new: new, changed: changed, gone: gone, fresh: fresh,
        revalidated: revalidated, fetched: fetched, copied: copied, retried: retried,
        forgotten: forgotten, problems: problems),
      stop: stop, expected: expected, most: most, disk: disk,
      free: room.map { room in
        Free(bytes: room.bytes, inodes: room.inodes, suffices: isDiskShort == (false, false))
      }
    ).encode(to: encoder)
  }
}

/// How long a run takes by the clock, from what the last runs took: medians, so that one bad run decides nothing.
struct RunPace: Sendable {
  /// What a run takes beside its work, in seconds.
  private let idle: Double
  /// What it takes for each request and each file; nil if no run says it.
  private let request: Double?
  private let file: Double?
  /// Seconds from one request to the next, of all and of one host, where there is a rate.
  private let interval: Double
  private let intervals: [String: Double]

  /// Earlier runs say little of the present.
  private static let most = 15
  /// A run without work on a small server.
  private static let usualIdle = 0.3

  /// - Parameter history: of the output.
  init(_ history: RunHistory, _ settings: PipelineFile.Fetch) {
    let runs = history.entries.filter { $0.kind == .run && $0.outcome.isSuccess }.suffix(Self.most)
    func median(_ value: (HistoryEntry) -> Double?) -> Double? {
      let values = runs.compactMap(value).sorted()
      return values.isEmpty
        ? nil : (values[values.count / 2] + values[(values.count - 1) / 2]) / 2
    }
    let counts = { (run: HistoryEntry) in
      (requests: run.work[.requests] ?? 0, files: run.work[.encodes] ?? 0)
    }
    let idle =
      median { counts($0) == (0, 0) ? $0.seconds : nil }
      ?? min(Self.usualIdle, runs.map(\.seconds).min() ?? .infinity)
    self.idle = idle
    let share = { (run: HistoryEntry, count: Int) in
      count > 0 ? max(0, run.seconds - idle) / Double(count) : nil
    }
    file = median { share($0, counts($0).files) }
    // Where files were made, requests may have waited for them.
    request =
      median { counts($0).files == 0 ? share($0, counts($0).requests) : nil }
      ?? median { share($0, counts($0).requests) }
    interval = settings.rate?.interval.inSeconds ?? 0
    intervals = HostRules(settings.hosts).rates.mapValues(\.interval.inSeconds)
  }

  /// In seconds: at least what the rates want; nil without them, if no run has done such work.
  func seconds(of work: RunForecast.Work) -> Double? {
    let paced = pacedSeconds(of: work)
    var seconds = paced
    for (count, each) in [(work.requests, request), (work.files, file)] where count > 0 {
      if each == nil, paced == 0 { return nil }
      seconds = max(seconds, Double(count) * (each ?? 0))
    }
    return idle + seconds
  }

  /// From the first request to the last, as the rates have it.
  private func pacedSeconds(of work: RunForecast.Work) -> Double {
    let hosts = work.paced.map { host, count in Double(count - 1) * (intervals[host] ?? 0) }
    return max(0, Double(work.requests - 1) * interval, hosts.max() ?? 0)
  }
}
