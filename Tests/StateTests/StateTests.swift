import Foundation
import TesseraPlaceholder
import TesseraState
import TesseraTestSupport
import Testing

@Suite struct StateTests {
  @Test func remembersSourcesContentsAndVariants() async throws {
    let folder = try TemporaryFolder()
    let confirmation = Confirmation(
      etag: "\"v1\"", lastModified: nil, checked: 1000.5, freshUntil: nil, run: 1)
    let source = SourceRecord(content: "abc", confirmation: confirmation)
    let header = HeaderRecord(
      format: "gif", width: 3, height: 4, hasAlpha: true, isAnimated: nil,
      confirmation: confirmation)
    let content = ContentRecord(
      format: "jpeg", width: 30, height: 40, hasAlpha: false, frames: 1, warnings: ["odd", "very"])
    let variant = VariantRecord(path: "variants/3f/x.webp", width: 3, height: 4, bytes: 99)
    let placeholder = Placeholders(
      color: "#010203", thumbHash: "A", blurHash: "B", lqip: "data:,")
    do {
      let state = try StateStore(path: folder.path("state"))
      try await state.save(header, key: "https://a")
      try await state.save(source, key: "https://a")
      try await state.save(header, key: "https://b")
      try await state.save(
        content, digest: "abc", variants: [("key", variant)], placeholder: ("p", placeholder))
      try await state.commit()
    }
    let state = try StateStore(path: folder.path("state"))
    #expect(try await state.placeholder("p") == placeholder)
    #expect(try await state.placeholder("q") == nil)
    #expect(try await state.source("https://a") == source)
    #expect(try await state.source("https://b") == nil)
    // Bytes say more than a header.
    #expect(try await state.header("https://a") == nil)
    #expect(try await state.header("https://b") == header)
    #expect(try await state.content("abc") == content)
    #expect(try await state.variants(["key", "other"]) == [variant, nil])
  }

  @Test func givesItemsTheirPlacesAndFindsRepeatedIds() async throws {
    let state = try StateStore(path: "")
    let run = try await state.beginRun()
    func claim(_ id: String, _ position: Int, _ line: Int, _ entry: String) async throws -> Claim {
      try await state.claim(
        [.init(id: id, line: line, entry: entry)], run: run, position: position)[0]
    }
    #expect(try await claim("a", 0, 1, "x") == .new)
    #expect(try await claim("b", 1, 2, "y") == .new)
    #expect(try await claim("a", 2, 3, "x") == .repeated)
    #expect(try await claim("a", 2, 4, "z") == .conflict(line: 1))
    try await state.finish(id: "b", result: "{b}", status: "ok", reason: "why", content: nil)
    try await state.finish(id: "a", result: "{a}", status: "ok", reason: "why", content: nil)
    let all = try await state.results(of: run, after: -1, limit: 10)
    #expect(all.map(\.result) == ["{a}", "{b}"])
    #expect(try await state.results(of: run, after: 0, limit: 10).map(\.result) == ["{b}"])
    // The next run begins anew; items it does not name are forgotten.
    let next = try await state.beginRun()
    #expect(next > run)
    #expect(
      try await state.claim(
        [.init(id: "b", line: 1, entry: "y2"), .init(id: "b", line: 2, entry: "y2")], run: next,
        position: 0) == [.new, .repeated])
    try await state.endRun(next)
    #expect(try await state.results(of: run, after: -1, limit: 10).isEmpty)
    #expect(try await state.beginRun() > next)
  }

  /// What is computed with must not be able to break the computation.
  @Test func aDamagedRecordCountsAsNone() async throws {
    let state = try StateStore(path: "")
    for width in [0, -1, Int.max] {
      let content = ContentRecord(
        format: "jpeg", width: width, height: 40, hasAlpha: false, frames: 1, warnings: [])
      try await state.save(
        content, digest: "abc", variants: [],
        placeholder: ("p", Placeholders(color: nil, thumbHash: "", blurHash: "", lqip: "")))
      #expect(try await state.content("abc") == nil)
    }
  }

  @Test func refusesNoiseAndALaterVersion() async throws {
    let folder = try TemporaryFolder()
    try folder.write(String(repeating: "noise ", count: 5000), to: "noise")
    #expect {
      try StateStore(path: folder.path("noise"))
    } throws: { error in
      (error as? StateError)?.kind == .corrupt
    }
    _ = try StateStore(path: folder.path("later"))
    let shell = try await Tool.run(
      "/usr/bin/python3",
      [
        "-c",
        "import sqlite3,sys; c=sqlite3.connect(sys.argv[1]); c.execute('PRAGMA user_version=99')",
        folder.path("later"),
      ])
    #expect(shell.status == 0)
    #expect {
      try StateStore(path: folder.path("later"))
    } throws: { error in
      (error as? StateError)?.kind == .newer && "\(error)".contains("schema 99")
    }
  }
}
