import Foundation
import TesseraBytes
import TesseraCatalog
import TesseraSystem
import TesseraTestSupport
import Testing

@testable import tessera

/// The comparison of two catalogs, and the changes for apps.
@Suite struct DiffTests {
  private static let head = #"""
    {"schema":"tessera-catalog/1","generator":{"name":"tessera","version":"0.1.0","libvips":"8.14.1"},\#
    "pipeline":{"name":"feed","fingerprint":"00"},"baseURL":"https://cdn/",\#
    "formats":[{"type":"image/webp","extension":"webp","recipe":"00000000000000aa"}],\#
    "slots":{"card":{"width":180,"mode":"fit"}},"scales":[1,2]}
    """#

  /// A catalog as a run writes it.
  private static func catalog(_ lines: [String], head: String = head) -> String {
    SmallOutput.document(lines, head: head)
  }

  private static func image(_ id: String, _ version: Int) -> String {
    switch version % 4 {
    case 0:
      #"{"id":"\#(id)","url":"u","status":"ok","width":30,"height":40,"format":"png","alpha":true,"#
        + #""animated":false,"frames":1,"source":"0000000000000000000000000000000\#(version % 10)","#
        + #""variants":[{"width":30,"height":40,"bytes":[\#(version)]}],"slots":{"card":{"width":180,"height":240,"#
        + #""variants":[0,0]}},"extra":{"n":null,"v":\#(version)}}"#
    case 1:
      #"{"id":"\#(id)","url":"u","status":"failed","error":{"code":"c","message":"m","retryable":true}}"#
    case 2:
      #"{"id":"\#(id)","url":"u","status":"pending","width":\#(version + 1),"height":40,"extra":[null]}"#
    default:
      #"{"id":"\#(id)","url":"u","status":"ok","extra":{"é\u0001\n":1.5e-7,"a":[{}],"big":12345678901234567}}"#
    }
  }

  private static func sha256(_ bytes: [UInt8]) -> [UInt8] {
    MessageDigest.sha256.digest(of: bytes)
  }

  private static func diff(
    _ old: String, _ new: String
  ) throws -> (changes: [UInt8], report: CatalogDiff.Report) {
    let folder = try TemporaryFolder()
    let diff = CatalogDiff(
      old: try folder.write(old, to: "old"), new: try folder.write(new, to: "new"))
    var bytes: [UInt8] = []
    try diff.writeChanges { bytes += $0 }
    return (bytes, try diff.run(onChange: { _ in }))
  }

  private static func report(_ old: String, _ new: String) throws -> CatalogDiff.Report {
    try diff(old, new).report
  }

  /// The text of changes without the digests and the head.
  private static func lines(_ changes: [UInt8]) -> String {
    let text = String(decoding: changes, as: UTF8.self)
    return String(text[(text.range(of: #","lines":"#)?.upperBound ?? text.endIndex)...])
  }

  /// Applied to the old document, the changes make the new one, byte for byte.
  @Test func theChangesTurnTheOldCatalogIntoTheNewOne() throws {
    var generator = SplitMix(seed: 2)
    for _ in 0..<300 {
      func some() -> [String] {
        // The last two look alike, but their bytes differ.
        ((0..<5).map { "p\($0)\"/~" } + ["p", "caf\u{E9}", "cafe\u{301}"])
          .filter { _ in Bool.random(using: &generator) }.shuffled(using: &generator)
      }
      func text(_ ids: [String], _ versions: Int) -> String {
        let head =
          Bool.random(using: &generator)
          ? Self.head
          : Self.head.replacingOccurrences(of: "\"baseURL\":\"https://cdn/\",", with: "")
        return Self.catalog(
          ids.map {
            Self.image(
              $0.replacingOccurrences(of: "\"", with: "\\\""),
              Int.random(in: 0..<versions, using: &generator))
          }, head: head)
      }
      let (old, new) = (text(some(), 4), text(some(), 9))
      let (bytes, report) = try Self.diff(old, new)
      let made = try CatalogChanges(reading: bytes)
        .applied(to: Array(old.utf8), sha256: Self.sha256)
      #expect(
        made == Array(new.utf8), "\(old)\n\(new)\n\(String(decoding: bytes, as: UTF8.self))")
      #expect(report.isEmpty == (old == new))
    }
  }

  /// An app in any language applies them with its JSON library and eight lines.
  @Test func anyJSONLibraryAppliesThem() async throws {
    let old = Self.catalog([Self.image("a", 0), Self.image("b", 1), Self.image("c", 2)])
    let new = Self.catalog([Self.image("new", 3), Self.image("a", 4), Self.image("c", 2)])
    let (bytes, report) = try Self.diff(old, new)
    #expect((report.added, report.removed, report.changed, report.moved) == (1, 1, 1, 0))
    let script = """
      import hashlib, json, sys
      old, new, changes = sys.stdin.read().split("\\0")
      changes = json.loads(changes)
      known = [line.removesuffix(",") for line in old.split("\\n")[1:-2]]
      lines = []
      for element in changes["lines"]:
          lines += [element] if isinstance(element, str) else known[element[0] : element[1] + 1]
      made = changes["head"] + "\\n" + ",\\n".join(lines) + "\\n]}\\n"
      assert old[11:75] == changes["from"] and new[11:75] == changes["to"]
      print(made == new and hashlib.sha256(made[77:].encode()).hexdigest() == changes["to"])
      """
    let result = try await Tool.run(
      "/usr/bin/python3", ["-c", script],
      input: [old, new, String(decoding: bytes, as: UTF8.self)].joined(separator: "\0"))
    #expect(result.output == "True\n", "\(result.errors)")
  }

  @Test func onlyChangesAreRepeated() throws {
    let lines = (0..<100).map { Self.image("p\($0)", 0) }
    let old = Self.catalog(lines)
    let same = try Self.diff(old, old)
    #expect(Self.lines(same.changes) == "[[0,99]]}\n" && same.report.isEmpty)
    let first = String(old.prefix { $0 != "\n" })
    let digest = String(old.dropFirst(11).prefix(64))
    let head = first.replacingOccurrences(of: "\"", with: "\\\"")
    #expect(
      String(decoding: same.changes, as: UTF8.self)
        == #"{"schema":"tessera-changes/1","from":"\#(digest)","to":"\#(digest)","head":"\#(head)","#
        + "\"lines\":[[0,99]]}\n")
    // One more at the front, as in a feed.
    let more = try Self.diff(old, Self.catalog([Self.image("q", 1)] + lines))
    let image = Self.image("q", 1).replacingOccurrences(of: "\"", with: "\\\"")
    #expect(Self.lines(more.changes) == "[\"\(image)\",[0,99]]}\n")
    #expect((more.report.added, more.report.same) == (1, 100))
    // Two images that change places: only their neighbours differ.
    let turned = try Self.diff(old, Self.catalog([lines[1], lines[0]] + lines.dropFirst(2)))
    #expect((turned.report.changed, turned.report.moved, turned.report.same) == (0, 2, 98))
    #expect(Self.lines(turned.changes) == "[[1,1],[0,0],[2,99]]}\n")
    let none = try Self.diff(old, Self.catalog([]))
    #expect(Self.lines(none.changes) == "[]}\n" && none.report.removed == 100)
  }

  /// Lines of an altered catalog are not those that apps have.
  @Test(.faults(.c15), arguments: [true, false])
  func nothingLeadsFromAnAlteredCatalogOrToIt(_ isOld: Bool) async throws {
    let folder = try TemporaryFolder()
    let whole = Self.catalog([Self.image("a", 0), Self.image("b", 1)])
    let altered = whole.replacingOccurrences(of: "\"failed\"", with: "\"stale\"")
    let one = try folder.write(isOld ? altered : whole, to: "one")
    let other = try folder.write(isOld ? whole : altered, to: "other")
    #expect(
      await sentence { try CatalogDiff(old: one, new: other).writeChanges { _ in } }
        == "\"\(isOld ? one : other)\" was altered after it was written, so no changes lead from it or to it; "
        + "run again to regenerate it")
  }

  /// A truncated catalog is damaged: its missing images were not removed.
  @Test func aTruncatedCatalogIsRejected() throws {
    let whole = Self.catalog([Self.image("a", 0), Self.image("b", 1), Self.image("c", 1)])
    let lines = whole.split(separator: "\n", omittingEmptySubsequences: false)
    for count in 1..<4 {
      let cut = lines.prefix(count).joined(separator: "\n") + "\n"
      #expect(throws: TesseraError.self, "\(count)") { try Self.diff(whole, cut) }
      #expect(throws: TesseraError.self, "\(count)") { try Self.diff(cut, whole) }
    }
  }

  /// Strings that look alike differ if their bytes differ.
  @Test func stringsAreComparedByBytes() throws {
    for extra in ["\"X\"", "{\"X\":1}"] {
      func text(_ word: String) -> String {
        let line = #"{"id":"a","url":"u","status":"ok","extra":\#(extra)}"#
        return Self.catalog([line.replacingOccurrences(of: "X", with: word)])
      }
      #expect(try Self.report(text("caf\u{E9}"), text("cafe\u{301}")).changed == 1)
    }
  }

  /// A duplicate id is an error in either catalog.
  @Test func duplicateIdsAreRejected() throws {
    let once = Self.catalog([Self.image("a", 0)])
    for lines in [["a", "a"], ["new", "a", "new"]] {
      let twice = Self.catalog(lines.map { Self.image($0, 1) })
      let error = #expect(throws: TesseraError.self) { try Self.diff(once, twice) }
      #expect("\(error.map { "\($0)" } ?? "")".contains("duplicate id"), "\(lines)")
    }
    let twice = Self.catalog([Self.image("a", 1), Self.image("a", 1)])
    #expect(throws: TesseraError.self) { try Self.diff(twice, once) }
  }

  /// An image with as many members as a line of a manifest may have is compared in linear time.
  @Test func manyMembersAreComparedQuickly() throws {
    let extra = (0..<60_000).map { "\"m\($0)\":\($0)" }.joined(separator: ",")
    func line(_ width: Int) -> String {
      #"{"id":"a","url":"u","status":"pending","width":\#(width),"height":1,"extra":{\#(extra)}}"#
    }
    let before = processorTime
    let report = try Self.report(Self.catalog([line(1)]), Self.catalog([line(2)]))
    #expect(report.changed == 1)
    // In quadratic time it would take three minutes.
    #expect(processorTime - before < .seconds(20))
  }
}
