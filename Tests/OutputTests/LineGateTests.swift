import TesseraBytes
import TesseraCatalog
import TesseraMemoryOutput
import TesseraSystem
import TesseraTestSupport
import Testing

@testable import TesseraOutput

/// An image that is forgotten before, while and after documents are written is in none of them.
@Suite struct LineGateTests {
  private let catalogs: MemoryCatalogs
  private var output: MemoryOutput { catalogs.output }
  private static let secret = ForgottenImage.id
  /// Documents with the image.
  private var found: [String] { ForgottenImage.documents(in: output) }

  init() throws { catalogs = try MemoryCatalogs() }

  private static func line(_ id: String) -> [UInt8] { Array(MemoryCatalogs.image(id).utf8) }

  /// - Parameter screens: whether there are a screen and changes, too.
  private func publish(
    _ ids: [String], screens: Bool, to output: any Output, of others: [any Output] = [],
    now: Double = 0
  ) async throws {
    var draft = try await CatalogDraft(
      head: Array(MemoryCatalogs.head().utf8),
      screens: screens ? [MemoryCatalogs.screen(first: 2, part: 2)] : [], count: ids.count,
      through: LineGate(of: output, and: others), in: catalogs.workspace)
    for id in ids { try draft.add(Self.line(id)) }
    try await draft.publish(
      keeping: CatalogRetention(count: 3, age: 1_000, changes: screens ? 2 : 0), now: now)
  }

  /// Two catalogs, each with the image, in the first document of a screen and in a part of it.
  private func begin(screens: Bool) async throws {
    output.files = [:]
    try await publish(["a", Self.secret, "b"], screens: screens, to: output)
    try await publish(["a", "b", Self.secret, "c"], screens: screens, to: output, now: 1)
  }

  private enum Writer: String, CaseIterable, CustomStringConvertible {
    case catalog, screens, rollback
    var description: String { rawValue }
    var screens: Bool { self != .catalog }
  }

  private func write(_ writer: Writer, _ ids: [String], to output: any Output) async throws {
    guard writer == .rollback else {
      return try await publish(ids, screens: writer.screens, to: output, now: 2)
    }
    let history = CatalogHistory(of: output, catalogs.workspace)
    try await history.eraseForgotten(try await LineGate(of: output))
    let kept = try #require(try await CatalogHistory.kept(in: output)).catalogs[0]
    try await history.rollBack(to: kept, now: 2)
  }

  /// A `forget` happens before each change that a writer makes, which has begun before.
  @Test(.faults(.p9), arguments: Writer.allCases)
  private func whatIsForgottenMeanwhileIsInNoDocument(_ writer: Writer) async throws {
    var moments = 0
    while true {
      try await begin(screens: writer.screens)
      let memory = output
      let interrupted = InterruptedOutput(memory, before: moments + 1) {
        () async throws(SystemError) in try await ForgottenImage.forget(from: memory)
      }
      do throws(any Error) {
        try await write(writer, ["a", Self.secret, "d"], to: interrupted)
        if !interrupted.wasInterrupted { break }
        Issue.record("\(writer), change \(moments + 1): nothing was noticed")
      } catch let error as SystemError {
        #expect(error.isOvertaken || error.isMissingFile, "\(error)")
      }
      moments += 1
      #expect(found == [], "\(writer), change \(moments)")
    }
    print("\(writer): forgotten before each of \(moments) changes, in no document")
    #expect(moments > 2)
  }

  /// In an output that lines come from; it is another than the one that they are written to.
  @Test(.faults(.p9)) func whatIsForgottenInASourceMeanwhileIsInNoDocument() async throws {
    var moments = 0
    while true {
      let source = MemoryOutput()
      try await begin(screens: true)
      let interrupted = InterruptedOutput(output, before: moments + 1) {
        [catalogs]
        () async throws(SystemError) in
        try await ForgottenImage.mark(in: source, catalogs.workspace)
      }
      do throws(any Error) {
        try await publish(
          ["a", Self.secret, "d"], screens: true, to: interrupted, of: [source], now: 2)
        if !interrupted.wasInterrupted { break }
        Issue.record("change \(moments + 1): nothing was noticed")
      } catch let error as SystemError {
        #expect(error.isOvertaken, "\(error)")
      }
      moments += 1
      #expect(found == [], "change \(moments)")
    }
    #expect(moments > 5)
  }

  /// A `forget` is killed before each change that it makes; the next writer leaves the image out.
  @Test(.faults(.p9), arguments: Writer.allCases)
  private func aKilledForgetIsObeyed(_ writer: Writer) async throws {
    var moments = 0
    while true {
      try await begin(screens: writer.screens)
      guard await ForgottenImage.forget(from: output, killedAfter: moments) else { break }
      moments += 1
      try await write(writer, ["a", "d"], to: output)
      #expect(found == [], "\(writer), change \(moments)")
      // It is not looked for again.
      let list = try await CatalogHistory.kept(in: output)
      #expect(try await list?.marks == ForgottenItems.of(output).digest)
    }
    print(
      "\(writer): after a forget that was killed before each of \(moments) changes, in no document")
    #expect(moments > 2)
  }

  /// The documents of an output with a catalog, a kept one, their screens, and changes.
  private static let readable: [(String, @Sendable (String) -> Bool)] = [
    ("current", { $0 == "catalog.json" }),
    (
      "kept",
      { $0.hasPrefix(KeptCatalog.folder) && $0.wholeMatch(of: /.*[0-9a-f]{32}.json/) != nil }
    ),
    ("first", { $0 == MemoryCatalogs.first }),
    ("kept first", { $0.hasSuffix(".screens.feed.first.json") }),
    ("part", CatalogScreen.isPart), ("changes", PublishedChanges.isOne),
  ]

  /// Damage stops no writer, and hides no image: what can't be read is not there after it.
  @Test(.faults(.f10), arguments: Writer.allCases, ["", "cut", "noise"])
  private func aDamagedDocumentIsReplaced(_ writer: Writer, _ damage: String) async throws {
    for (name, isIt) in Self.readable where writer != .rollback || !name.hasPrefix("kept") {
      try await begin(screens: writer.screens)
      for (path, bytes) in output.files where isIt(path) {
        let cut = bytes.dropLast(3)
        try output.write(
          path, damage == "cut" ? Array(cut) : Array((damage.isEmpty ? "" : "\"secret\"").utf8))
      }
      try await ForgottenImage.mark(in: output, catalogs.workspace)
      try await write(writer, ["a", "d"], to: output)
      #expect(found == [], "\(writer), \(name)")
      let catalog = try output.text("catalog.json")
      #expect(catalog.contains("\"a\"") && catalog.hasSuffix("]}\n"), "\(writer), \(name)")
      // What is kept can become the current one.
      try await write(.rollback, [], to: output)
    }
  }

  @Test func aLineOfAForgottenImageIsRejected() async throws {
    try await begin(screens: false)
    var marks = ForgottenItems()
    let url = ForgottenItems.requests(of: "https://example.com/b.jpg#x")
    marks.add(ids: [Self.secret], requests: url)
    try await marks.write(to: output, catalogs.workspace)
    let gate = try await LineGate(of: output)
    for (id, isAdmitted) in [("a", true), (Self.secret, false), ("b", false)] {
      #expect(gate.admits(Self.line(id)) == isAdmitted, "\(id)")
      // By the URL alone.
      let other = String(decoding: Self.line(id), as: UTF8.self)
        .replacing("\"id\":\"\(id)\"", with: "\"id\":\"x\"")
      #expect(gate.admits(Array(other.utf8)) == (id != "b"), "\(id)")
    }
    await #expect(throws: SystemError.self) {
      try await publish(["a", Self.secret], screens: false, to: output)
    }
    #expect(gate.admits(Array("{".utf8)) && gate.admits(Array("[]".utf8)))
    // What does not say which image it is: of files and data.
    #expect(gate.admits(Array(#"{"id":"y","url":"data:image/png,"}"#.utf8)))
    // The marks of another output count, too.
    let other = try await LineGate(of: MemoryOutput(), and: [output])
    #expect(!other.isEmpty && !other.admits(Self.line(Self.secret)))
  }
}
