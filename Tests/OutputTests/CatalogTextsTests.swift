import TesseraBytes
import TesseraCatalog
import TesseraMemoryOutput
import TesseraOutput
import Testing

@Suite struct CatalogTextsTests {
  private static let head = #"""
    {"schema":"tessera-catalog/1","generator":{"name":"tessera","version":"0.1.0","libvips":"8.14.1"},"pipeline":{"name":"p","fingerprint":"f"},"formats":[],"slots":{},"scales":[1]}
    """#

  private static func image(alt: String) -> String {
    #"{"id":"a","url":"https://example.com/a","status":"failed","alt":"\#(alt)","slots":{},"#
      + #""error":{"code":"network","message":"Gone.","retryable":true}}"#
  }

  /// Each part is a request to a store, and a catalog may have a hundred megabytes.
  @Test func theHeadTakesOnePart() async throws {
    let output = MemoryOutput()
    let image = Self.image(alt: String(repeating: "x", count: 1 << 18))
    let document = CatalogDocument.document(Array(Self.head.utf8), [Array(image.utf8)]) {
      SHA256.of(Array($0))
    }
    try output.write("catalog.json", document)
    var texts = CatalogTexts("catalog.json", in: output)
    let head = try #require(try await texts.readHead())
    #expect(head.catalog.pipeline.name == "p")
    #expect(output.reads.map(\.bytes) == [1 << 16])
    // What was read is not lost.
    #expect(try await texts.next() == Array(image.utf8))
    #expect(try await texts.next() == nil)
  }
}
