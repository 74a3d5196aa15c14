import TesseraCatalog
import TesseraManifest
import TesseraNet
import TesseraPlan
import TesseraState
import Testing

@testable import TesseraPipeline

/// What is counted of the items of a run.
@Suite struct RunRecorderTests {
  private let recorder = RunRecorder()

  private static func item(
    _ id: String, _ position: Int = 0, _ status: CatalogImage.Status = .ok, code: String? = nil,
    _ change: ItemReport.Change? = nil, seconds: Double = 0
  ) -> ItemReport {
    ItemReport(
      id: id, position: position, status: status,
      error: code.map { .init(code: $0, message: "\($0) of \(id).", retryable: false) },
      change: change, fetching: .seconds(seconds / 2), transcoding: .seconds(seconds / 2))
  }

  @Test func itemsAreCountedByStatusChangeAndCode() {
    recorder.add(Self.item("a", 0, .ok, .new))
    recorder.add(Self.item("b", 1, .ok, .new))
    recorder.add(Self.item("c", 2, .ok, .changed))
    recorder.add(Self.item("d", 3, .stale, code: "dns"))
    recorder.add(Self.item("e", 4, .failed, code: "dns"))
    recorder.add(Self.item("f", 5, .failed, code: "run-deadline"))
    recorder.add(Self.item("g", 6, .stale, code: "run-deadline"))
    recorder.add(Self.item("h", 7, .failed, code: "run-deadline"))
    let report = recorder.current
    #expect(report.counts == ["ok": 3, "stale": 2, "failed": 3])
    #expect(report.changes == [.new: 2, .changed: 1])
    #expect(report.errors == ["dns": 2, "run-deadline": 3])
    // Stale items still have something to show.
    #expect(report.notReached == 2)
    #expect(recorder.done.all == 8)
    #expect(recorder.done.errors == report.errors)
  }

  /// Items end in any order.
  @Test func theFirstItemOfTheManifestIsTheExample() {
    for (id, position) in [("c", 5), ("a", 2), ("b", 3)] {
      recorder.add(Self.item(id, position, .failed, code: "tls"))
    }
    let example = recorder.current.examples["tls"]
    #expect((example?.id, example?.message, example?.position) == ("a", "tls of a.", 2))
  }

  @Test func theTenSlowestItemsAreKeptInOrder() {
    recorder.add(Self.item("none"))
    for seconds in [4, 12, 1, 7, 3, 9, 2, 11, 5, 8] {
      recorder.add(Self.item("\(seconds)", seconds: Double(seconds)))
    }
    #expect(
      recorder.current.slowest.map(\.id) == [12, 11, 9, 8, 7, 5, 4, 3, 2, 1].map(String.init))
    for seconds in [1, 10, 6] {
      recorder.add(Self.item("late \(seconds)", seconds: Double(seconds)))
    }
    #expect(
      recorder.current.slowest.map(\.id) == [
        "12", "11", "late 10", "9", "8", "7", "late 6", "5", "4", "3",
      ])
    #expect(recorder.current.fetchSeconds == (62.0 + 17) / 2)
    #expect(recorder.current.transcodeSeconds == (62.0 + 17) / 2)
  }

  @Test func allProblemsAreCountedAndTheFirstKept() {
    for line in 1...102 { recorder.add(ManifestProblem(line: line, message: "odd")) }
    #expect(recorder.current.problemCount == 102)
    #expect(recorder.current.problems.map(\.line) == Array(1...100))
  }

  @Test func filesAreCountedByTheirOrigin() {
    let line = KeptLine(freshUntil: 9, places: 5, files: 3)
    recorder.add(standing: 1, line)
    recorder.count(line)
    #expect(recorder.current.counts == ["ok": 1])
    #expect(recorder.current.changes == [.reused: 1])
    #expect(recorder.current.variantsAsked == 10)
    #expect(recorder.current.variantsReused == 6)
    // Two files, one of which was made.
    recorder.count(.example(), made: 1)
    #expect(recorder.current.variantsAsked == 12)
    #expect(recorder.current.variantsReused == 7)
    let files = [100, 23].map {
      VariantRecord(path: "p", width: 1, height: 1, bytes: $0, sha256: "s")
    }
    recorder.addDecode(
      files, of: 1_000, [.headerDiffers(detail: "")], ViewCost(views: 1, bytes: 6, exactBytes: 3))
    recorder.addDecode([], of: nil, [.toneMapped], ViewCost(views: 2, bytes: 3, exactBytes: 1))
    let report = recorder.current
    #expect((report.decodes, report.headerDiffers, report.sourceBytes) == (2, 1, 1_000))
    #expect(report.views == ViewCost(views: 3, bytes: 9, exactBytes: 4))
    #expect((report.variantsMade, report.bytesWritten) == (2, 123))
  }

  @Test func pausesEndWithTheirItems() async throws {
    let recorder = recorder
    #expect(recorder.pausing == 0)
    let inside = await recorder.pause {
      await recorder.pause { recorder.pausing }
    }
    #expect(inside == 2)
    await #expect(throws: CancellationError.self) {
      try await recorder.pause { throw CancellationError() }
    }
    #expect(recorder.pausing == 0)
  }
}
