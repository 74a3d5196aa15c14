import Foundation
import Testing

@testable import TesseraCatalog

@Suite struct CatalogTests {
  @Test func isReadByAnApp() throws {
    let source = CatalogFixture.source("p1")
    let head = CatalogFixture.head + #","baseURL":"https://cdn.example.com/","later":true"#
    let images = [
      #"{"id":"p1","url":"https://a/1.jpg","status":"ok","width":300,"height":400,"format":"jpeg","#
        + #""alpha":false,"animated":false,"frames":1,"source":"\#(source)","#
        + #""variants":[{"width":192,"height":256,"bytes":[10]},{"width":300,"height":400,"bytes":[20]}],"#
        + #""slots":{"card":{"width":180,"height":240,"variants":[0,1]}},"extra":{"any":1}}"#,
      #"{"id":"p2","url":"https://a/2.jpg","status":"failed","slots":{"card":{}},"#
        + #""error":{"code":"http-status","message":"The server answered 404 Not Found.","#
        + #""retryable":false}}"#,
    ]
    let catalog = try Catalog(reading: CatalogFixture.document(images, head: head))
    #expect(catalog.images.map(\.status) == [.ok, .failed])
    let image = catalog.images[0]
    #expect(image.aspectRatio == 0.75)
    #expect(
      image.variants
        == [(192, 256, 10), (300, 400, 20)].map {
          CatalogFixture.variant($0, $1, of: source, bytes: $2)
        })
    let widths = [0.5, 1, 1.5, 2, 3, 4].map { scale in
      image.variant(for: "card", scale: scale, in: catalog)?.width
    }
    #expect(widths == [192, 192, 300, 300, 300, 300])
    #expect(image.variant(for: "hero", scale: 1, in: catalog) == nil)
    #expect(catalog.images[1].variant(for: "card", scale: 1, in: catalog) == nil)
    #expect(
      catalog.images[1].layout(in: "card", of: catalog)?.box == CatalogSize(width: 180, height: 180)
        && catalog.images[1].slots.count == 1)
    #expect(catalog.images[1].aspectRatio == nil)
    #expect(catalog.images[1].error?.code == "http-status")
    let (document, stated) = CatalogFixture.document(catalog)
    #expect(try Catalog(reading: document) == stated)
  }
}
