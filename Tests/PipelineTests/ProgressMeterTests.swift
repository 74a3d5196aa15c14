import Foundation
import Synchronization
import TesseraCatalog
import TesseraManifest
import TesseraPipelineFile
import TesseraState
import TesseraSystem
import TesseraTestSupport
import Testing

@testable import TesseraPipeline

/// What observers of a run see.
@Suite struct ProgressMeterTests {
  private let recorder = RunRecorder()
  private let observer = Observer()
  private var meter: ProgressMeter { ProgressMeter(recorder, RunObservers([observer, observer])) }

  private static func item(_ id: String, code: String? = nil) -> ItemReport {
    ItemReport(
      id: id, position: 7, status: code == nil ? .ok : .failed,
      error: code.map { .init(code: $0, message: "It failed.", retryable: false) },
      change: code == nil ? .new : nil)
  }

  @Test func progressIsWhatHasBeenCountedSoFar() async throws {
    let meter = meter
    meter.begin { progress in
      (progress.fetching, progress.waiting) = (3, 4)
      (progress.transcoding, progress.bytes) = (5, 6)
    }
    var expected = RunProgress()
    (expected.fetching, expected.waiting, expected.transcoding, expected.bytes) = (3, 4, 5, 6)
    #expect(observer.progress == expected)
    for _ in 0..<10 { meter.started() }
    meter.ended(Self.item("a"))
    meter.ended(Self.item("b", code: "dns"))
    (expected.done, expected.errors) = (2, ["dns": 1])
    #expect(observer.progress == expected)
    let pausing = await recorder.pause { observer.progress?.pausing }
    #expect(pausing == 1)
    // Nothing was read yet, or the size is not known: no estimate.
    for (bytes, size) in [(0, 1_000), (500, nil)] as [(Int, Int?)] {
      meter.read(bytes, of: size)
      #expect(observer.progress == expected)
    }
    meter.read(250, of: 1_000)
    expected.total = 40
    #expect(observer.progress == expected)
    // A pipe that grew: never fewer than those that were begun.
    meter.read(2_000, of: 1_000)
    expected.total = 10
    #expect(observer.progress == expected)
    meter.endReading(12)
    (expected.total, expected.isTotalExact) = (12, true)
    #expect(observer.progress == expected)
  }

  @Test func everyEventIsCountedAndPassedOn() {
    let meter = meter
    let item = Item(
      ManifestEntry(line: 1, id: "up-to-date", url: "https://img.example/a"), position: 3,
      PipelineFile.fetch())
    let line = LineReuse.Line(
      Verdict(need: .nothing, reason: .neverRevalidated),
      SourceRecord(content: "c", confirmation: .stale()), 0..<1,
      KeptLine(freshUntil: 0, places: 2, files: 2))
    meter.begin { _ in }
    meter.standing(line, item)
    meter.ended(Self.item("a", code: "dns"))
    meter.problem(ManifestProblem(line: 9, message: "it is odd"))
    meter.warn("take care")
    meter.happened(.workerReplaced(reason: "it crashed"))
    meter.forgotten()
    meter.noteLast(77)
    let once = [
      "item up-to-date 3 ok reused -", "item a 7 failed - dns", "problem 9 it is odd",
      "warning take care", "worker it crashed",
    ]
    // Both observers are the same.
    #expect(observer.events == once.flatMap { [$0, $0] })
    let report = recorder.current
    #expect((report.total, report.problemCount, report.warnings) == (2, 1, ["take care"]))
    #expect((report.forgotten, report.before, report.variantsReused) == (1, 77, 2))
    meter.read(1, of: 50)
    #expect(observer.progress?.total == 50, "the item counts as begun")
  }

  @Test func allObserversMayHoldARunBack() throws {
    let observers = RunObservers([observer, observer])
    try observers.held()
    #expect(observer.holds == 2)
    observer.isFull.withLock { $0 = true }
    #expect(throws: SystemError.self) { try observers.held() }
    #expect(observer.holds == 3)
  }
}

/// Keeps what it observes, as words.
private final class Observer: RunObserving {
  private struct State {
    var events: [String] = []
    var holds = 0
    var progress: (@Sendable () -> RunProgress)?
  }

  private let state = Mutex(State())
  let isFull = Mutex(false)

  var events: [String] { state.withLock { $0.events } }
  var holds: Int { state.withLock { $0.holds } }
  var progress: RunProgress? { state.withLock { $0.progress }?() }

  func held() throws {
    state.withLock { $0.holds += 1 }
    if isFull.withLock(\.self) { throw SystemError("open", "events", code: 28) }
  }

  func began(_ progress: @escaping @Sendable () -> RunProgress) {
    state.withLock { $0.progress = progress }
  }

  func happened(_ event: RunEvent) {
    let words: [String] =
      switch event {
      case .item(let item):
        [
          "item", item.id, "\(item.position)", item.status.rawValue, item.change?.rawValue ?? "-",
          item.error?.code ?? "-",
        ]
      case .problem(let line, let message): ["problem", "\(line)", message]
      case .hostSlowed(let host, let reason, let pause): ["host", host, reason, "\(pause)"]
      case .workerReplaced(let reason): ["worker", reason]
      case .warning(let message): ["warning", message]
      }
    state.withLock { $0.events.append(words.joined(separator: " ")) }
  }
}
