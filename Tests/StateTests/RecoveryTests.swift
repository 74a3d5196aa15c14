import Foundation
import TesseraPlaceholder
import TesseraPlan
import TesseraTestSupport
import Testing

@testable import TesseraState

/// Files of runs that ended together with the machine, and states that a disk has damaged.
@Suite struct RecoveryTests {
  private let folder: TemporaryFolder
  private let path: String

  init() throws {
    folder = try TemporaryFolder()
    path = folder.path("state")
  }

  private static func file(_ name: String) -> VariantRecord { Files.record(name) }

  /// Boots of two earlier runs, with a file each, and the present one.
  private func doubtful() async throws -> StateStore {
    let state = try StateStore(path: path)
    for (boot, keys) in [("1", ["cc", "aa"]), ("2", ["bb"]), ("3", ["dd"])] {
      let run = try await state.beginRun(boot: boot)
      for key in keys { try await state.saveTableFile(Self.file(key), key: key, run: run) }
    }
    return state
  }

  private func keys(_ state: StateStore, after key: String = "", limit: Int = 9) async throws
    -> [String]
  {
    try await state.doubtful(boot: "3", after: key, limit: limit).map(\.key)
  }

  @Test func filesOfEarlierBootsAreDoubtful() async throws {
    let state = try await doubtful()
    #expect(try await state.hasDoubts(boot: "3"))
    #expect(
      try await state.doubtful(boot: "3", after: "", limit: 9).map(\.file)
        == ["aa", "bb", "cc"].map(Self.file))
    #expect(try await keys(state) == ["aa", "bb", "cc"])
    #expect(try await keys(state, limit: 2) == ["aa", "bb"])
    #expect(try await keys(state, after: "bb") == ["cc"])
    #expect(try await state.doubtful(boot: "1", after: "", limit: 9).map(\.key) == ["bb", "dd"])
    // Those that were examined are not examined again; those that are gone are made again.
    try await state.endDoubts(of: ["aa"])
    #expect(try await keys(state) == ["bb", "cc"])
    try await state.forgetVariants(["cc", "none"])
    #expect(try await keys(state) == ["bb"])
    #expect(
      try await state.made(["aa", "bb", "cc", "dd"], placeholder: "").0
        == [Self.file("aa"), Self.file("bb"), nil, Self.file("dd")])
    try await state.endDoubts(boot: "3")
    let next = try StateStore(path: path)
    #expect(try await next.hasDoubts(boot: "3") == false)
    #expect(try await keys(next) == [])
    // The present run is not over.
    #expect(try await next.hasDoubts(boot: "4"))
  }

  /// A run whose files are on the disk leaves no doubt; it is there at once.
  @Test func aCompletedRunLeavesNoDoubt() async throws {
    let state = try await doubtful()
    let run = try await state.beginRun(boot: "3")
    let completed = StateStore.CompletedRun(
      pipeline: "feed", items: 4, identity: "i", addresses: "a")
    try await state.endRun(run, completed)
    let next = try StateStore(path: path)
    #expect(try await next.hasDoubts(boot: "4") == false)
    #expect(try await next.lastCompletedRun() == completed)
    #expect(try await next.beginRun(boot: "4") == run + 1)
    try await next.commit()
    #expect(try await next.hasDoubts(boot: "5"))
  }

  /// Files of a state that was set aside are examined, whatever the boot.
  @Test func salvagedFilesAreDoubtful() async throws {
    do {
      let state = try await doubtful()
      let run = try await state.beginRun(boot: "3")
      try await state.endRun(run, .init(pipeline: "feed", items: 4, identity: "i", addresses: "a"))
    }
    let next = try StateStore(path: folder.path("next"))
    #expect(try await next.salvage(from: path) == 4)
    let again = try StateStore(path: folder.path("next"))
    #expect(try await keys(again) == ["aa", "bb", "cc", "dd"])
    #expect(try await again.made(["aa", "dd"], placeholder: "").0 == ["aa", "dd"].map(Self.file))
    #expect(
      try await again.lastCompletedRun()
        == .init(pipeline: "feed", items: 4, identity: "i", addresses: "a"))
    #expect(try await again.beginRun(boot: "3") == 1)
  }

  /// Digests of any first byte, and quickly: each part of a table is read once.
  @Test func digestsOfAnyFirstByteAreSalvaged() async throws {
    let keys: [String] = (0..<256).flatMap { byte in
      ["00", "7f", "ff"].map { end -> String in
        String(byte + 256, radix: 16).dropFirst() + String(repeating: end, count: 15)
      }
    }
    do {
      let state = try StateStore(path: path)
      for key in keys {
        var change = StateStore.SourceChange()
        change.source = SourceRecord(
          content: key,
          confirmation: .init(etag: "e", lastModified: nil, checked: 1, freshUntil: nil, run: 0))
        try await state.save(change, key: key, url: key)
      }
      try await state.commit()
    }
    let next = try StateStore(path: "")
    #expect(try await next.salvage(from: path) == keys.count)
    for key in keys {
      #expect(try await next.knowledge(of: key, url: "").source?.content == key)
    }
  }

  /// Keys of sources had twice as many digits; those of contents have them still.
  @Test func keysOfAnEarlierVersionAreFound() async throws {
    let key = String(repeating: "0123456789abcdef", count: 4)
    do {
      let state = try StateStore(path: path)
      var change = StateStore.SourceChange()
      change.source = SourceRecord(
        content: key,
        confirmation: .init(etag: "e", lastModified: nil, checked: 1, freshUntil: nil, run: 0))
      let content = ContentRecord(
        format: "jpeg", facts: SourceFacts(size: Size(30, 40), hasAlpha: false, frames: 1),
        warnings: [])
      change.made = StateStore.Made(
        digest: key, content: content, variants: [], placeholder: (key, Placeholders()), run: 1)
      try await state.save(change, key: key, url: key)
      try await state.commit()
    }
    let next = try StateStore(path: "")
    #expect(try await next.salvage(from: path) == 3)
    let known = try await next.knowledge(of: String(key.prefix(32)), url: "")
    #expect(known.source?.content == key && known.content?.format == "jpeg")
  }

  /// Of every kind of record, one.
  @Test func allKindsOfRecordsAreSalvaged() async throws {
    let confirmation = Confirmation(
      etag: "e", lastModified: nil, checked: 1, freshUntil: nil, run: 0)
    let header = HeaderRecord(
      format: "gif", width: 3, height: 4, hasAlpha: true, isAnimated: nil,
      confirmation: confirmation)
    let rejection = RejectionRecord(
      settings: "s", kind: .undecodable, code: "decode", details: "[]", content: "c", etag: nil,
      place: "p", seen: 1.5)
    let content = ContentRecord(
      format: "jpeg", facts: SourceFacts(size: Size(3, 4), hasAlpha: false, frames: 1))
    let placeholder = Placeholders([.thumbhash: "A"])
    let quality = CollectingTests.quality(run: 3)
    var change = StateStore.SourceChange()
    change.header = header
    change.rejection = .save(rejection)
    change.made = .init(
      digest: "cc", content: content, variants: [("0f", Self.file("a"))],
      placeholder: ("ff", placeholder), run: 2)
    change.made?.qualities = [("cc-0", quality)]
    do {
      let state = try StateStore(path: path)
      try await state.save(change, key: "00", url: "9a")
      try await state.commit()
    }
    let next = try StateStore(path: "")
    #expect(try await next.salvage(from: path) == 6)
    let knowledge = try await next.knowledge(of: "00", url: "9a")
    #expect((knowledge.header, knowledge.rejection) == (header, rejection))
    #expect(try await next.contentRecord("cc") == content)
    let made = try await next.made(["0f"], placeholder: "ff")
    #expect((made.0, made.1) == ([Self.file("a")], placeholder))
    #expect(try await next.qualities(["cc0"]) == [quality])
    #expect(try await next.lastCompletedRun() == nil)
  }

  /// A page that can't be read costs its own records: those before and behind it are read from both
  /// ends.
  @Test func aDamagedPageCostsItsOwnRecords() async throws {
    let keys = (0..<400).map { "5a" + String(String($0 + 0x10000, radix: 16).dropFirst()) }
    do {
      let state = try StateStore(path: path)
      for key in keys {
        try await state.saveTableFile(
          Files.record(at: "tables/" + String(repeating: key, count: 30)), key: key, run: 1)
      }
      try await state.close()
    }
    var bytes = try folder.read("state")
    // A leaf in the middle: it has records that are neighbours.
    let pages = stride(from: 0, to: bytes.count, by: 4096)
    func has(_ page: Int, _ key: String) -> Bool {
      bytes[page..<page + 4096].firstRange(of: Data(key.utf8)) != nil
    }
    let page = try #require(pages.first { has($0, keys[200]) && has($0, keys[201]) })
    let lost = keys.filter { has(page, $0) }
    bytes.replaceSubrange(page..<page + 4096, with: Data(repeating: 0x5A, count: 4096))
    try bytes.write(to: folder.url.appending(path: "state"))
    let next = try StateStore(path: "")
    _ = try await next.salvage(from: path)
    let found = try await next.made(keys, placeholder: "").0
    #expect(zip(keys, found).filter { $0.1 == nil }.map(\.0) == lost)
    #expect(lost.count < 40)
  }

  /// A copy is a state of its own, while others go on working.
  @Test func aCopyHasWhatWasWrittenUntilThen() async throws {
    let state = try StateStore(path: path)
    try await state.saveTableFile(Self.file("a"), key: "a", run: 1)
    try await state.copy(to: folder.path("copy"))
    try await state.saveTableFile(Self.file("b"), key: "b", run: 1)
    let copy = try StateStore(path: folder.path("copy"))
    #expect(try await copy.made(["a", "b"], placeholder: "").0 == [Self.file("a"), nil])
    await #expect(throws: StateError.self) { try await state.copy(to: folder.path("copy")) }
  }

  /// A state is read where it is, and one of another version is not changed.
  @Test func readingChangesNoState() async throws {
    do {
      let state = try StateStore(path: path)
      try await state.saveTableFile(Self.file("a"), key: "a", run: 1)
      try await state.close()
    }
    let reading = try await StateReading(path: path)
    #expect(reading.store.path == path)
    #expect(try await reading.store.tableFile("a") == Self.file("a"))
    // A file without tables is one that a later opening would fill: a copy is filled.
    try Database(folder.path("empty")).execute("CREATE TABLE x (y); DROP TABLE x")
    let before = try folder.read("empty")
    let other = try await StateReading(path: folder.path("empty"))
    #expect(other.store.path != folder.path("empty"))
    #expect(other.store.path.hasSuffix("/empty"))
    #expect(try await other.store.lastCompletedRun() == nil)
    #expect(try folder.read("empty") == before)
    #expect(!FileManager.default.fileExists(atPath: folder.path("none")))
    await #expect(throws: StateError.self) { try await StateReading(path: folder.path("none")) }
    #expect(!FileManager.default.fileExists(atPath: folder.path("none")))
  }
}
