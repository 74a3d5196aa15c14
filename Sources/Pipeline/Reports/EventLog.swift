internal import Synchronization
internal import TesseraCatalog
internal import TesseraJSON
package import TesseraPipelineFile
package import TesseraSystem

/// The file of `run --events`: what happens in a run, as JSON, one event on a line, as it happens.
package final class EventLog: RunObserving {
  private struct State: ~Copyable {
    /// Nil until the output is this run's: another run may be writing to the same file.
    var target: Target?
    /// After the first write that fails nothing is written: the disk is full, or the reader has gone.
    var failure: SystemError?
  }

  private enum Target: ~Copyable {
    case file(File)
    case pipe(NamedPipe)

    borrowing func write(_ bytes: [UInt8]) throws(SystemError) {
      switch self {
      case .file(let file): try file.write(bytes)
      case .pipe(let pipe): try pipe.write(bytes)
      }
    }
  }

  private let state = Mutex(State())
  private let path: String
  private let pipeline: PipelineFile?
  /// When the run's time is over, and no reader is waited for.
  private let end: ContinuousClock.Instant?

  /// A run does not wait longer for the reader of a named pipe: it does not begin without one, and writes no more
  /// events once the reader takes none.
  private static let patience = Duration.seconds(10)

  /// - Parameters:
  ///   - path: a new file, or one that an earlier run wrote, which is replaced; a named pipe or a device is written
  ///     to, and `-` is standard output.
  ///   - pipeline: nil if its file can't be read.
  ///   - deadline: of the run.
  /// - Throws: `SystemError` if the file is another one: a mistake is found before the run.
  package init(
    _ path: String, of pipeline: PipelineFile?, deadline: Duration?
  ) throws(SystemError) {
    (self.path, self.pipeline) = (path, pipeline)
    end = deadline.map { ContinuousClock.now + $0 }
    if path != "-" { try ReportFile.events.check(path, of: pipeline) }
  }

  /// - Throws: `SystemError` if the file can't be opened.
  package func held() throws {
    try state.withLock { state in
      guard state.target == nil else { return }
      if path != "-" { try ReportFile.events.check(path, of: pipeline) }
      state.target = try open()
    }
  }

  private func open() throws(SystemError) -> Target {
    let place = path == "-" ? "/dev/stdout" : path
    if FileSystem.isPipe(place) {
      // Standard output is awaited, as by any program in a pipe, but not beyond the run's time.
      let patience = path == "-" ? Duration.seconds(100 * 365 * 86_400) : Self.patience
      return .pipe(try NamedPipe(place, patience: patience, end: end))
    }
    let isFile = FileSystem.size(ofFile: place) != nil || !FileSystem.exists(place)
    return .file(try File(place, isFile ? .write : .append))
  }

  package func began(_ progress: @escaping @Sendable () -> RunProgress) {
    write { $0.member("event", "run-started") }
  }

  package func happened(_ event: RunEvent) { write { event.write(to: &$0) } }

  /// The last event of a run that was done.
  ///
  /// - Parameter warn: called with a sentence if events could not be written.
  package func end(_ report: RunReport, warn: (String) -> Void) {
    write { event in
      event.member("event", "run-ended")
      event.member("seconds", report.seconds)
      event.name("items")
      event.object { items in
        items.member("total", report.total)
        for (status, count) in report.counts.sorted(by: { $0.key < $1.key }) {
          items.member(status, count)
        }
      }
    }
    if let failure = state.withLock({ $0.failure }) {
      warn("not all events were written: \(failure)")
    }
  }

  /// Whether the reader of standard output takes nothing any more: a write to it would never end.
  package var hasLostStandardOutput: Bool {
    path == "-" && state.withLock { $0.failure != nil }
  }

  package var followsItems: Bool { true }

  /// The last event of a run that could not go on, or was stopped.
  package func end(failure error: any Error) {
    // The events of the run that holds the output stay.
    if let error = error as? PipelineError, error.isBusy { return }
    try? held()
    write { event in
      event.member("event", error is CancellationError ? "run-stopped" : "run-failed")
      if !(error is CancellationError) { event.member("message", "\(error)") }
    }
  }

  private func write(_ body: (inout JSONWriter) -> Void) {
    var writer = JSONWriter()
    writer.object { event in
      event.member("time", Host.timestamp(Host.now))
      body(&event)
    }
    let line = writer.take() + [UInt8(ascii: "\n")]
    state.withLock { state in
      guard state.failure == nil else { return }
      do throws(SystemError) { try state.target?.write(line) } catch { state.failure = error }
    }
  }
}

extension RunEvent {
  fileprivate func write(to event: inout JSONWriter) {
    switch self {
    case .item(let item): item.write(to: &event)
    case .problem(let line, let message):
      event.member("event", "manifest-problem")
      event.member("line", line)
      event.member("message", message)
    case .hostSlowed(let host, let reason, let pause):
      event.member("event", "host-slowed")
      event.member("host", host)
      event.member("message", reason)
      event.member("seconds", pause.inSeconds)
    case .workerReplaced(let reason):
      event.member("event", "worker-replaced")
      event.member("message", reason)
    case .warning(let message):
      event.member("event", "warning")
      event.member("message", message)
    }
  }
}

extension ItemReport {
  fileprivate func write(to event: inout JSONWriter) {
    event.member("event", error == nil ? "item-done" : "item-failed")
    event.member("id", id)
    event.member("status", status.rawValue)
    if let change { event.member("change", change.rawValue) }
    if let error {
      event.member("code", error.code)
      event.member("message", error.message)
      event.member("retryable", error.retryable)
    }
    if made > 0 {
      event.member("made", made)
      event.member("bytes", bytes)
    }
    if fetching > .zero { event.member("fetchSeconds", fetching.inSeconds) }
    if transcoding > .zero { event.member("transcodeSeconds", transcoding.inSeconds) }
  }
}
