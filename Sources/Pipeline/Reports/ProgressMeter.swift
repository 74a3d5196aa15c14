internal import Synchronization
internal import TesseraCatalog
internal import TesseraManifest
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
