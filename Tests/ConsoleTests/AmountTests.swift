import Foundation
import TesseraTestSupport
import Testing

@testable import tessera

/// Quantities, tables and the text of the progress at their limits.
@Suite struct AmountTests {
  @Test(
    arguments: [
      (0, "0 s"), (59.9, "59 s"), (60, "1 min"), (119, "1 min"), (3_599, "59 min"),
      (3_600, "1 h 0 min"), (12_000, "3 h 20 min"), (86_399, "23 h 59 min"), (86_400, "1 d 0 h"),
      (190_900, "2 d 5 h"),
    ])
  func agesAreRoundedDown(_ seconds: Double, _ text: String) {
    #expect(Amount.age(seconds) == text)
  }

  @Test(
    arguments: [
      (59.49, "59.5 s"), (60, "1 min 0 s"), (3_599.4, "59 min 59 s"), (3_599.5, "1 h 0 min"),
      (3_659, "1 h 0 min"), (3_660, "1 h 1 min"), (90_000, "25 h 0 min"),
    ])
  func durationsAreRounded(_ seconds: Double, _ text: String) {
    #expect(Amount.seconds(seconds) == text)
  }

  @Test func aNounMayHaveAPlural() {
    #expect(Amount.count(1, "retry", "retries") == "1 retry")
    #expect(Amount.count(2, "retry", "retries") == "2 retries")
    #expect(
      [0, 1_200].map { Amount.count($0, "retry", "retries") } == ["0 retries", "1200 retries"])
  }

  @Test func aColumnIsOfNumbersIfAllItsCellsAre() {
    #expect(
      TextTable.lines(
        ["a", "size", "mixed", "empty", "end"],
        [["x", "1 B", "1", "", "b"], ["long", "10 kB", "none", "", ""], ["", "", "100", "", ""]])
        == [
          "a      size  mixed  empty  end", "x       1 B  1             b", "long  10 kB  none",
          "             100",
        ])
    #expect(TextTable.lines(["", ""], [["", ""]]) == ["", ""])
    #expect("ab".padded(to: 4) == "ab  " && "ab".padded(to: 4, .left) == "  ab")
    #expect("ab".padded(to: 1) == "ab")
  }

  private static func lines(
    _ done: Int, of total: Int?, after seconds: Double, width: Int = 80, bytes: Int = 0
  ) -> [String] {
    let start = ContinuousClock.now
    var progress = ProgressBar.Progress()
    (progress.done, progress.total, progress.bytes) = (done, total, bytes)
    return ProgressBar(start: start).lines(progress, now: start + .seconds(seconds), width: width)
  }

  /// A bar has 10 to 40 columns, besides its brackets, a blank, and the terminal's last column.
  @Test func theBarHasAsMuchRoomAsTheTextLeaves() {
    let text = "45/62  15/s  0:02 left"
    expectLeast(text.count + 4 + 10) { width in
      Self.lines(45, of: 62, after: 3, width: width)[0] != text
    }
    for (room, columns) in [(10, 10), (11, 11), (39, 39), (40, 40), (41, 40), (60, 40)] {
      let filled = columns * 45 / 62
      let bar =
        String(repeating: "#", count: filled) + String(repeating: " ", count: columns - filled)
      #expect(
        Self.lines(45, of: 62, after: 3, width: text.count + 4 + room) == ["[\(bar)] \(text)", ""])
    }
    #expect(Self.lines(45, of: 62, after: 3, width: 1) == ["", ""])
    #expect(Self.lines(45, of: 62, after: 3, width: 0) == ["", ""])
    #expect(Self.lines(45, of: 62, after: 3, width: 3) == ["45", ""])
  }

  @Test(
    arguments: [
      (0, 0, 1, "0/0  0.0/s"),
      (1, 1, 1, "[########################################] 1/1  1.0/s  0:00 left"),
      (3, 2, 1, "[########################################] 3/2  3.0/s"),
      (99, nil, 10, "99  9.9/s"), (100, nil, 10, "100  10/s"), (1, nil, 3, "1  0.3/s"),
      (109, nil, 10, "109  10/s"), (5, nil, 0, "5  0.0/s"),
    ] as [(Int, Int?, Double, String)])
  func ratesAreRoundedDown(_ done: Int, _ total: Int?, _ seconds: Double, _ line: String) {
    #expect(Self.lines(done, of: total, after: seconds) == [line, ""])
  }

  /// One image in ten seconds.
  @Test(
    arguments: [
      (2, "0:10"), (7, "1:00"), (60, "9:50"), (61, "10:00"), (360, "59:50"), (361, "1:00:00"),
      (367, "1:01:00"), (36_000, "99:59:50"), (36_001, "99:59:59"), (90_000, "99:59:59"),
    ])
  func theRestIsEstimated(_ total: Int, _ left: String) throws {
    let line = Self.lines(1, of: total, after: 10)[0]
    #expect(line.hasSuffix("] 1/\(total)  0.1/s  \(left) left"), "\(line)")
  }

  @Test func aPartOfASecondIsAWholeOne() {
    #expect(Self.lines(2, of: 3, after: 1)[0].hasSuffix("  2.0/s  0:01 left"))
    #expect(Self.lines(2, of: nil, after: 0, bytes: 9)[0] == "2  0.0/s")
    #expect(Self.lines(2, of: nil, after: 2, bytes: 9)[0] == "2  1.0/s  4 B/s")
  }

  @Test func stagesAndFailuresAreOneLine() {
    let start = ContinuousClock.now
    var progress = ProgressBar.Progress()
    func text() -> String {
      ProgressBar(start: start).text(progress, now: start + .seconds(1))
    }
    #expect(text() == "0  0.0/s")
    progress.stages = [("fetching", 1), ("waiting", 0), ("transcoding", 2)]
    #expect(text() == "0  0.0/s; 1 fetching, 2 transcoding")
    progress.stages = []
    progress.errors = ["b": 1, "c": 2, "a": 1]
    #expect(progress.failed == 4)
    #expect(text() == "0  0.0/s; failed: 2 c, 1 a, 1 b")
    progress.errors["d"] = 1
    #expect(text() == "0  0.0/s; failed: 2 c, 1 a, 1 b, 1 others")
  }

  /// What a run of slow sources waits for.
  @Test func theOldestRequestIsNamed() {
    let start = ContinuousClock.now
    var progress = ProgressBar.Progress()
    (progress.total, progress.bytes, progress.inFlight) = (19, 1_200_000, 1_200_000)
    progress.stages = [("fetching", 19)]
    func text(_ host: String, _ age: Double) -> String {
      progress.oldest = (host, .seconds(age))
      return ProgressBar(start: start).text(progress, now: start + .seconds(16))
    }
    #expect(text("images.example", 2.9) == "0/19  0.0/s  75.0 kB/s; 19 fetching")
    #expect(
      text("images.example", 16.5)
        == "0/19  0.0/s  75.0 kB/s; 19 fetching; oldest request 16 s: images.example, 1.2 MB in flight"
    )
    progress.errors = ["dns": 1]
    #expect(
      text("", 61)
        == "0/19  0.0/s  75.0 kB/s; 19 fetching; failed: 1 dns; oldest request 1 min: a file, 1.2 MB in "
        + "flight")
    // A host that pauses is named where no request is slow.
    progress.paused = ("cdn.example", "the connection was rejected", .seconds(12))
    #expect(text("", 61).hasSuffix("; oldest request 1 min: a file, 1.2 MB in flight"))
    let pause = "; cdn.example gets no request for 12 s: the connection was rejected"
    #expect(text("", 1).hasSuffix(pause))
    progress.oldest = nil
    #expect(ProgressBar(start: start).text(progress, now: start + .seconds(16)).hasSuffix(pause))
  }

  @Test func aWordIsMarkedOnATerminal() {
    #expect(Style(isTerminal: false).marking("b", in: "abab") == "abab")
    let isPlain = !(ProcessInfo.processInfo.environment["NO_COLOR"] ?? "").isEmpty
    let style = Style(isTerminal: true)
    #expect(style.marking("b", in: "abab") == (isPlain ? "abab" : "a\u{1B}[31mb\u{1B}[0mab"))
    #expect(style.marking("c", in: "abab") == "abab")
  }
}
