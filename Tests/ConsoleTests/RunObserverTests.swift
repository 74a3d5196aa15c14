import TesseraCatalog
import Testing

@testable import TesseraPipeline
@testable import tessera

extension StreamTests {
  /// A run on standard error: its warnings, and the first failures of each kind.
  @Suite struct RunObserverTests {
    private static func errors(
      isQuiet: Bool = false, _ body: (RunObserver) -> Void
    ) async throws -> String {
      let texts = try await Streams.written {
        let observer = RunObserver(isQuiet: isQuiet, showsProgress: true)
        body(observer)
        observer.finish()
      }
      #expect(texts.output.isEmpty)
      return texts.errors
    }

    private static func failure(_ id: String) -> RunEvent {
      var item = ItemReport(id: id, position: 0, status: .failed)
      item.error = .init(code: "dns", message: "no\u{1B} name", retryable: true)
      return .item(item)
    }

    @Test func eventsAreMessages() async throws {
      let events: [RunEvent] = [
        .warning("slow"), Self.failure("a"), .item(ItemReport(id: "b", position: 1, status: .ok)),
        .problem(line: 7, message: "no URL"),
        .hostSlowed(host: "h", reason: "r", pause: .seconds(1)), .workerReplaced(reason: "r"),
      ]
      let texts = try await Self.errors { observer in
        for event in events { observer.happened(event) }
        observer.warn("late")
        observer.stopping()
      }
      #expect(
        texts == """
          warning: slow
          a: no\\u{1b} name (dns)
          manifest line 7: no URL
          warning: late
          stopping: images that are being decoded are finished; a second signal (Ctrl-C) \
          stops at once

          """)
      #expect(
        try await Self.errors(isQuiet: true) { for event in events { $0.happened(event) } } == "")
    }

    /// What failed before is counted at the end.
    @Test func knownFailuresAreNotPrinted() async throws {
      func lines(_ change: ItemReport.FailureChange?) async throws -> Int {
        var item = ItemReport(id: "a", position: 0, status: .failed)
        item.error = .init(code: "dns", message: "no name", retryable: true)
        item.failure = change
        return try await Self.errors { [item] in $0.happened(.item(item)) }.split(separator: "\n")
          .count
      }
      #expect(try await lines(.new) == 1)
      #expect(try await lines(nil) == 1)
      #expect(try await lines(.known) == 0)
    }

    /// A list of a folder, or a host, that `allow` lacks: one line, and the summary counts the images.
    @Test func whatIsNotAllowedIsOneLine() async throws {
      let ids = try await Self.errors { observer in
        for number in 1...30 {
          for host in ["h", "i"] {
            var item = ItemReport(id: "\(host)\(number)", position: number, status: .failed)
            item.error = .init(
              code: "address-rejected", message: "\(host) is private", retryable: false)
            observer.happened(.item(item))
          }
        }
        observer.happened(Self.failure("a"))
      }.split(separator: "\n").map { $0.prefix { $0 != ":" } }
      #expect(ids == ["h1", "i1", "a"])
    }

    @Test func eachKindHasTwentyLines() async throws {
      let lines = try await Self.errors { observer in
        for number in 1...30 {
          observer.happened(Self.failure("\(number)"))
          observer.happened(.problem(line: number, message: "m"))
        }
      }.split(separator: "\n")
      #expect(lines.count == 40)
      #expect(
        lines.suffix(2) == [
          "further failures are not printed here; the catalog lists all of them",
          "further lines are not printed here; tessera check lists all of them",
        ])
    }

    @Test(
      arguments: [
        (nil, true, [:], "3 images done"), (9, true, [:], "3 of 9 images done"),
        (1, false, [:], "3 of about 1 image done"),
        (9, true, ["dns": 1, "tls": 1], "3 of 9 images done, 2 with an error"),
      ] as [(Int?, Bool, [String: Int], String)])
    func aStoppedRunSaysHowFarItIs(
      _ total: Int?, _ isExact: Bool, _ errors: [String: Int], _ text: String
    ) async throws {
      var progress = RunProgress()
      (progress.done, progress.total, progress.isTotalExact) = (3, total, isExact)
      progress.errors = errors
      let stopped = try await Self.errors { [progress] observer in
        observer.began { progress }
        observer.stopped()
        // It has ended.
        observer.stopped()
      }
      #expect(stopped == "\(text); the rest is left to the next run\n")
      #expect(try await Self.errors { $0.stopped() } == "")
    }

    @Test func theProgressOfARunIsShown() async throws {
      var progress = RunProgress()
      (progress.total, progress.isTotalExact) = (9, true)
      (progress.fetching, progress.pausing) = (1, 2)
      (progress.waiting, progress.transcoding) = (3, 4)
      progress.errors = ["dns": 5]
      let terminal = try Terminal(columns: 90)
      try await terminal.show { [progress] in
        let observer = RunObserver(isQuiet: false, showsProgress: true)
        observer.began { progress }
        observer.finish()
      }
      #expect(
        terminal.rows == [
          "[" + String(repeating: " ", count: 40) + "] 0/9  0.0/s",
          "1 fetching, 2 waiting to retry, 3 waiting, 4 transcoding; failed: 5 dns", "",
        ])
    }
  }
}
