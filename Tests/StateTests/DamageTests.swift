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
  /// Of a damaged state, the new one knows whose the output is, and whether images were forgotten; of one that can't be
  /// read, nothing.
  @Test(arguments: [true, false]) func anEmptyStateTakesItsPlace(_ isKept: Bool) async throws {
    let folder = try TemporaryFolder()
    let (path, aside) = (folder.path("state"), folder.path("aside"))
    do {
      let state = try StateStore(path: aside)
      let source = SourceRecord(
        content: "c",
        confirmation: Confirmation(
          etag: "e", lastModified: nil, checked: 1, freshUntil: nil, run: 0))
      try await state.save(change { $0.source = source }, key: "5a", url: "")
      let run = try await state.beginRun(boot: "1")
      try await state.endRun(run, .init(pipeline: "feed", items: 3))
      try await state.note(forgottenMarks: "m")
      try await state.close()
    }
    let error = StateError(kind: .corrupt, path: path, message: "it is odd")
    let text = try await StateStore.replace(
      after: error, by: path, aside: (aside, "there"), isKept: isKept)
    #expect(
      text == "the state file \"\(path)\": it is odd; "
        + (isKept ? "it was set aside as \"there\"" : "it was replaced by an empty one")
        + ", and everything is fetched again")
    let state = try StateStore(path: path)
    #expect(try await state.lastCompletedRun()?.items == (isKept ? 3 : nil))
    #expect(try await state.forgottenMarks() == (isKept ? "m" : nil))
    #expect(try await state.knowledge(of: "5a", url: "").source == nil)
    #expect(try await state.hasDoubts(boot: "2") == false)
    #expect(try await state.beginRun(boot: "2") == 1)
    try folder.write("not a database", to: "aside")
    let other = try StateStore(path: "")
    try await other.takeNotes(from: aside)
    try await other.takeNotes(from: folder.path("none"))
    #expect(try await other.lastCompletedRun() == nil)
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
