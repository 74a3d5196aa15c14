import Foundation
import TesseraCatalog
import TesseraTestSupport
import Testing

/// Ids, URLs and files that differ in Unicode normalization, in case, or in a sign that is equal to a letter are different
/// images in every command (X3).
@Suite struct TwinTests {
  /// U+00E9 and U+0065 U+0301; U+212A, which is canonically equal to K; U+2126 and U+03A9; U+FB01, which is only compatible
  /// with fi; cases; and one whose prefix is equal to another.
  private static let ids = [
    "caf\u{E9}", "z", "cafe\u{301}", "K1", "\u{212A}1", "k1", "\u{2126}", "\u{3A9}", "\u{FB01}n",
    "fin", "cafe\u{301}s", "CAF\u{C9}",
  ]

  private static let slots = "slots: {a: {size: 8x8}}\nscales: [1]"

  /// The images of the list are files with the names of their ids, each with other bytes.
  private let fixture: RunFixture
  private let sources: TemporaryFolder
  private let out: String

  init() async throws {
    sources = try TemporaryFolder()
    for (index, id) in Self.ids.enumerated() { try Self.write(index, id, in: sources) }
    fixture = try RunFixture(
      manifest: Self.lines(Self.ids, in: sources),
      keys: "fetch: {allow: \"files:\(sources.path(""))\", retries: 0}\nworkers: 1",
      slots: Self.slots)
    out = fixture.folder.path("out")
    let run = try await fixture.run("--quiet")
    #expect(run.status == 0, "\(run.errors)")
  }

  private static func write(_ index: Int, _ id: String, in folder: TemporaryFolder) throws {
    // A BMP of 8x8 pixels of one colour.
    func number(_ value: Int, _ count: Int = 4) -> [UInt8] {
      (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
    let header =
      Array("BM".utf8) + number(246) + number(0) + number(54) + number(40) + number(8) + number(8)
      + number(1, 2) + number(24, 2) + number(0) + number(192) + number(0) + number(0) + number(0)
      + number(0)
    let pixel = [UInt8(20 * index), 90, 200]
    let pixels = Array(repeatElement(pixel, count: 64).joined())
    try Data(header + pixels).write(to: URL(filePath: folder.path(id)))
  }

  private static func line(_ id: String, in folder: TemporaryFolder) -> String {
    // Of the bytes: `URL` would keep them, too, but says so nowhere.
    let name = id.utf8.map { byte in "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16) }
    return #"{"id":"\#(id)","url":"file://\#(folder.path(""))/\#(name.joined())"}"# + "\n"
  }

  private static func lines(_ ids: [String], in folder: TemporaryFolder) -> String {
    ids.map { line($0, in: folder) }.joined()
  }

  private func write(_ ids: [String]) throws {
    try fixture.folder.write(Self.lines(ids, in: sources), to: "manifest")
  }

  private func catalog() throws -> Data { try fixture.folder.read("out/catalog.json") }

  /// The ids of the catalog and their statuses, as bytes.
  private func items() throws -> [[UInt8]] {
    try fixture.catalog.images.map { Array("\($0.id) \($0.status.rawValue)".utf8) }
  }

  private static func items(_ ids: [String]) -> [[UInt8]] { ids.map { Array("\($0) ok".utf8) } }

  private func expect(_ words: String..., prints: String? = nil) async throws {
    let result = try await Tool.run(Places.tessera, words)
    #expect(result.status == 0, "\(words): \(result.errors)")
    if let prints { #expect(result.output.contains(prints), "\(words): \(result.output)") }
  }

  // MARK: Runs

  @Test(.faults(.x3)) func runsOfOneImageChangeNoOther() async throws {
    #expect(try items() == Self.items(Self.ids))
    let before = try catalog()
    for id in Self.ids {
      let run = try await fixture.run("--only", id, "--refresh")
      #expect(run.output.hasPrefix("1 image; 11 other images"), "\(id): \(run.output)\(run.errors)")
      #expect(try catalog() == before, "\(id)")
    }
    let unknown = try await fixture.run("--only", "cafe\u{301}\u{301}")
    #expect(unknown.status == 2, "\(unknown.output)")
  }

  @Test(.faults(.x3)) func imagesThatFailedAreReplacedWhereTheyAre() async throws {
    let before = try catalog()
    for (index, id) in Self.ids.enumerated() where index % 2 == 0 {
      try FileManager.default.removeItem(atPath: sources.path(id))
      let failed = try await fixture.run("--quiet", "--allow-loss")
      #expect(failed.status == 1, "\(failed.errors)")
      try Self.write(index, id, in: sources)
      let run = try await fixture.run("--only-failed")
      #expect(run.status == 0 && run.output.hasPrefix("1 image; 11 other images"), "\(run.output)")
      #expect(try catalog() == before, "\(id)")
    }
  }

  /// Each in the place that the list gives it, also behind one that is equal in Unicode.
  @Test(.faults(.x3)) func newImagesComeBehindTheirNeighbours() async throws {
    var ids = Self.ids
    for index in [10, 7, 4, 2, 0] { ids.remove(at: index) }
    try write(ids)
    #expect(try await fixture.run("--quiet").status == 0)
    try write(Self.ids)
    for index in [0, 2, 4, 7, 10] {
      let run = try await fixture.run("--only", Self.ids[index])
      #expect(run.status == 0, "\(run.errors)")
    }
    #expect(try items() == Self.items(Self.ids))
  }

  @Test(.faults(.x3)) func shardsMakeTheCatalogOfOneRun() async throws {
    let whole = try catalog()
    let parts = try RunFixture(
      manifest: Self.lines(Self.ids, in: sources),
      keys: "fetch: {allow: \"files:\(sources.path(""))\", retries: 0}\nworkers: 1",
      slots: Self.slots)
    for shard in 0..<3 {
      let run = try await parts.run("--quiet", "--shard", "\(shard)/3")
      #expect(run.status == 0, "\(run.errors)")
    }
    try await expect("merge", parts.folder.path("out"), prints: "12 images of 3 shards: 12 ok")
    #expect(try parts.folder.read("out/catalog.json") == whole)
    try await expect("merge", parts.folder.path("out"), "--into", parts.folder.path("all"))
    #expect(try parts.folder.read("all/catalog.json") == whole)
    try await expect("verify", parts.folder.path("all"), prints: "12 images")
  }

  // MARK: After runs

  @Test(.faults(.x3)) func eachCommandFindsTheImageOfItsBytes() async throws {
    try await expect("verify", out, "--deep", prints: "12 images")
    for id in Self.ids { try await expect("why", out, id, "--json", prints: "\"id\": \"\(id)\"") }
    for form in ["csv", "jsonl"] {
      let target = fixture.folder.path("all.\(form)")
      try await expect("export", out, "--as", form, "--to", target)
      let lines = try fixture.folder.text("all.\(form)").utf8.split(separator: UInt8(ascii: "\n"))
      for id in Self.ids {
        let count = lines.count { line in
          [form == "csv" ? "\(id)," : "{\"id\":\"\(id)\","].contains { line.starts(with: $0.utf8) }
        }
        #expect(count == 1, "\(form) \(id)")
      }
    }
    for form in ["sqlite", "html", "xcassets"] {
      try await expect("export", out, "--as", form, "--to", fixture.folder.path("all-\(form)"))
    }
    try await expect("gallery", out, prints: "12")
    try await expect("status", out)
    try await expect("prune", out)
    try await expect("verify", out, prints: "12 images")
  }

  /// One of two is taken out: `diff` says which, and `rollback` brings back that one.
  @Test(.faults(.x3), arguments: [0, 2, 4, 7])
  func twoListsDifferInOneImage(_ index: Int) async throws {
    let before = try catalog()
    try before.write(to: URL(filePath: fixture.folder.path("before.json")))
    var ids = Self.ids
    ids.remove(at: index)
    try write(ids)
    #expect(try await fixture.run("--quiet").status == 0)
    #expect(try items() == Self.items(ids))
    let diff = try await Tool.tessera("diff", fixture.folder.path("before.json"), out, "--json")
    let removed = "\"change\": \"removed\",\n      \"id\": \"\(Self.ids[index])\""
    #expect(Array(diff.output.utf8).contains(removed), "\(diff.output)\(diff.errors)")
    #expect(diff.output.contains("\"removed\": 1,\n  \"changed\": 0"), "\(diff.output)")
    try await expect("rollback", out)
    #expect(try catalog() == before)
  }

  /// `forget` takes out the image that is named, with its file, and no other.
  @Test(.faults(.x3), arguments: [0, 2, 3, 4, 6, 8, 11])
  func onlyTheNamedImageIsForgotten(_ index: Int) async throws {
    try write(Array(Self.ids.reversed()))
    #expect(try await fixture.run("--quiet").status == 0)
    let files = fixture.folder.files(below: "out/variants").count
    #expect(files == Self.ids.count)
    try await expect("forget", out, Self.ids[index], prints: "1 image forgotten")
    var ids = Self.ids
    ids.remove(at: index)
    #expect(try items() == Self.items(ids.reversed()))
    #expect(fixture.folder.files(below: "out/variants").count == files - 1)
    try await expect("verify", out, prints: "11 images")
    let why = try await Tool.tessera("why", out, Self.ids[index])
    #expect(why.status == 2 && why.errors.contains("was forgotten"), "\(why.output)\(why.errors)")
    for id in ids { try await expect("why", out, id) }
    let run = try await fixture.run("--quiet")
    #expect(run.status == 0, "\(run.errors)")
    #expect(try items() == Self.items(ids.reversed()))
  }
}

extension [UInt8] {
  fileprivate func contains(_ text: String) -> Bool {
    Data(self).range(of: Data(text.utf8)) != nil
  }
}
