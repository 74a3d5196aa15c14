internal import Synchronization
internal import TesseraManifest
internal import TesseraSystem

/// Reports a run's progress whenever it changes: to the counts of ``RunReport`` and to the observer.
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
  func endReading(_ total: Int) {
    state.withLock { $0.total = total }
    report()
  }

  func started() {
    state.withLock { $0.started += 1 }
    report()
  }

  func standing(_ verdict: StandingItems.Verdict) {
    recorder.add(verdict)
    started()
  }

  func ended(_ done: ItemDone, after time: Duration) {
    recorder.add(done, seconds: time.inSeconds)
    if let error = done.error { observer.failed(done.id, error) }
    report()
  }

  func problem(_ problem: ManifestProblem) {
    recorder.add(problem)
    observer.problem(problem)
  }

  func warn(_ message: String) {
    recorder.update { $0.warnings.append(message) }
    observer.warn(message)
  }

  private func report() {
    // Under one lock, so that reports of many tasks come in order and the last one is the final count.
    state.withLock { state in
      let (done, failed) = recorder.done
      observer.progress(RunProgress(done: done, failed: failed, total: Self.total(state)))
    }
  }

  private static func total(_ state: State) -> Int? {
    if let total = state.total { return total }
    guard let size = state.size, state.bytesRead > 0 else { return nil }
    let estimate = Double(state.started) * Double(size) / Double(state.bytesRead)
    return max(state.started, Int(estimate))
  }
}
