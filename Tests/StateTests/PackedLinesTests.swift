import TesseraTestSupport
import Testing

@testable import TesseraState

/// Lines of the catalog as they are stored.
@Suite struct PackedLinesTests {
  private static let line =
    #"{"id":"person","url":"https://alice.example/1.jpg","status":"ok","width":640,"height":480,"#
    + #""alpha":false,"alt":"a portrait","focus":{"x":0.3,"y":0.6},"variants":[{"path":"#
    + #""variants/ab/abcdef-64x48.webp","type":"image/webp","width":64,"height":48,"bytes":640}],"#
    + #""slots":{"card":{"width":180,"height":135,"variants":[0,1]}},"extra":{"author":["Alice",7]}}"#

  /// The common part of lines outlives the image that it was made from.
  @Test func aSampleHasNothingOfAnImage() {
    #expect(
      PackedLines.sample(of: Self.line)
        == #"{"id":"","url":"","status":"ok","width":0,"height":0,"alpha":false,"alt":null,"#
        + #""focus":null,"variants":[{"path":"variants/-0x0.webp","type":"image/webp","width":0,"#
        + #""height":0,"bytes":0}],"slots":{"card":{"width":0,"height":0,"variants":[0,1]}},"#
        + #""extra":null}"#)
    #expect(PackedLines.sample(of: "{a}") == "")
    #expect(PackedLines.sample(of: #"{"path":"alice/1.jpg"}"#) == #"{"path":""}"#)
  }

  @Test func linesComeBackAlsoToTheNextProcess() throws {
    let database = try Database("")
    try Schema.migrate(database)
    let lines = try PackedLines(database)
    #expect(lines.number(of: "s") == nil)
    for settings in ["s", "", "s"] {
      let packed = try lines.pack(Self.line, settings: settings)
      let select = try database.prepare("SELECT ?, ?")
      #expect(try select.first(packed) { lines.line(in: $0) } == Self.line)
      let next = try PackedLines(database)
      #expect(next.number(of: settings) == lines.number(of: settings))
      #expect(try select.first(packed) { next.line(in: $0) } == Self.line)
      // Of other settings, or none.
      #expect(try select.first([.int(9), packed[1]]) { lines.line(in: $0) } == .some(nil))
      #expect(try select.first([packed[0], .null]) { lines.line(in: $0) } == .some(nil))
    }
    #expect(try database.prepare("SELECT count(*) FROM settings").first([]) { $0.int(0) } == 2)
  }

  /// Lines would come back as others: such a state is set aside.
  @Test(arguments: [
    "sample = replace(sample, 'o', 'u')", "number = number + 1", "digest = 'other'", "mark = 1",
  ])
  func aDamagedSampleIsNoticed(_ change: String) throws {
    let database = try Database("")
    try Schema.migrate(database)
    _ = try PackedLines(database).pack(Self.line, settings: "s")
    try database.execute("UPDATE settings SET \(change)")
    let error = #expect(throws: StateError.self) { try PackedLines(database) }
    #expect(error?.kind == .incomplete && error?.suggestsDamage == true)
  }

  /// A pipeline that is changed often leaves none behind.
  @Test func settingsWithoutLinesAreForgotten() async throws {
    let state = try StateStore(path: "")
    for round in 0..<12 {
      let run = try await state.beginRun(boot: "")
      _ = try await state.claim(
        [.init(id: "a", line: 1, entry: "x"), .init(id: "b", line: 2, entry: "x")], run: run,
        position: 0)
      for (id, settings) in [("a", "s\(round)"), ("b", "s0")] {
        var change = StateStore.SourceChange()
        change.source = SourceRecord(
          content: "c",
          confirmation: .init(etag: nil, lastModified: nil, checked: 1, freshUntil: 2, run: run))
        try await state.save(
          .init(
            id: id, line: Self.line, status: "ok", reasons: [], content: nil,
            inputs: .init(settings: settings, entry: "x", source: "k")), change, key: "k")
      }
      try await state.endRun(run, .init(pipeline: "p", items: 2))
      #expect(try await state.lines(of: ["a", "b"]) == [Self.line, Self.line])
    }
    #expect((2...8).contains(try await state.countSettings()))
  }
}

extension StateStore {
  fileprivate func countSettings() throws -> Int {
    try database.prepare("SELECT count(*) FROM settings").first([]) { $0.int(0) } ?? 0
  }
}
