import TesseraBytes
import TesseraCatalog
import TesseraMemoryOutput
import TesseraPlan
import TesseraState
import TesseraSystem
import TesseraTestSupport
import Testing

@testable import TesseraOutput
@testable import TesseraPipeline

/// What a run believes after the machine stopped, and after the state was damaged.
@Suite struct RecoveryTests {
  private let run: RunInMemory

  init() throws { run = try RunInMemory() }

  private func recovery() async throws -> Recovery {
    Recovery(try await HeldOutput(run.output, run.workspace, nil))
  }

  /// A file that was made with a text, and what the output has under its name.
  private func publish(_ text: String, has content: String?) throws -> VariantRecord {
    let digest = SHA256.of(text)
    let path = FileName.path(
      source: String(digest.prefix(32)), width: 1, height: 1, crop: nil,
      recipe: "0123456789abcdef", fileExtension: "webp")
    if let content { try run.output.write(path, Array(content.utf8)) }
    return VariantRecord(path: path, width: 1, height: 1, bytes: text.utf8.count, sha256: digest)
  }

  /// Records files as those of a run.
  private func record(
    _ files: [(key: String, record: VariantRecord)], run number: Int
  ) async throws {
    var change = StateStore.SourceChange()
    change.made = StateStore.Made(
      digest: "c", content: .example(), variants: files, placeholder: ("p", Placeholders()),
      run: number)
    try await run.state.save(change, key: "k", url: "u")
  }

  private func known(_ keys: [String]) async throws -> [Bool] {
    try await run.state.made(keys, placeholder: "p").0.map { $0 != nil }
  }

  @Test func filesThatAreNotWholeAreRemoved() async throws {
    let before = try await run.state.beginRun(boot: "before")
    try run.output.write("variants/odd.webp", Array("mine".utf8))
    let odd = VariantRecord(
      path: "variants/odd.webp", width: 1, height: 1, bytes: 4, sha256: SHA256.of("mine"))
    let files = [
      ("1", try publish("whole", has: "whole")), ("2", try publish("cut off", has: "cut")),
      ("3", try publish("missing", has: nil)), ("4", odd),
      ("5", try publish("another", has: "another")),
    ]
    try await record(files.map { (key: $0.0, record: $0.1) }, run: before)
    let recovery = try await recovery()
    // Since the same boot nothing is lost.
    #expect(try await recovery.removeUnwritten(run.state, boot: "before") == 0)
    #expect(try await known(["1", "2", "3", "4", "5"]) == [true, true, true, true, true])
    #expect(try await recovery.removeUnwritten(run.state, boot: "now") == 3)
    #expect(try await known(["1", "2", "3", "4", "5"]) == [true, false, false, false, true])
    // What Tessera did not name is not Tessera's to remove.
    #expect(run.output.paths.sorted() == [files[0], files[4], ("4", odd)].map(\.1.path).sorted())
    // Each file is examined once.
    run.output.delete(files[0].1.path)
    #expect(try await recovery.removeUnwritten(run.state, boot: "now") == 0)
    #expect(try await !run.state.hasDoubts(boot: "now"))
    #expect(try await known(["1"]) == [true])
  }

  /// Whole files of a run that is interrupted once more are not examined again.
  @Test func manyFilesAreExaminedSomeAtATime() async throws {
    let before = try await run.state.beginRun(boot: "before")
    let files = try (0..<1_003).map { number in
      let text = "\(number)"
      let hasAll = number % 501 != 7
      return (key: "key \(10_000 + number)", record: try publish(text, has: hasAll ? text : "x"))
    }
    try await record(files, run: before)
    let recovery = try await recovery()
    #expect(try await recovery.removeUnwritten(run.state, boot: "now") == 2)
    let known = try await known(files.map(\.key))
    #expect(known.indices.filter { !known[$0] } == [7, 508])
    #expect(run.output.paths.count == 1_001)
  }

  /// A run of now has no doubts of its own.
  @Test func filesOfThisBootAreNotExamined() async throws {
    _ = try await run.state.beginRun(boot: "before")
    let now = try await run.state.beginRun(boot: "now")
    let file = try publish("cut off", has: "cut")
    try await record([("1", file)], run: now)
    #expect(try await recovery().removeUnwritten(run.state, boot: "now") == 0)
    #expect(run.output.paths == [file.path])
  }

  // MARK: A damaged state

  private static let error = StateError(kind: .corrupt, path: "s", message: "it is odd")

  @Test func aDamagedStateIsSetAside() async throws {
    try run.folder.write("not a database", to: "workspace/state.sqlite")
    let text = try await recovery().setAside(Self.error)
    let aside = try run.workspace.statePath() + ".damaged"
    #expect(
      text
        == "the state file \"s\": it is odd; it was set aside as \"\(aside)\", and everything is fetched again"
    )
    #expect(try run.folder.text("workspace/state.sqlite.damaged") == "not a database")
  }
}
