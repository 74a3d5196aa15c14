import Foundation
import TesseraCatalog
import TesseraManifest
import TesseraOutput
import TesseraPipelineFile
import TesseraSystem
import TesseraTestSupport
import Testing

@testable import TesseraPipeline

/// The file of `run --events`, as whole texts.
@Suite struct EventLogTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func open(_ name: String = "events") throws -> EventLog {
    try EventLog(folder.path(name), of: nil, deadline: nil)
  }

  /// The file's lines without their times, each of which has to be one.
  private func lines() throws -> [String] {
    try folder.text("events").split(separator: "\n", omittingEmptySubsequences: false).dropLast()
      .map { line in
        let time = try #require(
          line.prefixMatch(of: /\{"time":"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ",/), "\(line)")
        return "{" + line[time.range.upperBound...]
      }
  }

  private static func item(_ id: String, error: CatalogImage.Failure? = nil) -> ItemReport {
    ItemReport(
      id: id, position: 3, status: error == nil ? .ok : .stale, error: error,
      change: error == nil ? .changed : nil)
  }

  @Test func everyEventIsALine() throws {
    let log = try open()
    try log.held()
    log.began { RunProgress() }
    var made = Self.item("a")
    (made.made, made.bytes) = (2, 300)
    (made.fetching, made.transcoding) = (.milliseconds(1_500), .milliseconds(250))
    log.happened(.item(made))
    log.happened(.item(Self.item("b")))
    log.happened(
      .item(Self.item("c", error: .init(code: "dns", message: "No name.", retryable: true))))
    log.happened(.problem(line: 7, message: "odd"))
    log.happened(.hostSlowed(host: "img.example", reason: "busy", pause: .milliseconds(2_500)))
    log.happened(.workerReplaced(reason: "it crashed"))
    log.happened(.warning("take care"))
    var report = RunReport()
    report.seconds = 12.5
    report.counts = ["stale": 1, "failed": 3, "ok": 2]
    log.end(report) { Issue.record("\($0)") }
    #expect(
      try lines() == [
        #"{"event":"run-started"}"#,
        #"{"event":"item-done","id":"a","status":"ok","change":"changed","made":2,"bytes":300,"#
          + #""fetchSeconds":1.5,"transcodeSeconds":0.25}"#,
        #"{"event":"item-done","id":"b","status":"ok","change":"changed"}"#,
        #"{"event":"item-failed","id":"c","status":"stale","code":"dns","message":"No name.","#
          + #""retryable":true}"#,
        #"{"event":"manifest-problem","line":7,"message":"odd"}"#,
        #"{"event":"host-slowed","host":"img.example","message":"busy","seconds":2.5}"#,
        #"{"event":"worker-replaced","message":"it crashed"}"#,
        #"{"event":"warning","message":"take care"}"#,
        #"{"event":"run-ended","seconds":12.5,"items":{"total":6,"failed":3,"ok":2,"stale":1}}"#,
      ])
    #expect(!log.hasLostStandardOutput)
  }

  /// What another run has written stays until the output is this run's, and then goes.
  @Test func anEarlierFileIsReplacedOnceTheOutputIsHeld() throws {
    let earlier = #"{"time":"2026-01-01T00:00:00Z","event":"run-started"}"# + "\n"
    try folder.write(earlier, to: "events")
    let log = try open()
    log.happened(.warning("too early"))
    #expect(try folder.text("events") == earlier)
    try log.held()
    #expect(try folder.text("events") == "")
    log.happened(.warning("one"))
    try log.held()
    log.happened(.warning("two"))
    #expect(
      try lines() == [
        #"{"event":"warning","message":"one"}"#, #"{"event":"warning","message":"two"}"#,
      ])
  }

  @Test func anotherFileIsNotReplaced() throws {
    try folder.write("mine\n", to: "events")
    #expect(throws: SystemError.self) { try open() }
    // Nor one that appears meanwhile.
    let log = try open("late")
    try folder.write("mine\n", to: "late")
    #expect(throws: SystemError.self) { try log.held() }
    #expect(try folder.text("late") == "mine\n")
  }

  @Test func theLastEventSaysWhyARunEnded() throws {
    for (error, expected) in [
      (CancellationError(), [#"{"event":"run-stopped"}"#]),
      (
        TesseraError(.local, "the disk is full"),
        [#"{"event":"run-failed","message":"the disk is full"}"#]
      ),
    ] as [(any Error, [String])] {
      // Also if the run has ended before the output was its own.
      for isHeld in [true, false] {
        let log = try open()
        if isHeld { try log.held() }
        log.end(failure: error)
        #expect(try lines() == expected)
      }
    }
    // The events of the run that holds the output stay.
    let before = try folder.text("events")
    try open().end(failure: TesseraError.busy("the output", holder: "1"))
    #expect(try folder.text("events") == before)
    try open().end(failure: TesseraError.twoStates("s", output: "o"))
    #expect(try lines().count == 1)
    #expect(try folder.text("events") != before)
  }

  /// After the first write that fails nothing is written, and the run goes on.
  @Test func aFullDiskIsReportedAtTheEnd() throws {
    let log = try EventLog("/dev/full", of: nil, deadline: nil)
    try log.held()
    log.happened(.warning("one"))
    var warnings: [String] = []
    log.end(RunReport()) { warnings.append($0) }
    #expect(
      warnings == [
        "not all events were written: \(SystemError("write to", "/dev/full", code: ENOSPC))"
      ])
    #expect(!log.hasLostStandardOutput, "it is not standard output")
  }

  @Test func aNamedPipeIsWrittenTo() async throws {
    let path = folder.path("pipe")
    try #require(mkfifo(path, 0o600) == 0)
    let (read, continuation) = AsyncStream<[UInt8]>.makeStream()
    Thread.detachNewThread {
      continuation.yield((try? FileSystem.read(path, limit: 1_000)) ?? [])
      continuation.finish()
    }
    do {
      let log = try EventLog(path, of: nil, deadline: .seconds(60))
      try log.held()
      log.happened(.warning("one"))
    }
    for await bytes in read {
      let text = String(decoding: bytes, as: UTF8.self)
      #expect(text.hasSuffix(#"Z","event":"warning","message":"one"}"# + "\n"))
    }
  }

  /// No reader is waited for beyond the run's deadline.
  @Test func aNamedPipeWithoutAReaderIsAnError() throws {
    let path = folder.path("pipe")
    try #require(mkfifo(path, 0o600) == 0)
    let log = try EventLog(path, of: nil, deadline: .milliseconds(20))
    #expect(throws: SystemError.noReader(path)) { try log.held() }
    // Ends the thread that still waits to open it.
    close(Glibc.open(path, O_RDONLY | O_NONBLOCK))
  }
}
