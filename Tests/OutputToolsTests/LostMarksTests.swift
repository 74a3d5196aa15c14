import TesseraTestSupport
import Testing

@testable import TesseraOutput
@testable import tessera

/// The marks of forgotten images were removed by hand, and the state has seen them.
@Suite struct LostMarksTests {
  private let small: SmallOutput
  private static let url = "https://example.com/b"

  init() throws { small = try SmallOutput() }

  private func forgetting(_ ids: [String], urls: [String] = []) -> Forgetting {
    Forgetting(small.root, ids: ids, urls: urls, now: 400)
  }

  /// The way on is what the error says: they are named again, though nothing knows them any more.
  @Test(.faults(.s6), .takesSeconds) func theyAreMadeAgain() async throws {
    try await small.publish(["a", "b", "c"].map { SmallOutput.line($0) })
    _ = try await forgetting(["a"], urls: [Self.url]).run()
    try small.remove(ForgottenItems.path)
    #expect(
      await sentence { try await forgetting(["a"]).undo() }
        == "\"\(small.root)/.tessera/forgotten.json\" is damaged: the marks of forgotten images are missing, though "
        + "there were some before; restore the file from a backup, or name all those images again in one call: "
        + "tessera forget \"\(small.root)\" ID…; those that may come back, after it with --undo")
    #expect(!small.has(ForgottenItems.path))
    let report = try await forgetting(["a"], urls: [Self.url]).run()
    #expect(report.ids == ["a"])
    #expect(
      report.warning
        == "the marks of images that were forgotten before were missing: of those, only the ones that this call names "
        + "stay away")
    let marks = try await ForgottenItems.of(small.output)
    #expect(marks.has(id: "a") && marks.has(ids: ["new"], url: Self.url))
    // Now there are marks, so that a mistake is one again.
    #expect(
      await sentence { try await forgetting(["typo"]).run() }.hasSuffix("; nothing was changed"))
    #expect(try await forgetting(["a"]).undo().ids == ["a"])
  }

  /// A URL that nothing knows any more is a name, too.
  @Test func aURLIsEnough() async throws {
    try await small.publish([SmallOutput.line("b")])
    _ = try await forgetting(["b"]).run()
    try small.remove(ForgottenItems.path)
    #expect(try await forgetting([], urls: [Self.url]).run().ids == [])
    #expect(try await ForgottenItems.of(small.output).has(ids: ["new"], url: Self.url))
  }
}
