import Foundation
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
      .color: "#010203", .thumbhash: "A", .blurhash: "B",
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

  @Test func findsRepeatedIds() async throws {
    let state = try StateStore(path: "")
    let run = try await state.beginRun(boot: "1")
    let claims = try ChunkClaims.none
    func claim(_ id: String, _ slot: Int, _ line: Int, _ entry: String) async throws
      -> StateStore.Claim
    {
      try await state.claim(
        [.init(id: id, line: line, entry: entry)], run: run, slot: slot, in: claims)[0]
    }
    #expect(try await claim("a", 0, 1, "x") == .new)
    #expect(try await claim("b", 1, 2, "y") == .new)
    #expect(try await claim("a", 2, 3, "x") == .repeated)
    #expect(try await claim("a", 2, 4, "z") == .conflict(line: 1))
    for id in ["b", "a"] {
      try await state.save(
        ItemResult(id: id, line: "{\(id)}", status: "ok", reasons: [.notModified]))
    }
    #expect(try await state.slots(of: ["a", "c", "b"], in: run) == [0, nil, 1])
    // The next run starts over; items that it does not name are forgotten.
    let next = try await state.beginRun(boot: "1")
    #expect(next > run)
    let later = try ChunkClaims.none
    #expect(
      try await state.claim(
        [.init(id: "b", line: 1, entry: "y2"), .init(id: "b", line: 2, entry: "y2")], run: next,
        slot: 0, in: later) == [.new, .repeated])
    let third = StateStore.ClaimRequest(id: "b", line: 3, entry: "y3")
    let fourth = StateStore.ClaimRequest(id: "b", line: 4, entry: "y2")
    #expect(
      try await state.claim([third, fourth], run: next, slot: 1, in: later) == [
        .conflict(line: 1), .repeated,
      ])
    // An item that moves keeps what is known of it.
    #expect(try await state.slots(of: ["a", "b"], in: next) == [nil, 0])
    #expect(try await state.lastStatuses(of: ["a", "b"]) == ["ok", "ok"])
    try await state.endRun(next, .init(pipeline: "p", items: 1))
    #expect(try await state.lastStatuses(of: ["a", "b"]) == [nil, "ok"])
    #expect(try await state.slots(of: ["b"], in: run) == [nil])
    #expect(try await state.beginRun(boot: "1") > next)
  }

  /// An entry that has an id of its own is claimed with that, if an earlier line has the first one.
  @Test func anAlternativeIsTakenInAConflict() async throws {
    let state = try StateStore(path: "")
    let run = try await state.beginRun(boot: "1")
    func request(_ line: Int, _ entry: String, or other: String) -> StateStore.ClaimRequest {
      .init(id: "a", line: line, entry: entry, alternative: .init(id: other, entry: entry))
    }
    let requests = [
      request(1, "x", or: "a-x"), request(2, "x", or: "a-x"), request(3, "y", or: "a-y"),
      request(4, "y", or: "a-y"), request(5, "z", or: "a-y"),
    ]
    let key = Chunk.Key(of: "k")
    let found = try await state.claim(
      [.items(requests, key: key, line: 1)], run: run, slot: 3, in: try ChunkClaims.none)
    let (claims, chunk) = try #require(found.first?.answer)
    #expect(claims == [.new, .repeated, .alternative, .repeated, .conflict(line: 3)])
    // What it is depends on the lines before it.
    #expect((chunk.count, chunk.line, chunk.mayStand) == (2, 1, false))
    #expect(chunk.key.number == key.number && chunk.key != key)
    #expect(try await state.slots(of: ["a", "a-y", "a-x"], in: run) == [3, 4, nil])
  }

  /// What the last completed run made is remembered through runs that are stopped.
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
  }

  @Test func theEndOfARunIsThatOfTheLastOne() async throws {
    let state = try StateStore(path: "")
    #expect(try await state.lastEnd() == nil)
    let run = try await state.beginRun(boot: "1")
    #expect(try await state.lastEnd() == nil)
    var whole = Chunk(Chunk.Key(of: "all"), count: 3, line: 1)
    (whole.freshUntil, whole.mayStand) = (.infinity, true)
    var end = StateStore.RunEnd(output: "o", ended: 5.25, whole: whole)
    try await state.note(end, of: run)
    #expect(try await state.lastEnd() == end)
    (end.output, end.whole) = ("p", nil)
    try await state.note(end)
    #expect(try await state.lastEnd() == end)
    _ = try await state.beginRun(boot: "1")
    #expect(try await state.lastEnd() == nil)
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

  @Test(.faults(.f9)) func rejectsNoiseAndALaterVersion() async throws {
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
