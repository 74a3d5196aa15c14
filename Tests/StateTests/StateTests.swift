import Foundation
import TesseraPlaceholder
import TesseraTestSupport
import Testing

@testable import TesseraState

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
        content, digest: "abc", variants: [("key", variant)], placeholder: ("p", placeholder),
        run: 1)
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
    let run = try await state.beginRun(boot: "1")
    func claim(_ id: String, _ position: Int, _ line: Int, _ entry: String) async throws -> Claim {
      try await state.claim(
        [.init(id: id, line: line, entry: entry)], run: run, position: position)[0]
    }
    #expect(try await claim("a", 0, 1, "x") == .new)
    #expect(try await claim("b", 1, 2, "y") == .new)
    #expect(try await claim("a", 2, 3, "x") == .repeated)
    #expect(try await claim("a", 2, 4, "z") == .conflict(line: 1))
    try await state.finish(
      id: "b", result: "{b}", status: "ok", reason: "why", content: nil, basis: nil)
    try await state.finish(
      id: "a", result: "{a}", status: "ok", reason: "why", content: nil, basis: nil)
    let all = try await state.results(of: run, after: -1, limit: 10)
    #expect(all.map(\.result) == ["{a}", "{b}"])
    #expect(try await state.results(of: run, after: 0, limit: 10).map(\.result) == ["{b}"])
    // The next run begins anew; items it does not name are forgotten.
    let next = try await state.beginRun(boot: "1")
    #expect(next > run)
    #expect(
      try await state.claim(
        [.init(id: "b", line: 1, entry: "y2"), .init(id: "b", line: 2, entry: "y2")], run: next,
        position: 0) == [.new, .repeated])
    try await state.endRun(next)
    #expect(try await state.results(of: run, after: -1, limit: 10).isEmpty)
    #expect(try await state.beginRun(boot: "1") > next)
  }

  /// What is computed with must not be able to break the computation.
  @Test func aDamagedRecordCountsAsNone() async throws {
    let state = try StateStore(path: "")
    for width in [0, -1, Int.max] {
      let content = ContentRecord(
        format: "jpeg", width: width, height: 40, hasAlpha: false, frames: 1, warnings: [])
      try await state.save(
        content, digest: "abc", variants: [],
        placeholder: ("p", Placeholders(color: nil, thumbHash: "", blurHash: "", lqip: "")), run: 1)
      #expect(try await state.content("abc") == nil)
    }
  }

  /// What an earlier version has written is read, and what it did not note is made anew.
  @Test(arguments: 1..<Schema.version)
  func readsWhatEarlierVersionsWrote(_ version: Int) async throws {
    let folder = try TemporaryFolder()
    do {
      let database = try Database(folder.path("state"))
      try Schema.migrate(database, to: version)
      try database.execute(
        "INSERT INTO runs (number) VALUES (7);"
          + "INSERT INTO sources (key, content, etag, checked, run) VALUES ('k', 'c', 'e', 1.5, 7);"
          + "INSERT INTO variants (key, path, width, height, bytes) VALUES ('v', 'p', 1, 2, 3);"
          + (version < 7
            ? "INSERT INTO items (id, run, position, line, entry, result)"
              + " VALUES ('a', 7, 0, 1, 'x', '{a}')"
            : "INSERT INTO items (id, run, position, line, entry, done)"
              + " VALUES ('a', 7, 0, 1, 'x', 1);"
              + "INSERT INTO results (id, result) VALUES ('a', '{a}')"))
    }
    let state = try StateStore(path: folder.path("state"))
    #expect(try await state.source("k")?.confirmation.etag == "e")
    #expect(
      try await state.variants(["v"])
        == [VariantRecord(path: "p", width: 1, height: 2, bytes: 3)])
    #expect(try await state.results(of: 7, after: -1, limit: 9).map(\.result) == ["{a}"])
    #expect(try await state.story(of: "a")?.result == "{a}")
    // What has no mark may be anything.
    #expect(
      try await state.standing([(.init(id: "a", line: 1, entry: "x"), "k")], settings: "").first?
        .map(\.result) == .some(nil))
    #expect(try await state.hasDoubts(boot: "1") == false)
    #expect(try await state.beginRun(boot: "1") == 8)
  }

  /// Why there was nothing to show of a URL is known until that is forgotten, and not if it was damaged.
  @Test func aRejectionStandsUntilItIsForgotten() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path("state")
    var rejection = RejectionRecord(
      settings: "s", kind: .undecodable, code: "decode", message: "No.", content: "c", etag: "e",
      place: "p", seen: 1.5)
    (rejection.format, rejection.width, rejection.height) = ("gif", 3, 4)
    rejection.wasSeenTwice = true
    var state = try StateStore(path: path)
    for key in ["a", "b"] { try await state.save(rejection, key: key) }
    #expect(try await state.knowledge(of: "b", url: "a").rejection == rejection)
    #expect(try await state.rejection("c") == nil)
    try await state.forgetRejection("a")
    #expect(try await state.rejection("a") == nil)
    #expect(try await state.rejection("b") == rejection)
    try await state.commit()
    try Database(path).execute("UPDATE rejections SET etag = 'g'")
    state = try StateStore(path: path)
    #expect(try await state.rejection("b") == nil)
  }

  /// A line stands while its item, the settings and its source are what they were, and no longer.
  @Test func aLineStandsWhileNothingHasChanged() async throws {
    let state = try StateStore(path: "")
    let run = try await state.beginRun(boot: "1")
    let confirmation = Confirmation(
      etag: "e", lastModified: nil, checked: 1, freshUntil: nil, run: run)
    var source = SourceRecord(content: "c", confirmation: confirmation)
    try await state.save(source, key: "k")
    let request = StateStore.ClaimRequest(id: "a", line: 1, entry: "x")
    _ = try await state.claim([request], run: run, position: 0)
    try await state.finish(
      id: "a", result: "{a}", status: "ok", reason: "why", content: "c",
      basis: .init(settings: "s", entry: "x", source: "k"))
    func stands(
      _ entry: String = "x", _ key: String = "k", _ settings: String = "s"
    ) async throws -> Bool {
      let request = StateStore.ClaimRequest(id: "a", line: 9, entry: entry)
      return try await state.standing([(request, key)], settings: settings)[0]?.result == "{a}"
    }
    #expect(try await stands())
    #expect(try await stands("y") == false)
    #expect(try await stands("x", "l") == false)
    #expect(try await stands("x", "k", "t") == false)
    // A run that was stopped before it came to a result leaves the line of the old entry.
    let later = StateStore.ClaimRequest(id: "a", line: 1, entry: "y")
    _ = try await state.claim([later], run: try await state.beginRun(boot: "1"), position: 0)
    #expect(try await stands("y") == false)
    // That a server has stood by it once more changes nothing.
    source.confirmation.checked = 2
    source.confirmation.run = 9
    try await state.save(source, key: "k")
    #expect(try await stands())
    let header = HeaderRecord(
      format: "gif", width: 3, height: 4, hasAlpha: true, isAnimated: nil,
      confirmation: confirmation)
    try await state.save(header, key: "k")
    #expect(try await stands() == false)
    source.content = "d"
    try await state.save(source, key: "k")
    #expect(try await stands() == false)
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
