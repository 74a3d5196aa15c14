import Foundation
import TesseraCatalog
import TesseraJSON
import TesseraTestSupport
import Testing

@Suite struct WritingTests {
  private static let source = CatalogFixture.source("a")

  /// The members of `images[0]` in the order of the file, with each optional member present.
  private static let full =
    #"{"id":"a","url":"u","status":"stale","width":30,"height":40,"format":"jpeg","alpha":false,"#
    + #""animated":true,"frames":2,"error":{"code":"timeout","message":"m \u007f","retryable":true},"#
    + ##""warnings":["odd"],"placeholder":{"color":"#010203","thumbhash":"AA","blurhash":"LL","##
    + #""css":7},"source":"\#(source)","variants":[{"width":30,"height":40,"#
    + #""crop":"89bf241d","fallback":"webp-size-limit","bytes":[9,null,7],"#
    + #""urls":[null,"https://s/"],"stills":[1],"original":{"url":"https://o/","type":"image/gif"},"#
    + #""headroom":2,"sha256":["ab",null,"cd"],"quality":[71],"score":[69]},"#
    + #"{"width":60,"height":80,"bytes":[null,12]}],"slots":{"b":{"width":1,"height":2,"#
    + #""variants":[0,0]},"a":{"width":1,"height":2}},"provenance":{"url":"u","bytes":1,"#
    + #""sha256":"ef","width":40,"height":30,"orientation":6,"colourSpace":"rgb","profile":"p","#
    + #""etag":"e","lastModified":"l","robots":"r"},"extra":{"z":1.10,"a":[1e2,null]}}"#
  private static let failed =
    #"{"id":"b","url":"u","status":"failed","error":{"code":"c","message":"m","retryable":false},"#
    + #""slots":{"a":{"width":1,"height":2},"b":{}}}"#
  private static let pending = #"{"id":"c","url":"u","status":"pending","slots":{}}"#
  private static let head =
    #"{"schema":"tessera-catalog/1","generator":{"name":"tessera","version":"0.1.0","#
    + #""libvips":"8.14.1"},"pipeline":{"name":"feed","fingerprint":"00"},"baseURL":"https://a/","#
    + #""formats":[{"type":"image/webp","extension":"webp","recipe":"0123456789abcdef"},"#
    + #"{"type":"image/png","extension":"png","recipe":"0123456789abcdef","fallback":true},"#
    + #"{"type":"image/jpeg","extension":"jpg","recipe":"0123456789abcdef","dynamicRange":"high"},"#
    + #"{"type":"image/avif"}],"#
    + #""slots":{"z":{"width":1,"mode":"fit"},"a":{"height":2,"mode":"fill"},"#
    + #""m":{"width":1,"height":2,"mode":"clip"}},"scales":[1,2]}"#

  /// Reads the document of a head and images, and writes both again.
  private static func rewritten(_ lines: [String]) throws -> [String] {
    var catalog = try Catalog(
      reading: CatalogFixture.document(
        Array(lines.dropFirst()), head: String(lines[0].dropLast())))
    catalog.digest = nil
    let slots = try JSONParser.parse(Array(lines[0].utf8))["slots"]
    var names: [String] = []
    if case .object(let members)? = slots { names = members.map(\.name) }
    var bytes = [catalog.headLine(slotNames: names)]
    for (image, line) in zip(catalog.images, lines.dropFirst()) {
      let (_, extra) = try JSONParser.parse(Array(line.utf8), keepingText: "extra")
      bytes.append(image.line(extra: extra))
    }
    return bytes.map { String(decoding: $0, as: UTF8.self) }
  }

  /// Slots in the head keep the order of the pipeline file, slots of an image are sorted, and `extra` is
  /// written as the manifest spells it.
  @Test func linesAreWrittenInTheOrderOfTheFile() throws {
    var expected = [Self.head, Self.full, Self.failed, Self.pending]
    let written = try Self.rewritten(expected)
    expected[1] = expected[1].replacing(
      #""b":{"width":1,"height":2,"variants":[0,0]},"a":{"width":1,"height":2}"#,
      with: #""a":{"width":1,"height":2},"b":{"width":1,"height":2,"variants":[0,0]}"#)
    #expect(written == expected)
  }

  /// A catalog that a run wrote is written again byte for byte.
  @Test func theGoldenCatalogIsWrittenAgainExactly() throws {
    let path = Places.root.appending(path: "Tests/CommandTests/Golden/catalog.json")
    let text = try String(contentsOf: path, encoding: .utf8)
    var lines = text.split(separator: "\n").dropLast().map { line in
      String(line.hasSuffix(",") ? line.dropLast() : line)
    }
    lines[0] = lines[0].replacing("{\"digest\":\"D\",", with: "{")
      .replacing(/,"count":[0-9]+,"images":\[$/, with: "}")
    try #require(lines.count > 1)
    #expect(try Self.rewritten(lines) == lines)
  }

  /// A failed image has no variants (`catalog.schema.json`), and its slots only what is known of their boxes.
  @Test func aFailedImageIsWrittenWithoutVariants() throws {
    let slots = [
      "a": CatalogSlotUse(width: 1, height: 2), "b": CatalogSlotUse(width: nil, height: nil),
    ]
    let image = CatalogImage(id: "b", url: "u", status: .failed, slots: slots)
    let line = image.line(extra: nil)
    #expect(
      String(decoding: line, as: UTF8.self)
        == #"{"id":"b","url":"u","status":"failed","slots":{"a":{"width":1,"height":2},"b":{}}}"#)
    #expect(try CatalogImage(reading: line, []) == image)
  }

  /// Nothing is lost of a catalog that another program wrote.
  @Test func aFailedImageKeepsWhatItHas() throws {
    let use = CatalogSlotUse(width: 1, height: 2, variants: [0, 0])
    let image = CatalogImage(
      id: "b", status: .failed, variants: [CatalogFixture.variant(1, 2)], slots: ["a": use],
      source: Self.source)
    #expect(try CatalogImage(reading: image.line(extra: nil), [CatalogFixture.webp]) == image)
  }
}
