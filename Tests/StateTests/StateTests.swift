import Foundation
import TesseraPlaceholder
import TesseraPlan
import TesseraTestSupport
import Testing

@testable import TesseraState

/// One change of a source, in place of an initializer with every member.
private func change(_ set: (inout StateStore.SourceChange) -> Void) -> StateStore.SourceChange {
  var change = StateStore.SourceChange()
  set(&change)
  return change
}

@Suite struct StateTests {
  @Test func remembersSourcesContentsAndVariants() async throws {
    let folder = try TemporaryFolder()
    let confirmation = Confirmation(
      etag: "\"v1\"", lastModified: nil, checked: 1000.5, freshUntil: nil, run: 1)
    let source = SourceRecord(content: "abc", confirmation: confirmation)
    let header = HeaderRecord(
      format: "gif", width: 3, height: 4, hasAlpha: true, isAnimated: nil,
      confirmation: confirmation, place: "https://a/1")
    let content = ContentRecord(
      format: "jpeg", facts: SourceFacts(size: Size(30, 40), hasAlpha: false, frames: 1),
      warnings: [
        .damaged(.truncated, detail: "odd\n"), .damagedProfile, .unusableProfile(detail: "x"),
      ])
    let variant = Files.record("x")
    let placeholder = Placeholders([
      .color: "#010203", .thumbhash: "A", .blurhash: "B", .lqip: "data:,",
    ])
    do {
      let state = try StateStore(path: folder.path("state"))
      try await state.save(change { $0.header = header }, key: "https://a", url: "")
      try await state.save(change { $0.source = source }, key: "https://a", url: "")
      try await state.save(change { $0.header = header }, key: "https://b", url: "")
      let made = StateStore.Made(
        digest: "abc", content: content, variants: [("key", variant)],
        placeholder: ("p", placeholder), run: 1)
      try await state.save(change { $0.made = made }, key: "", url: "")
      try await state.commit()
    }
    let state = try StateStore(path: folder.path("state"))
    #expect(try await state.made([], placeholder: "p").1 == placeholder)
    #expect(try await state.made([], placeholder: "q").1 == nil)
    // Bytes say more than a header.
    let one = try await state.knowledge(of: "https://a", url: "")
    #expect((one.source, one.content, one.header) == (source, content, nil))
    let other = try await state.knowledge(of: "https://b", url: "")
    #expect((other.source, other.content, other.header) == (nil, nil, header))
    #expect(try await state.contentRecord("abc") == content)
    #expect(try await state.made(["key", "other"], placeholder: "").0 == [variant, nil])
  }

  /// Of a header and bytes, the one that was seen later counts. A header of the same second is newer: bytes replace it.
  @Test(arguments: [(1.0, true), (2.0, false), (3.0, false)])
  func theLaterSightingOfASourceCounts(_ checked: Double, _ isContent: Bool) async throws {
    func confirmation(_ checked: Double) -> TesseraState.Confirmation {
      Confirmation(etag: nil, lastModified: nil, checked: checked, freshUntil: nil, run: 1)
    }
    let state = try StateStore(path: "")
    let content = ContentRecord(
      format: "jpeg", facts: SourceFacts(size: Size(30, 40), hasAlpha: false, frames: 1),
      warnings: [])
    let header = HeaderRecord(
      format: "gif", width: 3, height: 4, hasAlpha: true, isAnimated: nil,
      confirmation: confirmation(checked))
    let none = Placeholders()
    let made = StateStore.Made(
      digest: "abc", content: content, variants: [], placeholder: ("p", none), run: 1)
    let source = SourceRecord(content: "abc", confirmation: confirmation(2))
    try await state.save(change { ($0.made, $0.source) = (made, source) }, key: "k", url: "")
    try await state.save(change { $0.header = header }, key: "k", url: "")
    #expect(
      try await state.lastSeen(["k", "l"]) == [
        isContent ? .content(content) : .header(header), nil,
      ])
  }

  @Test func assignsPositionsAndFindsRepeatedIds() async throws {
    let state = try StateStore(path: "")
    let run = try await state.beginRun(boot: "1")
    func claim(_ id: String, _ position: Int, _ line: Int, _ entry: String) async throws
      -> StateStore.Claim
    {
      try await state.claim(
        [.init(id: id, line: line, entry: entry)], run: run, position: position)[0]
    }
    #expect(try await claim("a", 0, 1, "x") == .new)
    #expect(try await claim("b", 1, 2, "y") == .new)
    #expect(try await claim("a", 2, 3, "x") == .repeated)
    #expect(try await claim("a", 2, 4, "z") == .conflict(line: 1))
    for id in ["b", "a"] {
      try await state.save(
        StateStore.ItemResult(
          id: id, line: "{\(id)}", status: "ok", reasons: [.notModified], content: nil, inputs: nil)
      )
    }
    let all = try await state.results(of: run, after: -1, limit: 10)
    #expect(all.map(\.line) == ["{a}", "{b}"])
    #expect(try await state.results(of: run, after: 0, limit: 10).map(\.line) == ["{b}"])
    // The next run starts over; items that it does not name are forgotten.
    let next = try await state.beginRun(boot: "1")
    #expect(next > run)
    #expect(
      try await state.claim(
        [.init(id: "b", line: 1, entry: "y2"), .init(id: "b", line: 2, entry: "y2")], run: next,
        position: 0) == [.new, .repeated])
    let third = StateStore.ClaimRequest(id: "b", line: 3, entry: "y3")
    let fourth = StateStore.ClaimRequest(id: "b", line: 4, entry: "y2")
    #expect(
      try await state.claim([third, fourth], run: next, position: 1) == [
        .conflict(line: 1), .repeated,
      ])
    // An item that moves keeps its line.
    #expect(try await state.results(of: next, after: -1, limit: 10).map(\.line) == ["{b}"])
    try await state.endRun(next, .init(pipeline: "p", items: 1))
    #expect(try await state.results(of: next, after: -1, limit: 10).map(\.line) == ["{b}"])
    #expect(try await state.results(of: run, after: -1, limit: 10).isEmpty)
    #expect(try await state.beginRun(boot: "1") > next)
  }

  /// What the last completed run made is remembered through runs that are stopped, and from a state
  /// that is damaged.
  @Test func remembersTheLastCompletedRun() async throws {
    let folder = try TemporaryFolder()
    do {
      let state = try StateStore(path: folder.path("state"))
      #expect(try await state.lastCompletedRun() == nil)
      for items in [7, 3] {
        let run = try await state.beginRun(boot: "1")
        try await state.endRun(run, .init(pipeline: "feed", items: items))
      }
      for _ in 0..<2 { _ = try await state.beginRun(boot: "2") }
      try await state.commit()
      #expect(try await state.lastCompletedRun() == .init(pipeline: "feed", items: 3))
    }
    let next = try StateStore(path: "")
    _ = try await next.salvage(from: folder.path("state"))
    #expect(try await next.lastCompletedRun() == .init(pipeline: "feed", items: 3))
    #expect(try await next.salvage(from: folder.path("none")) == 0)
  }

  /// Lines are as long as the user's own data: two long ones do not have to be in memory at once.
  @Test func longLinesComeOneByOne() async throws {
    let state = try StateStore(path: "")
    let run = try await state.beginRun(boot: "1")
    let long = String(repeating: "x", count: 1 << 20)
    for (position, line) in ["short", long, "last"].enumerated() {
      let id = "\(position)"
      _ = try await state.claim(
        [.init(id: id, line: 1, entry: "")], run: run, position: position)
      try await state.save(
        StateStore.ItemResult(
          id: id, line: line, status: "ok", reasons: [], content: nil, inputs: nil))
    }
    var parts: [[String]] = []
    var position = -1
    while true {
      let results = try await state.results(of: run, after: position, limit: 10)
      guard let last = results.last else { break }
      parts.append(results.map(\.line))
      position = last.position
    }
    #expect(parts == [["short", long], ["last"]])
  }

  /// Sizes are computed with, so an impossible one must not reach the computation.
  @Test func aDamagedRecordCountsAsNone() async throws {
    let state = try StateStore(path: "")
    for width in [0, -1, Int.max] {
      let content = ContentRecord(
        format: "jpeg", facts: SourceFacts(size: Size(width, 40), hasAlpha: false, frames: 1),
        warnings: [])
      let none = Placeholders()
      let made = StateStore.Made(
        digest: "abc", content: content, variants: [], placeholder: ("p", none), run: 1)
      try await state.save(change { $0.made = made }, key: "", url: "")
      #expect(try await state.contentRecord("abc") == nil)
    }
  }

  /// A state of an earlier version is set aside; what its records say is copied, and revalidated.
  @Test(arguments: [1, 12, 19, 22])
  func aStateOfAnEarlierVersionIsSetAside(_ version: Int) async throws {
    let folder = try TemporaryFolder()
    let path = folder.path("state")
    do {
      let state = try StateStore(path: path)
      try await Self.save(state)
      try Database(path).execute("PRAGMA user_version = \(version)")
    }
    #expect {
      try StateStore(path: path)
    } throws: { error in
      guard let error = error as? StateError else { return false }
      return error.kind == .older
        && "\(error)".contains("(schema \(version); this version reads from 24 on)")
        && StateStore.isDamaged(error)
    }
    let state = try StateStore(path: folder.path("new"))
    #expect(try await state.salvage(from: path) == 1)
    let source = try await state.knowledge(of: "aa", url: "").source
    #expect(source?.confirmation.etag == "e" && source?.confirmation.freshUntil == nil)
  }

  private static func save(_ state: StateStore) async throws {
    let confirmation = Confirmation(etag: "e", lastModified: nil, checked: 1, freshUntil: 9, run: 1)
    try await state.save(
      change { $0.source = SourceRecord(content: "c", confirmation: confirmation) }, key: "aa",
      url: "")
    try await state.commit()
  }

  /// A rejection is remembered until it is forgotten or its record is damaged.
  @Test func remembersARejectionUntilItIsForgotten() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path("state")
    var rejection = RejectionRecord(
      settings: "s", kind: .undecodable, code: "decode", details: "[]", content: "c", etag: "e",
      place: "p", seen: 1.5)
    (rejection.format, rejection.width, rejection.height) = ("gif", 3, 4)
    rejection.repeats = 5
    var state = try StateStore(path: path)
    for key in ["a", "b"] {
      try await state.save(change { $0.rejection = .save(rejection) }, key: "", url: key)
    }
    #expect(try await state.knowledge(of: "b", url: "a").rejection == rejection)
    #expect(try await state.knowledge(of: "", url: "c").rejection == nil)
    try await state.save(change { $0.rejection = .forget }, key: "", url: "a")
    #expect(try await state.knowledge(of: "", url: "a").rejection == nil)
    #expect(try await state.knowledge(of: "", url: "b").rejection == rejection)
    try await state.commit()
    try Database(path).execute("UPDATE rejections SET etag = 'g'")
    state = try StateStore(path: path)
    #expect(try await state.knowledge(of: "", url: "b").rejection == nil)
  }

  /// A line is reused while its item, the settings and its source are unchanged.
  @Test func reusesALineWhileNothingHasChanged() async throws {
    let state = try StateStore(path: "")
    let run = try await state.beginRun(boot: "1")
    let confirmation = Confirmation(
      etag: "e", lastModified: nil, checked: 1, freshUntil: nil, run: run)
    var source = SourceRecord(content: "c", confirmation: confirmation)
    try await state.save(change { $0.source = source }, key: "k", url: "")
    let request = StateStore.ClaimRequest(id: "a", line: 1, entry: "x")
    _ = try await state.claim([request], run: run, position: 0)
    try await state.save(
      StateStore.ItemResult(
        id: "a", line: "{a}", status: "ok", reasons: [], content: "c",
        inputs: .init(settings: "s", entry: "x", source: "k")), key: "k", url: "u")
    func stands(
      _ entry: String = "x", _ key: String = "k", _ settings: String = "s"
    ) async throws -> Bool {
      let request = StateStore.ClaimRequest(id: "a", line: 9, entry: entry)
      return try await state.lookUpLines(
        [.init(request, source: key, url: key)], settings: settings)[
          0
        ].standing?.line == "{a}"
    }
    #expect(try await stands())
    #expect(try await stands("y") == false)
    #expect(try await stands("x", "l") == false)
    #expect(try await stands("x", "k", "t") == false)
    // A run that stops before it has a result leaves the line of the old entry.
    let later = StateStore.ClaimRequest(id: "a", line: 1, entry: "y")
    _ = try await state.claim([later], run: try await state.beginRun(boot: "1"), position: 0)
    #expect(try await stands("y") == false)
    // Another confirmation by the server changes nothing.
    source.confirmation.checked = 2
    source.confirmation.run = 9
    try await state.save(change { $0.source = source }, key: "k", url: "")
    #expect(try await stands())
    // The line shows the terms of use.
    source.robots = "noai"
    try await state.save(change { $0.source = source }, key: "k", url: "")
    #expect(try await stands() == false)
    source.robots = nil
    try await state.save(change { $0.source = source }, key: "k", url: "")
    #expect(try await stands())
    let header = HeaderRecord(
      format: "gif", width: 3, height: 4, hasAlpha: true, isAnimated: nil,
      confirmation: confirmation)
    try await state.save(change { $0.header = header }, key: "k", url: "")
    #expect(try await stands() == false)
    source.content = "d"
    try await state.save(change { $0.source = source }, key: "k", url: "")
    #expect(try await stands() == false)
  }

  @Test func rejectsNoiseAndALaterVersion() async throws {
    let folder = try TemporaryFolder()
    try folder.write(String(repeating: "noise ", count: 5000), to: "noise")
    #expect {
      try StateStore(path: folder.path("noise"))
    } throws: { error in
      (error as? StateError)?.kind == .corrupt
    }
    for (name, table) in [("later", "CREATE TABLE more (x)"), ("number", "")] {
      _ = try StateStore(path: folder.path(name))
      let database = try Database(folder.path(name))
      try database.execute("\(table); PRAGMA user_version = 99")
    }
    #expect {
      try StateStore(path: folder.path("later"))
    } throws: { error in
      (error as? StateError)?.kind == .newer && "\(error)".contains("schema 99")
    }
    // Of these tables only the number is wrong: it is damaged, and locks no user out.
    #expect {
      try StateStore(path: folder.path("number"))
    } throws: { error in
      guard let error = error as? StateError else { return false }
      return error.kind == .corrupt && StateStore.isDamaged(error)
    }
  }
}
