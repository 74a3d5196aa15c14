import Foundation
import TesseraCatalog
import TesseraState
import TesseraTestSupport
import Testing

@testable import TesseraOutput
@testable import tessera

/// How long unnamed files stay.
@Suite struct PruningTests {
  private let folder: TemporaryFolder
  private static let day = 86_400.0

  init() throws { folder = try TemporaryFolder() }

  /// Begins with the letter.
  private static func source(_ letter: Character) -> String {
    String(repeating: letter, count: 32)
  }

  private static func path(_ letter: Character) -> String {
    FileName.path(
      source: source(letter), width: 8, height: 8, crop: nil, recipe: SmallOutput.recipe,
      fileExtension: "webp")
  }

  /// Writes a catalog that names some files, each by a letter, and prunes a while later.
  ///
  /// - Returns: the files that are left, by their letters.
  private func prune(_ named: String, day: Double, isDryRun: Bool = false) async throws -> String {
    let images = named.map { letter in
      #"{"id":"\#(letter)","url":"u","status":"ok","source":"\#(Self.source(letter))","#
        + #""variants":[{"width":8,"height":8,"bytes":[null,5]}]}"#
    }
    try folder.write(SmallOutput.document(images), to: "catalog.json")
    for letter in named {
      let file = folder.url.appending(path: Self.path(letter))
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data("image".utf8).write(to: file)
    }
    _ = try await Pruning(
      folder.path(""), grace: .seconds(7 * Self.day), isDryRun: isDryRun,
      now: 1_000_000 + day * Self.day
    ).run { _ in }
    return String(folder.files(below: "variants").compactMap(\.first).sorted())
  }

  @Test func aFileStaysForTheGracePeriod() async throws {
    #expect(try await prune("ab", day: 0) == "ab")
    // A dry run does not begin the time.
    #expect(try await prune("b", day: 1, isDryRun: true) == "ab")
    #expect(try await prune("b", day: 2) == "ab")
    #expect(try await prune("b", day: 8.99) == "ab")
    #expect(try await prune("b", day: 9, isDryRun: true) == "ab")
    #expect(try await prune("b", day: 9) == "b")
  }

  /// A file that is named again for a while gets the whole time when it is dropped again.
  @Test func theTimeBeginsAgainForAFileThatWasNamedAgain() async throws {
    #expect(try await prune("a", day: 0) == "a")
    #expect(try await prune("b", day: 1) == "ab")
    #expect(try await prune("a", day: 2) == "ab")
    #expect(try await prune("b", day: 9) == "ab")
    #expect(try await prune("b", day: 15.9) == "ab")
    #expect(try await prune("b", day: 16) == "b")
  }

  /// The clock was ahead when a file was retired: that counts as now.
  @Test func aMomentInTheFutureCountsAsNow() async throws {
    #expect(try await prune("ab", day: 365) == "ab")
    #expect(try await prune("b", day: 365) == "ab")
    #expect(try await prune("b", day: 0) == "ab")
    #expect(try await prune("b", day: 6.9) == "ab")
    #expect(try await prune("b", day: 7) == "b")
  }

  /// What is deleted here is not missing from the next run; what vanishes meanwhile is.
  @Test(.faults(.f22), arguments: [false, true])
  func aFileThatVanishesMeanwhileIsMissed(_ vanishes: Bool) async throws {
    let small = try SmallOutput(folder)
    let named = try small.make("named")
    let unnamed = try small.make("unnamed")
    try await small.publish([SmallOutput.line("a", [named])])
    let prune = { (now: Double) async throws in
      _ = try await Pruning(small.root, grace: .seconds(Self.day), isDryRun: false, now: now).run {
        [folder] path in
        guard vanishes, path == unnamed.path else { return }
        try? FileManager.default.removeItem(atPath: folder.path("out/\(named.path)"))
      }
    }
    try await prune(0)
    let state = try StateStore(path: try small.statePath)
    let mark = try #require(try await (small.output as any Output).mark())
    try await state.note(
      StateStore.RunEnd(output: mark.text, ended: 1), of: state.beginRun(boot: ""))
    try await state.close()
    try await prune(2 * Self.day)
    #expect(!small.has(unnamed.path) && small.has(named.path) != vanishes)
    let last = try await StateStore(path: try small.statePath).lastEnd()
    let now = try await (small.output as any Output).mark()
    #expect((last?.output == now?.text) == !vanishes)
  }
}
