import TesseraCatalog
import Testing

/// Patches as an app applies them; `DiffTests` tests those that `tessera diff` writes.
@Suite struct PatchTests {
  private static let old = """
    {"schema":"tessera-catalog/1","generator":{"name":"tessera","version":"0.1.0","libvips":"8.14.1"},
    "pipeline":{"name":"feed","fingerprint":"00"},"baseURL":"https://cdn.example.com/",
    "slots":{"card":{"width":180,"mode":"fit"}},"scales":[1],"images":[
    {"id":"a","url":"u","status":"failed","error":{"code":"c","message":"m","retryable":true}},
    {"id":"b","url":"u","status":"ok","width":30,"height":40},
    {"id":"c","url":"u","status":"pending"}]}
    """

  private static func patched(_ patch: String) throws -> Catalog {
    try CatalogPatch(reading: patch.utf8).applied(to: try Catalog(reading: old.utf8))
  }

  private static func message(_ patch: String) -> String {
    do {
      return "\(try patched(patch).images.map(\.id))"
    } catch {
      return (error as? CatalogError)?.message ?? "\(error)"
    }
  }

  @Test func nullRemovesMembersAndImages() throws {
    let new = try Self.patched(
      #"{"baseURL":null,"images":{"a":{"status":"ok","error":null,"next":"c"},"b":null}}"#)
    #expect(new.baseURL == nil)
    #expect(new.images.map(\.id) == ["a", "c"])
    #expect(new.images[0].status == .ok)
    #expect(new.images[0].error == nil)
    #expect(
      try Self.patched(#"{"first":null,"images":{"a":null,"b":null,"c":null}}"#).images.isEmpty)
  }

  @Test func nextAndFirstAreTheOrder() throws {
    #expect(
      Self.message(
        #"{"first":"c","images":{"c":{"next":"n"},"n":{"url":"v","status":"pending","next":"a"},"#
          + #""b":{"next":null}}}"#)
        == #"["c", "n", "a", "b"]"#)
  }

  /// Each would lose images or show them in a wrong order.
  @Test(arguments: [
    // "b" and "c" are left over.
    (
      #"{"images":{"a":{"next":null}}}"#,
      "2 have no place in the order; the patch is for another catalog"
    ),
    (#"{"first":"b"}"#, "1 have no place in the order; the patch is for another catalog"),
    (#"{"first":"x"}"#, "\"x\" is missing; the patch is for another catalog"),
    (#"{"images":{"b":null}}"#, "\"b\" is missing; the patch is for another catalog"),
    (
      #"{"images":{"c":{"next":"a"}}}"#, "\"a\" is missing; the patch is for another catalog"
    ),
    (#"{"images":{"a":{"url":"v"},"a":{"url":"w"}}}"#, "duplicate member \"a\""),
    (#"{"images":{"a":{"status":null}}}"#, "\"status\" is missing"),
    (#"{"pipeline":null}"#, "the patch removes it"),
  ])
  func rejectsWhatIsNoPatchForTheCatalog(_ patch: String, _ message: String) {
    #expect(Self.message(patch) == message)
  }
}
