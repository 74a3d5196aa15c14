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

  private static let screen = CatalogScreen(
    name: "feed", selection: .init(slots: ["card"]), first: 2, pages: 2)

  private static func line(_ id: String) -> [UInt8] {
    let slots = #""slots":{"card":{"width":8,"height":6,"variants":[0]}},"#
    return Array(
      MemoryCatalogs.image(id).replacing(#""variants":[{"#, with: #"\#(slots)"variants":[{"#).utf8)
  }

  private func publish(
    _ ids: [String], pages: Int?, to output: any Output, of others: [any Output] = [],
    now: Double = 0
  ) async throws {
    let head = MemoryCatalogs.head().replacing(
      #""slots":{}"#, with: #""slots":{"card":{"width":8,"mode":"fit"}}"#)
    var draft = try await CatalogDraft(
      .json, head: Array(head.utf8), count: ids.count,
      publication: .init(pages: pages, screens: pages == nil ? [] : [Self.screen]),
      through: LineGate(of: output, and: others), in: catalogs.workspace)
    for id in ids { try draft.add(Self.line(id)) }
    try await draft.publish(
      keeping: CatalogRetention(count: 3, age: 1_000, patches: pages == nil ? 0 : 2), now: now)
  }

  /// Two catalogs, and a shard's result, each with the image.
  private func begin(pages: Int?) async throws {
    output.files = [:]
    try await publish(["a", Self.secret, "b"], pages: pages, to: output)
    try await publish(["a", Self.secret, "b", "c"], pages: pages, to: output, now: 1)
  }

  private enum Writer: String, CaseIterable, CustomStringConvertible {
    case catalog, pages, rollback
    var description: String { rawValue }
    var pages: Int? { self == .catalog ? nil : 2 }
  }

  private func write(_ writer: Writer, _ ids: [String], to output: any Output) async throws {
    guard writer == .rollback else {
      return try await publish(ids, pages: writer.pages, to: output, now: 2)
    }
    let history = CatalogHistory(of: output, catalogs.workspace)
    try await history.eraseForgotten(try await LineGate(of: output))
    let kept = try #require(try await CatalogHistory.kept(in: output)).catalogs[0]
    try await history.rollBack(to: kept, now: 2)
  }

  /// A `forget` happens before each change that a writer makes, which has begun before.
  @Test(arguments: Writer.allCases)
  private func whatIsForgottenMeanwhileIsInNoDocument(_ writer: Writer) async throws {
    var moments = 0
    while true {
      try await begin(pages: writer.pages)
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
  @Test func whatIsForgottenInASourceMeanwhileIsInNoDocument() async throws {
    for moment in 1...25 {
      let source = MemoryOutput()
      try await begin(pages: 2)
      let interrupted = InterruptedOutput(output, before: moment) {
        [catalogs]
        () async throws(SystemError) in
        try await ForgottenImage.mark(in: source, catalogs.workspace)
      }
      let error = await #expect(throws: SystemError.self) {
        try await publish(["a", Self.secret, "d"], pages: 2, to: interrupted, of: [source], now: 2)
      }
      #expect(error?.isOvertaken == true, "change \(moment)")
      #expect(found == [], "change \(moment)")
    }
  }

  /// A `forget` is killed before each change that it makes; the next writer leaves the image out.
  @Test(arguments: Writer.allCases)
  private func aKilledForgetIsObeyed(_ writer: Writer) async throws {
    var moments = 0
    while true {
      try await begin(pages: writer.pages)
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

  /// The documents of an output with a catalog, a kept one, and pages.
  private static let readable: [(String, @Sendable (String) -> Bool)] = [
    ("current", { $0 == "catalog.json" }),
    (
      "kept",
      { $0.hasPrefix(KeptCatalog.folder) && $0.wholeMatch(of: /.*[0-9a-f]{32}.json/) != nil }
    ),
    ("index", { $0 == "catalog/index.json" }),
    ("kept index", { $0.hasSuffix(".catalog.index.json") }),
    ("page", { $0.hasPrefix("catalog/") && $0 != "catalog/index.json" }),
    ("screen", { $0.hasPrefix("screens/") }),
  ]

  /// Damage stops no writer, and hides no image: what can't be read is not there after it.
  @Test(arguments: Writer.allCases, ["", "cut", "noise"])
  private func aDamagedDocumentIsReplaced(_ writer: Writer, _ damage: String) async throws {
    for (name, isIt) in Self.readable where writer != .rollback || !name.hasPrefix("kept") {
      try await begin(pages: writer.pages)
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
    try await begin(pages: nil)
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
      try await publish(["a", Self.secret], pages: nil, to: output)
    }
    #expect(gate.admits(Array("{".utf8)) && gate.admits(Array("[]".utf8)))
    // What does not say which image it is: of files and data.
    #expect(gate.admits(Array(#"{"id":"y","url":"data:image/png,"}"#.utf8)))
    // The marks of another output count, too.
    let other = try await LineGate(of: MemoryOutput(), and: [output])
    #expect(!other.isEmpty && !other.admits(Self.line(Self.secret)))
  }
}
