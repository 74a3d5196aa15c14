import Foundation
import TesseraCatalog
import TesseraJSON
import TesseraTestSupport
import Testing

@Suite struct WritingTests {
  /// The members of `images[0]` in the order of the file, with each optional member present.
  private static let full =
    #"{"id":"a","url":"u","status":"stale","width":30,"height":40,"format":"jpeg","alpha":false,"#
    + #""animated":true,"frames":2,"error":{"code":"timeout","message":"m \u007f","retryable":true},"#
    + ##""warnings":["odd"],"placeholder":{"color":"#010203","thumbhash":"AA","blurhash":"LL","##
    + #""lqip":"data:,"},"variants":[{"path":"variants/aa/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa-1x1.webp","type":"image/webp","width":30,"height":40,"#
    + #""bytes":9,"sha256":"ab","quality":71,"score":69,"fallback":"webp-size-limit","also":[{"path":"variants/bb/bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb-1x1.webp","type":"image/png","#
    + #""bytes":7,"sha256":"cd","quality":72,"score":-3,"fallback":"x","dynamicRange":"high","headroom":2}]}],"slots":{"b":{"width":1,"height":2,"#
    + #""variants":[0,0]},"a":{"width":1,"height":2,"variants":[]}},"source":{"url":"u","bytes":1,"#
    + #""sha256":"ef","width":40,"height":30,"orientation":6,"colourSpace":"rgb","profile":"p","#
    + #""etag":"e","lastModified":"l","robots":"r"},"extra":{"z":1.10,"a":[1e2,null]}}"#
  private static let failed =
    #"{"id":"b","url":"u","status":"failed","error":{"code":"c","message":"m","retryable":false}}"#
  private static let pending = #"{"id":"c","url":"u","status":"pending","variants":[],"slots":{}}"#
  private static let head =
    #"{"schema":"tessera-catalog/1","generator":{"name":"tessera","version":"0.1.0","#
    + #""libvips":"8.14.1"},"pipeline":{"name":"feed","fingerprint":"00"},"baseURL":"https://a/","#
    + #""slots":{"z":{"width":1,"mode":"fit"},"a":{"height":2,"mode":"fill"},"#
    + #""m":{"width":1,"height":2,"mode":"clip"}},"scales":[1,2]}"#

  /// Reads a catalog of JSON Lines and writes each line again.
  private static func rewritten(_ lines: [String]) throws -> [String] {
    let catalog = try Catalog(reading: lines.joined(separator: "\n").utf8)
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
      #""b":{"width":1,"height":2,"variants":[0,0]},"a":{"width":1,"height":2,"variants":[]}"#,
      with:
        #""a":{"width":1,"height":2,"variants":[]},"b":{"width":1,"height":2,"variants":[0,0]}"#)
    #expect(written == expected)
  }

  /// A catalog that a run wrote is written again byte for byte.
  @Test func theGoldenCatalogIsWrittenAgainExactly() throws {
    let path = Places.root.appending(path: "Tests/CommandTests/Golden/catalog.json")
    let text = try String(contentsOf: path, encoding: .utf8)
    var lines = text.split(separator: "\n").dropLast().map { line in
      String(line.hasSuffix(",") ? line.dropLast() : line)
    }
    lines[0] = lines[0].replacing(/,"count":[0-9]+,"digest":"D","images":\[/, with: "}")
    try #require(lines.count > 1)
    #expect(try Self.rewritten(lines) == lines)
  }

  /// A failed image has no variants in any form that is written (`catalog.schema.json`).
  @Test func aFailedImageIsWrittenWithoutVariants() throws {
    let image = CatalogImage(id: "b", url: "u", status: .failed)
    let encoded = String(decoding: try JSONEncoder().encode(image), as: UTF8.self)
    #expect(!encoded.contains("variants") && !encoded.contains("slots"), "\(encoded)")
    #expect(try JSONDecoder().decode(CatalogImage.self, from: Data(encoded.utf8)) == image)
  }

  /// Nothing is lost of a catalog that another program wrote.
  @Test func aFailedImageKeepsWhatItHas() throws {
    let variant = CatalogVariant(url: "https://a", type: "image/webp", width: 1, height: 2)
    let use = CatalogSlotUse(width: 1, height: 2, variants: [])
    for (variants, slots) in [([variant], [:]), ([], ["a": use])] {
      let image = CatalogImage(id: "b", status: .failed, variants: variants, slots: slots)
      let encoded = try JSONEncoder().encode(image)
      #expect(try JSONDecoder().decode(CatalogImage.self, from: encoded) == image)
      let text = String(decoding: encoded, as: UTF8.self)
      #expect(text.contains("variants") && text.contains("slots"))
    }
  }
}
