internal import Synchronization
internal import TesseraCatalog
internal import TesseraJSON
internal import TesseraOutput
package import TesseraPipelineFile
package import TesseraSystem
internal import TesseraText

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
    /// Which is a file or a terminal. What else is written there follows.
    case standardOutput

    borrowing func write(_ bytes: [UInt8]) throws(SystemError) {
      switch self {
      case .file(let file): try file.write(bytes)
      case .pipe(let pipe): try pipe.write(bytes)
      case .standardOutput:
        guard StandardStream.output.write(bytes) else {
          throw SystemError("write to", "standard output", code: StandardStream.outputFailure)
        }
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
    if path == "-" { return .standardOutput }
    let isFile = FileSystem.size(ofFile: place) != nil || !FileSystem.exists(place)
    return .file(try File(place, isFile ? .write : .append))
  }

  package func began(_ progress: @escaping @Sendable () -> RunProgress) {
    write(Event(event: "run-started"))
  }

  package func happened(_ event: RunEvent) { write(Event(event)) }

  /// The last event of a run that was done.
  ///
  /// - Parameter warn: called with a sentence if events could not be written.
  package func end(_ report: RunReport, warn: (String) -> Void) {
    let counts = report.counts.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    write(
      Event(
        event: "run-ended", seconds: report.seconds,
        items: JSONMembers([("total", report.total)] + counts)))
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
    if TesseraError(error).isBusy { return }
    try? held()
    write(
      error is CancellationError
        ? Event(event: "run-stopped") : Event(event: "run-failed", message: "\(error)"))
  }

  private func write(_ event: Event) {
    let line = JSONCoding.text(event)
    state.withLock { state in
      guard state.failure == nil else { return }
      do throws(SystemError) { try state.target?.write(line) } catch { state.failure = error }
    }
  }
}

/// A line of the file. An event has some of the members.
private struct Event: Encodable {
  let time = Host.timestamp(Host.now)
  let event: String
  var id: String?
  var status: String?
  var change: ItemReport.Change?
  var line: Int?
  var host, code, message: String?
  var retryable: Bool?
  var made, bytes: Int?
  var fetchSeconds, transcodeSeconds, seconds: Double?
  var items: JSONMembers<Int>?
}

extension Event {
  init(_ event: RunEvent) {
    switch event {
    case .item(let item): self.init(item)
    case .problem(let line, let message):
      self.init(event: "manifest-problem", line: line, message: message)
    case .hostSlowed(let host, let reason, let pause):
      self.init(event: "host-slowed", host: host, message: reason, seconds: pause.inSeconds)
    case .workerReplaced(let reason): self.init(event: "worker-replaced", message: reason)
    case .warning(let message): self.init(event: "warning", message: message)
    }
  }

  private init(_ item: ItemReport) {
    self.init(
      event: item.error == nil ? "item-done" : "item-failed", id: item.id,
      status: item.status.rawValue,
      change: item.change, code: item.error?.code, message: item.error?.message,
      retryable: item.error?.retryable)
    if item.made > 0 { (made, bytes) = (item.made, item.bytes) }
    if item.fetching > .zero { fetchSeconds = item.fetching.inSeconds }
    if item.transcoding > .zero { transcodeSeconds = item.transcoding.inSeconds }
  }
}

/// The file of `run --events` or `run --metrics`: a new one, or one that an earlier run wrote. Any other file is the
/// user's, and stays.
enum ReportFile: String {
  case events = "--events"
  case metrics = "--metrics"

  private static let start = 1 << 10

  /// - Parameter pipeline: whose inputs and outputs it must not be; nil if the pipeline file can't be read.
  /// - Throws: `SystemError` if the path is that of something else.
  func check(_ path: String, of pipeline: PipelineFile?) throws(SystemError) {
    if let pipeline, let owner = Self.owner(of: path, in: pipeline) {
      throw taken(path, "is \(owner)")
    }
    // A pipe or a device keeps nothing that could be lost.
    guard let file = FileSystem.realPath(path), FileSystem.size(ofFile: file) != nil else { return }
    let bytes = try File(file, .read).read(Self.start, at: 0)
    guard bytes.isEmpty || isOne(String(decoding: bytes, as: UTF8.self)) else {
      throw taken(path, "is a file that no run wrote for \(rawValue)")
    }
  }

  private func isOne(_ start: String) -> Bool {
    switch self {
    case .events: start.prefixMatch(of: /\{"time":"[^"]*","event":"/) != nil
    case .metrics: start.hasPrefix("# HELP tessera_")
    }
  }

  private func taken(_ path: String, _ finding: String) -> SystemError {
    .notReplaced(path, "\(finding), and would be lost; name another file for \(rawValue)")
  }

  /// What a path is to a pipeline; nil if it is nothing.
  private static func owner(of path: String, in pipeline: PipelineFile) -> String? {
    let place = place(of: path)
    if place.isSame(as: self.place(of: pipeline.path)) { return "the pipeline file" }
    for list in pipeline.manifest.all {
      let path: String? =
        switch list {
        case .file(let path): path
        case .query(let query): query.database
        case .standardInput, .url, .object, .several: nil
        }
      if let path, place.isSame(as: self.place(of: path)) { return "the manifest" }
    }
    let output = self.place(of: pipeline.output) + "/"
    guard place.begins(with: output) else { return nil }
    let inside = String(Substring(place.utf8.dropFirst(output.utf8.count)))
    let isTaken = OutputPlace.of(inside) != nil || inside.hasPrefix(".tessera")
    return isTaken ? "a file of the output" : nil
  }

  /// Where a file is, or would be, without links.
  private static func place(of path: String) -> String {
    if let real = FileSystem.realPath(path) { return real }
    let parent = FileSystem.parent(of: path)
    return FileSystem.join(FileSystem.realPath(parent) ?? parent, FileSystem.name(of: path))
  }
}
