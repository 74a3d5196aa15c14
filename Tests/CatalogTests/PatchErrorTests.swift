import TesseraTestSupport
import Testing

@testable import TesseraCatalog

/// Patches (RFC 7396) of the keyed form of a catalog: what they change, and what they are refused
/// for.
@Suite struct PatchErrorTests {
  private static var catalog: Catalog {
    var images = ["a", "b", "c"].map { CatalogImage(id: $0, status: .pending) }
    images[0].extra = .object(["x": .null, "y": .integer(1)])
    images[0].variants = [CatalogVariant(url: "https://a", type: "t", width: 1, height: 2)]
    return CatalogFixture.catalog(images)
  }

  private static func applied(_ patch: String, digest: String? = nil) throws -> Catalog {
    var catalog = catalog
    catalog.digest = digest
    return try CatalogPatch(reading: patch.utf8).applied(to: catalog)
  }

  private static func error(_ patch: String, digest: String? = nil) -> String {
    do {
      return "\(try applied(patch, digest: digest).images.map(\.id))"
    } catch {
      return "\(error)"
    }
  }

  @Test func anEmptyPatchChangesNothing() throws {
    #expect(try Self.applied("{}") == Self.catalog)
    #expect(try Self.applied(" {\"from\":\"x\",\"to\":\"y\"} ") == Self.catalog)
    let patch = try CatalogPatch(reading: "{\"to\":\"y\",\"from\":\"x\"}".utf8)
    #expect(patch.from == "x" && patch.to == "y")
  }

  @Test func membersAreMerged() throws {
    var expected = Self.catalog
    expected.baseURL = "https://b/"
    expected.scales = [3]
    expected.digest = "d"
    expected.slots = [
      "card": .init(width: 9, height: nil, mode: .fit),
      "x": .init(width: nil, height: 1, mode: .clip),
    ]
    let members =
      #""baseURL":"https://b/","scales":[3],"digest":"d","slots":{"card":{"width":9},"#
      + #""x":{"height":1,"mode":"clip"}}"#
    #expect(try Self.applied("{\(members)}") == expected)
    expected.images[0].extra = .integer(5)
    expected.images[0].url = "u"
    expected.images[1].placeholder = CatalogPlaceholder(color: "#010203")
    let images =
      ##""images":{"a":{"extra":[5],"url":"u"},"b":{"placeholder":{"color":"#010203"}}}"##
    #expect(try Self.applied("{\(members),\(images)}") == expected)
    // A value is replaced by an object, and an object by a value.
    expected.images[0].extra = nil
    expected.images[0].url = nil
    #expect(
      try Self.applied(
        "{\(members),\(images.replacing("[5]", with: "null").replacing("\"u\"", with: "null"))}")
        == expected)
  }

  @Test func countsAreChecked() {
    #expect(Self.error(#"{"count":3}"#) == #"["a", "b", "c"]"#)
    #expect(
      Self.error(#"{"count":2}"#).hasSuffix("images: 3 of 2; the patch is for another catalog"))
    #expect(Self.error(#"{"count":1,"images":{"a":{"next":null},"b":null,"c":null}}"#) == #"["a"]"#)
    #expect(Self.error(#"{"first":"b","images":{"a":null}}"#) == #"["b", "c"]"#)
  }

  @Test func aPatchIsForOneCatalog() {
    let (from, digest) = (String(repeating: "a", count: 64), String(repeating: "b", count: 64))
    #expect(Self.error("{\"from\":\"\(from)\"}", digest: from) == #"["a", "b", "c"]"#)
    #expect(Self.error("{\"from\":\"\(from)\"}") == #"["a", "b", "c"]"#)
    #expect(Self.error("{}", digest: digest) == #"["a", "b", "c"]"#)
    #expect(
      Self.error("{\"from\":\"\(from)\"}", digest: digest)
        == "line 1, column 1: from: the patch is for the catalog aaaaaaaaaaaa…, and this one "
        + "is bbbbbbbbbbbb…")
    var doubled = Self.catalog
    doubled.images.append(doubled.images[0])
    #expect(
      throws: CatalogError(line: 1, column: 1, member: "images", message: "duplicate id \"a\"")
    ) {
      try CatalogPatch(reading: "{}".utf8).applied(to: doubled)
    }
  }

  @Test(arguments: [
    ("[]", "line 1, column 1: expected an object, found ["),
    ("{} {}", "line 1, column 4: expected nothing after the patch"),
    (#"{"from":1}"#, "line 1, column 9: from: expected a string, found 1"),
    (#"{"images":[]}"#, "line 1, column 11: images: expected an object, found ["),
    (#"{"images":{"a":1}}"#, "line 1, column 1: images.a: expected an object"),
    (#"{"images":{"x":{}}}"#, "line 1, column 1: images.x: \"status\" is missing"),
    (
      #"{"images":{"a":{"status":"new"}}}"#,
      #"line 1, column 1: images.a.status: expected one of "ok", "stale", "failed", "pending", "#
        + #"found "new""#
    ),
    (
      #"{"images":{"a":{"variants":[{"path":"../x","type":"t","width":1,"height":1}]}}}"#,
      "line 1, column 1: images.a.variants[0].path: expected a path such as "
        + "variants/3f/3f9c…-192x256.webp, found \"../x\""
    ),
    (#"{"scales":null}"#, "line 1, column 1: scales: the patch removes it"),
    (
      #"{"images":{"b":{"next":"b"}}}"#,
      "line 1, column 1: images: \"b\" is missing; the patch is for another catalog"
    ),
    (
      #"{"first":null}"#,
      "line 1, column 1: images: 3 have no place in the order; the patch is for another catalog"
    ),
  ])
  func errorsAreWhole(_ patch: String, _ expected: String) {
    #expect(Self.error(patch) == expected)
  }

  /// Ids are their bytes, also in a patch.
  @Test func idsAreTheirBytes() throws {
    let (one, other) = ("caf\u{E9}", "cafe\u{301}")
    let new = try Self.applied(
      "{\"images\":{\"c\":{\"next\":\"\(one)\"},\"\(one)\":{\"status\":\"ok\","
        + "\"next\":\"\(other)\"},\"\(other)\":{\"status\":\"pending\"}}}")
    #expect(
      new.images.map { Array($0.id.utf8) } == ["a", "b", "c", one, other].map { Array($0.utf8) })
    #expect(new.images.map(\.status) == [.pending, .pending, .pending, .ok, .pending])
  }

  /// The app's data may nest as deep in a patch as in a catalog.
  @Test func extraNestsAsDeepAsInACatalog() {
    func accepts(_ depth: Int) -> (catalog: Bool, patch: Bool) {
      let value = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
      let image = "{\"id\":\"d\",\"status\":\"ok\",\"extra\":\(value)}"
      let catalog = "\(CatalogFixture.head)}\n\(image)"
      let patch =
        "{\"images\":{\"c\":{\"next\":\"d\"},\"d\":{\"status\":\"ok\",\"extra\":[\(value)]}}}"
      return ((try? Catalog(reading: catalog.utf8)) != nil, (try? Self.applied(patch)) != nil)
    }
    expectMost(64) { accepts($0).catalog }
    expectMost(64) { accepts($0).patch }
  }
}
