import Foundation
import TesseraCatalog
import TesseraJSON
import TesseraTestSupport
import Testing

@testable import TesseraOutputTools

/// The comparison of two catalogs, and the patch for apps.
@Suite struct DiffTests {
  private static let head = """
    {"schema":"tessera-catalog/1","generator":{"name":"tessera","version":"0.1.0","libvips":"8.14.1"},\
    "pipeline":{"name":"feed","fingerprint":"00"},"baseURL":"https://cdn/",\
    "slots":{"card":{"width":180,"mode":"fit"}},"scales":[1,2],"images":[
    """

  /// A catalog as a run writes it.
  private static func catalog(_ lines: [String], head: String = head) -> String {
    head + "\n" + lines.joined(separator: ",\n") + "\n]}\n"
  }

  private static func image(_ id: String, _ version: Int) -> String {
    switch version % 4 {
    case 0:
      #"{"id":"\#(id)","url":"u","status":"ok","width":30,"height":40,"format":"png","alpha":true,"#
        + #""animated":false,"frames":1,"variants":[{"path":"variants/00/0000000000000000000000000000000\#(version % 10)-30x40.webp","type":"image/webp","#
        + #""width":30,"height":40,"bytes":\#(version)}],"slots":{"card":{"width":180,"height":240,"#
        + #""variants":[0,0]}},"extra":{"n":null,"v":\#(version)}}"#
    case 1:
      #"{"id":"\#(id)","url":"u","status":"failed","error":{"code":"c","message":"m","retryable":true}}"#
    case 2:
      #"{"id":"\#(id)","url":"u","status":"pending","width":\#(version + 1),"height":40,"extra":[null]}"#
    default:
      #"{"id":"\#(id)","url":"u","status":"ok","extra":{"é\u0001\n":1.5e-7,"a":[{}],"big":12345678901234567}}"#
    }
  }

  private static func patch(
    _ old: String, _ new: String
  ) throws -> (bytes: [UInt8], report: CatalogDiff.Report) {
    let folder = try TemporaryFolder()
    let (one, other) = (try folder.write(old, to: "old"), try folder.write(new, to: "new"))
    var bytes: [UInt8] = []
    let report = try CatalogDiff(old: one, new: other).run(
      onChange: { _ in }, patch: { bytes += $0 })
    return (bytes, report)
  }

  /// For any changes, the old catalog with the patch applied is the new one: the same bytes in
  /// canonical JSON.
  @Test func thePatchTurnsTheOldCatalogIntoTheNewOne() throws {
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
      let (bytes, _) = try Self.patch(old, new)
      let patch = try CatalogPatch(reading: bytes)
      let made = try patch.applied(to: try Catalog(reading: old.utf8))
      let expected = try Catalog(reading: new.utf8)
      let same = made.canonicalJSON() == expected.canonicalJSON()
      #expect(same, "\(old)\n\(new)\n\(String(decoding: bytes, as: UTF8.self))")
      #expect(made == expected)
    }
  }

  /// The patch follows RFC 7396 for the keyed form: an independent implementation in Python agrees.
  @Test func anyMergePatchLibraryAppliesIt() async throws {
    let old = Self.catalog([Self.image("a", 0), Self.image("b", 1), Self.image("c", 2)])
    let new = Self.catalog([Self.image("new", 3), Self.image("a", 4), Self.image("c", 2)])
    let (bytes, report) = try Self.patch(old, new)
    #expect((report.added, report.removed, report.changed, report.moved) == (1, 1, 1, 0))
    let script = """
      import json, sys
      def keyed(catalog):
          images = catalog.pop("images")
          if images: catalog["first"] = images[0]["id"]
          catalog["images"] = {}
          for place, image in enumerate(images):
              one = catalog["images"][image.pop("id")] = image
              if "extra" in one: one["extra"] = [one["extra"]]
              if place + 1 < len(images): one["next"] = images[place + 1]["id"]
          return catalog
      def merge(target, patch):
          if not isinstance(patch, dict): return patch
          if not isinstance(target, dict): target = {}
          for name, value in patch.items():
              if value is None: target.pop(name, None)
              else: target[name] = merge(target.get(name), value)
          return target
      # The catalogs' digests are not members of either.
      old, new, patch = (json.loads(line) for line in sys.stdin.read().split("\\0"))
      patch.pop("from"), patch.pop("to")
      print(merge(keyed(old), patch) == keyed(new))
      """
    let result = try await Tool.run(
      "/usr/bin/python3", ["-c", script],
      input: [old, new, String(decoding: bytes, as: UTF8.self)].joined(separator: "\0"))
    #expect(result.output == "True\n", "\(result.errors)")
  }

  @Test func aPatchContainsOnlyChanges() throws {
    let lines = (0..<100).map { Self.image("p\($0)", 0) }
    let old = Self.catalog(lines)
    let empty = String(decoding: try Self.patch(old, old).bytes, as: UTF8.self)
    let digest = try #require(empty.firstMatch(of: /"from":"([0-9a-f]{64})"/)).output.1
    #expect(empty == #"{"from":"\#(digest)","to":"\#(digest)","images":{}}"# + "\n")
    #expect(try Self.patch(old, old).report.isEmpty)
    // One more at the front, as in a feed: the patch has that image, and the new first id.
    let (bytes, report) = try Self.patch(old, Self.catalog([Self.image("q", 1)] + lines))
    #expect(
      String(decoding: bytes, as: UTF8.self)
        .replacing(/"from":"\w{64}","to":"\w{64}",/, with: "")
        == #"{"first":"q","images":{"q":{"url":"u","status":"failed","error":{"code":"c","message":"m","#
        + #""retryable":true},"next":"p0"}}}"# + "\n")
    #expect((report.added, report.same) == (1, 100))
    // Two images that change places: only their neighbours differ.
    let turned = try Self.patch(old, Self.catalog([lines[1], lines[0]] + lines.dropFirst(2)))
    #expect((turned.report.changed, turned.report.moved, turned.report.same) == (0, 2, 98))
  }

  /// A truncated catalog is damaged: its missing images were not removed.
  @Test func aTruncatedCatalogIsRejected() throws {
    let whole = Self.catalog([Self.image("a", 0), Self.image("b", 1), Self.image("c", 1)])
    let lines = whole.split(separator: "\n", omittingEmptySubsequences: false)
    for count in 1..<4 {
      let cut = lines.prefix(count).joined(separator: "\n") + "\n"
      #expect(throws: OutputToolError.self, "\(count)") { try Self.patch(whole, cut) }
      #expect(throws: OutputToolError.self, "\(count)") { try Self.patch(cut, whole) }
    }
  }

  /// Strings that look alike differ if their bytes differ.
  @Test func stringsAreComparedByBytes() throws {
    let line = #"{"id":"a","url":"u","status":"ok","extra":"X"}"#
    let old = Self.catalog([line.replacingOccurrences(of: "X", with: "caf\u{E9}")])
    let new = Self.catalog([line.replacingOccurrences(of: "X", with: "cafe\u{301}")])
    #expect(try Self.patch(old, new).report.changed == 1)
    let named = #"{"id":"a","url":"u","status":"ok","extra":{"X":1}}"#
    let before = Self.catalog([named.replacingOccurrences(of: "X", with: "caf\u{E9}")])
    let after = Self.catalog([named.replacingOccurrences(of: "X", with: "cafe\u{301}")])
    let made = try CatalogPatch(reading: try Self.patch(before, after).bytes)
      .applied(to: try Catalog(reading: before.utf8))
    #expect(made.canonicalJSON() == (try Catalog(reading: after.utf8)).canonicalJSON())
    #expect(made.canonicalJSON() != (try Catalog(reading: before.utf8)).canonicalJSON())
  }

  /// A duplicate id is an error in either catalog.
  @Test func duplicateIdsAreRejected() throws {
    let once = Self.catalog([Self.image("a", 0)])
    for lines in [["a", "a"], ["new", "a", "new"]] {
      let twice = Self.catalog(lines.map { Self.image($0, 1) })
      let error = #expect(throws: OutputToolError.self) { try Self.patch(once, twice) }
      #expect("\(error.map { "\($0)" } ?? "")".contains("duplicate id"), "\(lines)")
    }
    let twice = Self.catalog([Self.image("a", 1), Self.image("a", 1)])
    #expect(throws: OutputToolError.self) { try Self.patch(twice, once) }
  }

  /// An image with as many members as a line of a manifest may have is compared in linear time.
  @Test func manyMembersAreComparedQuickly() throws {
    let extra = (0..<60_000).map { "\"m\($0)\":\($0)" }.joined(separator: ",")
    func line(_ width: Int) -> String {
      #"{"id":"a","url":"u","status":"pending","width":\#(width),"height":1,"extra":{\#(extra)}}"#
    }
    let before = processorTime
    let report = try Self.patch(Self.catalog([line(1)]), Self.catalog([line(2)])).report
    #expect(report.changed == 1)
    // In quadratic time it would take three minutes.
    #expect(processorTime - before < .seconds(20))
  }

  /// Values may be nested as deeply in a patch as in a catalog.
  @Test func aPatchMayBeAsDeepAsACatalog() throws {
    func line(_ depth: Int) -> String {
      let (open, close) = (
        String(repeating: "[", count: depth), String(repeating: "]", count: depth)
      )
      return #"{"id":"a","url":"u","status":"ok","extra":\#(open)\#(close)}"#
    }
    let old = Self.catalog([line(1)])
    let new = Self.catalog([line(63)])
    let made = try CatalogPatch(reading: try Self.patch(old, new).bytes)
      .applied(to: try Catalog(reading: old.utf8))
    #expect(made == (try Catalog(reading: new.utf8)))
  }

  /// A patch for another catalog is rejected.
  @Test func aPatchForAnotherCatalogIsRejected() throws {
    let old = Self.catalog([Self.image("a", 0), Self.image("b", 1)])
    let new = Self.catalog([Self.image("a", 0), Self.image("b", 1), Self.image("c", 1)])
    let other = Self.catalog([Self.image("x", 0)])
    let patch = try CatalogPatch(reading: try Self.patch(old, new).bytes)
    #expect(throws: CatalogError.self) { try patch.applied(to: try Catalog(reading: other.utf8)) }
    for text in ["", "[]", "{", "{} x", "{\"images\":5}", "{\"images\":{}} {}"] {
      #expect(throws: CatalogError.self, "\(text)") {
        _ = try CatalogPatch(reading: text.utf8).applied(to: try Catalog(reading: old.utf8))
      }
    }
  }

  /// The examples of RFC 7396, appendix A.
  @Test(
    arguments: [
      (#"{"a":"b"}"#, #"{"a":"c"}"#, #"{"a":"c"}"#),
      (#"{"a":"b"}"#, #"{"b":"c"}"#, #"{"a":"b","b":"c"}"#), (#"{"a":"b"}"#, #"{"a":null}"#, "{}"),
      (#"{"a":"b","b":"c"}"#, #"{"a":null}"#, #"{"b":"c"}"#),
      (#"{"a":["b"]}"#, #"{"a":"c"}"#, #"{"a":"c"}"#),
      (#"{"a":"c"}"#, #"{"a":["b"]}"#, #"{"a":["b"]}"#),
      (#"{"a":{"b":"c"}}"#, #"{"a":{"b":"d","c":null}}"#, #"{"a":{"b":"d"}}"#),
      (#"{"a":[{"b":"c"}]}"#, #"{"a":[1]}"#, #"{"a":[1]}"#),
      (#"["a","b"]"#, #"["c","d"]"#, #"["c","d"]"#), (#"{"a":"b"}"#, #"["c"]"#, #"["c"]"#),
      (#"{"a":"foo"}"#, "null", "null"), (#"{"a":"foo"}"#, #""bar""#, #""bar""#),
      (#"{"e":null}"#, #"{"a":1}"#, #"{"e":null,"a":1}"#),
      (#"[1,2]"#, #"{"a":"b","c":null}"#, #"{"a":"b"}"#),
      ("{}", #"{"a":{"bb":{"ccc":null}}}"#, #"{"a":{"bb":{}}}"#),
    ])
  func patchesAreMergedAsInTheRFC(_ old: String, _ patch: String, _ new: String) throws {
    let parts = try [old, patch, new].map { try JSONParser.parse(Array($0.utf8)) }
    #expect(MergePatch.apply(parts[1], to: parts[0]) == parts[2])
    // And in the other direction, if a patch can express it.
    if let made = try? MergePatch.between(parts[0], parts[2]) {
      #expect(MergePatch.apply(made, to: parts[0]).isSame(as: parts[2]))
    }
  }

  /// Numbers as ECMAScript spells them (RFC 8785, appendix B).
  @Test(arguments: [
    "5e-324", "-5e-324", "1.7976931348623157e+308", "9007199254740992", "295147905179352830000",
    "9.999999999999997e+22", "1e+23", "999999999999999700000", "1e+21", "333333333.3333332",
    "0.000001", "1e-7", "1424953923781206.2", "0.1", "1.5", "123456.789",
  ])
  func numbersAreCanonical(_ spelling: String) throws {
    let number = try #require(Double(spelling))
    var catalog = try Catalog(reading: Self.catalog([Self.image("a", 1)]).utf8)
    catalog.images[0].extra = .number(number)
    let text = String(decoding: catalog.canonicalJSON(), as: UTF8.self)
    #expect(text.contains("\"extra\":\(spelling),"), "\(text)")
  }
}
