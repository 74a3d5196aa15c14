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

/// States that are damaged, and runs that ended together with the machine.
@Suite struct DamageTests {
  /// A damaged state may be an old one: a source that comes from it is revalidated with its
  /// validators, however long it was fresh.
  @Test func salvagedSourcesAreNotFresh() async throws {
    let folder = try TemporaryFolder()
    var confirmation = Confirmation(
      etag: "\"v1\"", lastModified: "Mon", checked: 1000, freshUntil: 9e9, run: 7)
    do {
      let state = try StateStore(path: folder.path("state"))
      let source = SourceRecord(content: "c", confirmation: confirmation)
      let header = HeaderRecord(
        format: "gif", width: 3, height: 4, hasAlpha: true, isAnimated: nil,
        confirmation: confirmation)
      try await state.save(change { $0.source = source }, key: "5a", url: "")
      try await state.save(change { $0.header = header }, key: "5b", url: "")
      try await state.commit()
    }
    let next = try StateStore(path: "")
    #expect(try await next.salvage(from: folder.path("state")) == 2)
    (confirmation.freshUntil, confirmation.run) = (nil, 0)
    #expect(try await next.knowledge(of: "5a", url: "").source?.confirmation == confirmation)
    #expect(try await next.knowledge(of: "5b", url: "").header?.confirmation == confirmation)
  }

  /// A record whose mark does not match may be anything, and so may one without a mark.
  @Test func onlySoundRecordsAreSalvaged() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path("state")
    let confirmation = Confirmation(
      etag: "e", lastModified: nil, checked: 1000, freshUntil: nil, run: 0)
    let source = SourceRecord(content: "c", confirmation: confirmation)
    do {
      let state = try StateStore(path: path)
      for key in ["5a", "5b", "5c"] {
        try await state.save(change { $0.source = source }, key: key, url: "")
      }
      try await state.commit()
    }
    try Database(path).execute("UPDATE sources SET etag = 'f' WHERE key = '5b'")
    try Database(path).execute("UPDATE sources SET mark = NULL WHERE key = '5c'")
    let next = try StateStore(path: "")
    #expect(try await next.salvage(from: path) == 1)
    #expect(try await next.knowledge(of: "5a", url: "").source == source)
    #expect(try await next.knowledge(of: "5b", url: "").source == nil)
    #expect(try await next.knowledge(of: "5c", url: "").source == nil)
  }

  /// After a power cut files are examined by the paths in their records; a damaged one is not used.
  @Test func aDamagedPathIsNotTrusted() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path("state")
    do {
      let state = try StateStore(path: path)
      let run = try await state.beginRun(boot: "1")
      let content = ContentRecord(
        format: "jpeg", facts: SourceFacts(size: Size(30, 40), hasAlpha: false, frames: 1),
        warnings: [])
      let none = Placeholders()
      let made = StateStore.Made(
        digest: "abc", content: content,
        variants: ["a", "b"].map { ($0, Files.record($0)) }, placeholder: ("p", none), run: run)
      try await state.save(change { $0.made = made }, key: "", url: "")
      try await state.commit()
    }
    try Database(path).execute("UPDATE variants SET name = '../precious' WHERE key = 'b'")
    let state = try StateStore(path: path)
    #expect(try await state.hasDoubts(boot: "1") == false)
    #expect(try await state.hasDoubts(boot: "2"))
    let found = try await state.doubtful(boot: "2", after: "", limit: 9)
    #expect(found.map(\.key) == ["a", "b"])
    #expect(found.map(\.file) == [Files.record("a"), nil])
  }
}
