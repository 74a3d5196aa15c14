internal import Synchronization
internal import TesseraCatalog
internal import TesseraManifest
internal import TesseraPlan
internal import TesseraState
internal import TesseraSystem

/// Counts what happens in a run, and passes it on to the observer.
final class ProgressMeter: Sendable {
  private struct State {
    var started = 0
    var bytesRead = 0
    var size: Int?
    /// The number of items, once the manifest was read to its end.
    var total: Int?
  }

  private let recorder: RunRecorder
  private let observer: any RunObserving
  private let state = Mutex(State())

  init(_ recorder: RunRecorder, _ observer: any RunObserving) {
    self.recorder = recorder
    self.observer = observer
  }

  /// The items begin.
  ///
  /// - Parameter stages: adds what is in flight.
  func begin(_ stages: @escaping @Sendable (inout RunProgress) -> Void) {
    observer.began { [self] in
      var progress = RunProgress()
      (progress.done, progress.errors) = recorder.done
      (progress.total, progress.isTotalExact) = total
      (progress.pausing, progress.upgraded) = (recorder.pausing, recorder.upgraded)
      stages(&progress)
      return progress
    }
  }

  /// A part of the manifest was read.
  ///
  /// - Parameters:
  ///   - bytes: read so far.
  ///   - size: of the whole manifest in bytes, if it is known.
  func read(_ bytes: Int, of size: Int?) {
    state.withLock { ($0.bytesRead, $0.size) = (bytes, size) }
  }

  /// The manifest was read to its end.
  ///
  /// - Parameter total: the number of its items.
  func endReading(_ total: Int) { state.withLock { $0.total = total } }

  /// How many URLs of the lines that were read had to be encoded.
  func encoded(_ count: Int) { recorder.update { $0.encodedURLs = count } }

  func forgotten() { recorder.update { $0.forgotten += 1 } }

  func started() { state.withLock { $0.started += 1 } }

  /// An item's line still applies.
  func standing(_ line: LineReuse.Line, _ item: Item) {
    recorder.add(standing: 1, line.kept)
    started()
    observer.happened(
      .item(ItemReport(id: item.id, position: item.position, status: .ok, change: .reused)))
  }

  /// The lines of a chunk still apply.
  func standing(_ chunk: Chunk) {
    recorder.add(
      standing: chunk.count,
      KeptLine(freshUntil: chunk.freshUntil, places: chunk.places, files: chunk.files))
    state.withLock { $0.started += chunk.count }
  }

  func ended(_ item: ItemReport) {
    recorder.add(item)
    observer.happened(.item(item))
  }

  func problem(_ problem: ManifestProblem) {
    recorder.add(problem)
    observer.happened(.problem(line: problem.line, message: problem.text))
  }

  func warn(_ message: String) {
    recorder.update { $0.warnings.append(message) }
    observer.happened(.warning(message))
  }

  /// Says what a person should know about the manifest.
  func tell(of manifest: ManifestStream) {
    for warning in manifest.warnings { happened(.warning(warning)) }
  }

  /// Says how the pipeline file does not fit the columns of the manifest. Not in the report: names of private columns are
  /// private, too.
  func tell(ofMistakes manifest: ManifestStream) {
    for mistake in manifest.leftOut.mistakes { happened(.warning(mistake)) }
  }

  /// The last run on this output had this many items.
  func noteLast(_ items: Int) { recorder.update { $0.before = items } }

  func happened(_ event: RunEvent) { observer.happened(event) }

  private var total: (Int?, isExact: Bool) {
    state.withLock { state in
      if let total = state.total { return (total, true) }
      guard let size = state.size, state.bytesRead > 0 else { return (nil, false) }
      let estimate = Double(state.started) * Double(size) / Double(state.bytesRead)
      return (max(state.started, Int(estimate)), false)
    }
  }
}

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
      if let failure = item.failure { report.failures[failure, default: 0] += 1 }
      if let error = item.error { report.add(error, of: item) }
      report.addStale(item)
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
