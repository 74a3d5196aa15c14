@preconcurrency import Glibc
import Synchronization
import TesseraTestSupport
import Testing

@testable import tessera

extension StreamTests {
  /// Progress and messages in a log, and on the screen of a terminal.
  @Suite struct ProgressDisplayTests {
    private final class Sample: Sendable {
      private let state = Mutex((stage: "", errors: 0, calls: 0))

      var calls: Int { state.withLock { $0.calls } }

      func set(_ stage: String, errors: Int = 0) {
        state.withLock { ($0.stage, $0.errors) = (stage, errors) }
      }

      func take() -> ProgressBar.Progress {
        let (stage, errors, _) = state.withLock { state in
          state.calls += 1
          return state
        }
        var progress = ProgressBar.Progress()
        progress.total = 4
        if !stage.isEmpty { progress.stages = [(stage, 1)] }
        if errors > 0 { progress.errors = ["dns": errors] }
        return progress
      }
    }

    private static let bar = "[" + String(repeating: " ", count: 40) + "] 0/4  0.0/s"

    @Test func aLogHasOnlyMessages() async throws {
      let sample = Sample()
      let texts = try await Streams.written {
        let display = ProgressDisplay(isQuiet: false, showsProgress: true)
        display.begin { sample.take() }
        display.message("warning: a\u{1B}b")
        display.finish()
        let quiet = ProgressDisplay(isQuiet: true, showsProgress: true)
        quiet.message("not printed")
        quiet.finish()
      }
      #expect(texts == ("", "warning: a\\u{1b}b\n"))
      #expect(sample.calls == 0)
    }

    @Test func aTerminalHasMessagesAboveTheProgress() async throws {
      let sample = Sample()
      let terminal = try Terminal(columns: 60)
      try await terminal.show {
        let display = ProgressDisplay(isQuiet: false, showsProgress: true)
        display.message("before")
        sample.set("fetching")
        display.begin { sample.take() }
        display.message("first")
        sample.set("waiting", errors: 2)
        display.message("second\u{1B}[2J")
        display.finish()
        display.finish()
        display.message("after")
      }
      #expect(
        terminal.rows == [
          "before", "first", "second\\u{1b}[2J", Self.bar, "1 waiting; failed: 2 dns", "after", "",
        ])
      let isPlain = !(getenv("NO_COLOR").map { String(cString: $0) } ?? "").isEmpty
      #expect(terminal.text.contains("\u{1B}[31mfailed:\u{1B}[0m") != isPlain)
    }

    @Test func theLastStateStays() async throws {
      let sample = Sample()
      let terminal = try Terminal(columns: 60)
      try await terminal.show {
        let display = ProgressDisplay(isQuiet: false, showsProgress: true)
        sample.set("fetching")
        display.begin { sample.take() }
        // Another one takes its place.
        display.begin { sample.take() }
        sample.set("")
        display.finish()
        CursorMark.write()
      }
      #expect(terminal.rows == [Self.bar, "|"])
    }

    /// Lines that were drawn in a wider window take several rows of a narrow one.
    @Test(arguments: [60, 54, 53, 52, 40, 27, 26, 25, 12, 6])
    func aNarrowWindowLosesNoMessage(_ columns: Int) async throws {
      let sample = Sample()
      let terminal = try Terminal(columns: 60)
      try await terminal.show {
        let display = ProgressDisplay(isQuiet: false, showsProgress: true)
        display.message("above")
        sample.set("transcoding and more")
        display.begin { sample.take() }
        terminal.resize(to: columns)
        display.message("m")
        display.finish()
      }
      var progress = ProgressBar.Progress()
      (progress.total, progress.stages) = (4, [("transcoding and more", 1)])
      let now = ContinuousClock.now
      let lines = ProgressBar(start: now).lines(progress, now: now, width: columns)
      #expect(terminal.rows == ["above", "m"] + lines + [""], "\(terminal.text.debugDescription)")
    }

    @Test func theProgressIsDrawnAgain() async throws {
      let sample = Sample()
      let terminal = try Terminal(columns: 60)
      try await terminal.show {
        let display = ProgressDisplay(isQuiet: false, showsProgress: true)
        display.begin { sample.take() }
        #expect(sample.calls == 1)
        sample.set("waiting")
        for _ in 0..<1_000 where sample.calls == 1 { try await Task.sleep(for: .milliseconds(10)) }
        #expect(sample.calls > 1)
        display.finish()
      }
      #expect(terminal.rows == [Self.bar, "1 waiting", ""])
    }

    @Test(arguments: [(true, true), (false, false), (true, false)])
    func noProgressIsNone(_ isQuiet: Bool, _ showsProgress: Bool) async throws {
      let sample = Sample()
      let terminal = try Terminal(columns: 60)
      try await terminal.show {
        let display = ProgressDisplay(isQuiet: isQuiet, showsProgress: showsProgress)
        display.begin { sample.take() }
        display.message("a message")
        display.finish()
        CursorMark.write()
      }
      #expect(terminal.rows == (isQuiet ? ["|"] : ["a message", "|"]))
      #expect(sample.calls == 0)
    }
  }
}

/// Shows where the cursor is.
private enum CursorMark {
  static func write() { _ = Glibc.write(2, "|", 1) }
}
