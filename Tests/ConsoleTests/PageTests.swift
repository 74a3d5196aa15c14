import TesseraOutput
import TesseraPipelineFile
import TesseraSystem
import Testing

@testable import tessera

/// What the command prints: help pages, amounts, tables, progress and errors, as whole texts.
@Suite struct PageTests {
  private enum Make: Command {
    static let name = "make"
    static let summary = "make things"
    static let keepsWork = true
    static let syntax = Syntax(
      [.one("OUTPUT", .folders), .several("FILE", .files)], text: "Makes things.\nFrom files.",
      options: [
        Flag("--all", "all of them"), Option.duration("--deadline", "stop after this time"),
      ], example: Example("tool make out a.txt", "Makes out."),
      statuses: [ExitMeaning(.busy, "another makes it"), ExitMeaning(.done, "made")])
    static func run(_ arguments: Arguments) async throws -> CommandStatus { .done }
  }

  private enum Check: Command {
    static let name = "inspect"
    static let summary = "look at things"
    static let syntax = Syntax(
      text: "Looks.", example: Example("tool inspect", "Looks."),
      statuses: [ExitMeaning(.done, "seen")])
    static func run(_ arguments: Arguments) async throws -> CommandStatus { .done }
  }

  private static let help = Help(
    name: "tool", version: "1.2", date: "2026-11-23", summary: "does things",
    groups: [CommandGroup("All", [Make.self, Check.self])])

  @Test func theOverviewListsTheCommands() {
    #expect(
      Self.help.overview == """
        tool 1.2: does things

        usage: tool COMMAND [options]

        All:
          make       make things
          inspect    look at things

        Pages (tool help TOPIC, or a word to look for):
          pipeline, manifest, catalog, apps, running, runbook, serving, machines, reports

        Everywhere:
          --help     this page; tool COMMAND --help for the page of a command
          --version  the version

        Results go to standard output; progress and messages go to standard error.
        Exit status: 0 all done; 1 done, some items failed; 2 could not run; 64 wrong usage;
        75 another run holds this output; 130, 143 stopped by a signal (run again to resume).

        """)
  }

  @Test func aPageListsTheOptionsOfACommand() {
    #expect(
      Self.help.page(of: Make.self) == """
        usage: tool make OUTPUT FILE… [options]

        Makes things.
        From files.

          --all            all of them
          --deadline TIME  stop after this time
          --json           results, and errors, as JSON on standard output
          --quiet          no messages except errors that end the command
          --no-progress    no progress on standard error
          --help           this page

        Example: tool make out a.txt
          Makes out.

        Exit status:
          0    made
          64   the command line can't be understood
          75   another makes it
          130  stopped by a signal; run it again to go on (SIGINT)
          143  stopped by a signal; run it again to go on (SIGTERM)

        """)
  }

  @Test(
    arguments: [
      (0, "0 B"), (999, "999 B"), (1_000, "1.0 kB"), (99_940, "99.9 kB"), (99_960, "100 kB"),
      (999_499, "999 kB"), (999_500, "1.0 MB"), (3_400_000, "3.4 MB"), (12_000_000_000, "12.0 GB"),
      (4_000_000_000_000_000, "4000 TB"),
    ])
  func bytesHaveAUnit(_ count: Int, _ text: String) {
    #expect(Amount.bytes(count) == text)
  }

  @Test(
    arguments: [
      (0.04, "0.0 s"), (0.8, "0.8 s"), (59.4, "59.4 s"), (59.5, "1 min 0 s"), (125, "2 min 5 s"),
      (3_599, "59 min 59 s"), (3_780, "1 h 3 min"),
    ])
  func durationsHaveAUnit(_ seconds: Double, _ text: String) {
    #expect(Amount.seconds(seconds) == text)
  }

  @Test func countsAndSharesAreWords() {
    #expect([0, 1, 2].map { Amount.count($0, "file") } == ["0 files", "1 file", "2 files"])
    #expect([0, 0.123, 1, 1.5].map(Amount.percent) == ["0.0 %", "12.3 %", "100 %", "150 %"])
  }

  @Test func numbersInATableAreAlignedRight() {
    let lines = TextTable.lines(
      ["ladder", "files", "name"], [["exact", "17", ""], ["power-of-two", "8", "x"]])
    #expect(
      lines == [
        "ladder        files  name", "exact            17", "power-of-two      8  x",
      ])
    #expect(TextTable.lines(["a", "b"], []) == ["a  b"])
  }

  @Test(
    arguments: [
      (0, nil, 0, 80, ["0  0.0/s", "16 fetching, 2 transcoding"]),
      (
        45, 62, 3, 80,
        [
          "[#############################           ] 45/62  15/s  10.0 MB/s  0:02 left",
          "16 fetching, 2 transcoding",
        ]
      ),
      (
        45, 62, 3, 48,
        ["[#######    ] 45/62  15/s  10.0 MB/s  0:02 left", "16 fetching, 2 transcoding"]
      ),
      // Too narrow for a bar, and for the whole text.
      (45, 62, 3, 34, ["45/62  15/s  10.0 MB/s  0:02 left", "16 fetching, 2 transcoding"]),
      (45, 62, 3, 10, ["45/62  15", "16 fetchi"]),
      (
        5, 40_000, 10, 60,
        [
          "[                 ] 5/40000  0.5/s  3.0 MB/s  22:13:10 left",
          "16 fetching, 2 transcoding",
        ]
      ),
      // An estimate of the total that was too small.
      (9, 8, 2, 30, ["9/8  4.5/s  15.0 MB/s", "16 fetching, 2 transcoding"]),
    ] as [(Int, Int?, Int, Int, [String])])
  func theProgressFitsTheTerminal(
    _ done: Int, _ total: Int?, _ seconds: Int, _ width: Int, _ lines: [String]
  ) {
    let start = ContinuousClock.now
    let bar = ProgressBar(start: start)
    var progress = ProgressBar.Progress()
    (progress.done, progress.total) = (done, total)
    progress.bytes = seconds == 0 ? 0 : 30_000_000
    progress.stages = [("fetching", 16), ("transcoding", 2)]
    let text = bar.lines(progress, now: start + .seconds(seconds), width: width)
    #expect(text == lines)
    #expect(text.allSatisfy { $0.count < width })
  }

  @Test func failuresAreCountedByTheirCodes() {
    let start = ContinuousClock.now
    var progress = ProgressBar.Progress()
    (progress.done, progress.total, progress.stages) = (9, 10, [("waiting", 1)])
    progress.errors = ["decode": 1, "http-status": 3, "timeout": 1, "dns": 1, "tls": 1]
    #expect(
      ProgressBar(start: start).text(progress, now: start + .seconds(2))
        == "9/10  4.5/s  0:01 left; 1 waiting; failed: 3 http-status, 1 decode, 1 dns, 2 others")
  }

  @Test func errorsAreJSON() throws {
    let usage = ErrorReport(UsageError("no \"such\" thing"))
    #expect(usage.status == .usage)
    #expect(usage.text == "tessera: no \"such\" thing")
    #expect(
      String(decoding: usage.json, as: UTF8.self) == #"""
        {
          "schema": "tessera-error/1",
          "error": {
            "code": "usage",
            "message": "no \"such\" thing",
            "retryable": false
          }
        }

        """#)
    let text = "manifest: a.jsonl\noutput: out\nslots: {a: {size: 64x64}}\nnone: 1\n"
    let error = #expect(throws: PipelineFileError.self) {
      try PipelineFile.decode(Array(text.utf8), path: "a.yaml", environment: { _ in nil })
    }
    let mistakes = ErrorReport(try #require(error))
    #expect(mistakes.status == .failed && mistakes.text.hasPrefix("a.yaml:4:1: error: "))
    let sentence = try #require(mistakes.mistakes?.first?.message.replacing("\"", with: "\\\""))
    #expect(
      String(decoding: mistakes.json, as: UTF8.self) == """
        {
          "schema": "tessera-error/1",
          "error": {
            "code": "pipeline-file",
            "message": "The pipeline file has mistakes.",
            "subject": "a.yaml",
            "retryable": false,
            "mistakes": [
              {
                "file": "a.yaml",
                "line": 4,
                "column": 1,
                "message": "\(sentence)"
              }
            ]
          }
        }

        """)
    let busy = ErrorReport(TesseraError.busy("it", holder: "7"))
    #expect(busy.status == .busy)
    #expect(
      String(decoding: busy.json, as: UTF8.self) == """
        {
          "schema": "tessera-error/1",
          "error": {
            "code": "busy",
            "message": "another run holds it (process 7); wait for it, or end it",
            "subject": "it",
            "remedy": "wait for it, or end it",
            "retryable": true
          }
        }

        """)
    let stopped = ErrorReport.stopped(.interrupted, keepsWork: true)
    #expect(stopped.status == .interrupted)
    #expect(stopped.text == "tessera: stopped; completed work is kept, run again to resume")
    #expect(ErrorReport.stopped(nil, keepsWork: false).text == "tessera: stopped")
    // An escape sequence in an id must not reach the terminal.
    #expect(ErrorReport(TesseraError(.local, "a\u{1B}[2Jb")).text == "tessera: a\\u{1b}[2Jb")
  }
}
