import Foundation
import TesseraCatalog
import Testing

@Suite struct CatalogTests {
  static let json = """
    {"schema":"tessera-catalog/1","generator":{"name":"tessera","version":"0.1.0","libvips":"8.14.1"},
    "pipeline":{"name":"feed","fingerprint":"00"},"baseURL":"https://cdn.example.com/","later":true,
    "slots":{"card":{"width":180,"mode":"fit"}},"scales":[1,2,3],"images":[
    {"id":"p1","url":"https://a/1.jpg","status":"ok","width":300,"height":400,"format":"jpeg",
    "alpha":false,"animated":false,"frames":1,"variants":[
    {"path":"variants/aa/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa-1x1.webp","type":"image/webp","width":192,"height":256,"bytes":10},
    {"path":"variants/bb/bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb-1x1.webp","type":"image/webp","width":300,"height":400,"bytes":20}],
    "slots":{"card":{"width":180,"height":240,"variants":[0,1,1]}},"extra":{"any":1}},
    {"id":"p2","url":"https://a/2.jpg","status":"failed",
    "error":{"code":"http-status","message":"The server answered 404 Not Found.","retryable":false}}]}
    """

  @Test func isReadByAnAppWithJSONDecoder() throws {
    let catalog = try JSONDecoder().decode(Catalog.self, from: Data(Self.json.utf8))
    #expect(catalog.images.map(\.status) == [.ok, .failed])
    let image = catalog.images[0]
    #expect(image.aspectRatio == 0.75)
    let widths = [0.5, 1, 1.5, 2, 3, 4].map { scale in
      image.variant(for: "card", scale: scale, in: catalog)?.width
    }
    #expect(widths == [192, 192, 300, 300, 300, 300])
    #expect(image.variant(for: "hero", scale: 1, in: catalog) == nil)
    #expect(catalog.images[1].variant(for: "card", scale: 1, in: catalog) == nil)
    #expect(catalog.images[1].aspectRatio == nil)
    #expect(catalog.images[1].error?.code == "http-status")
    #expect(try Catalog(reading: Self.json.utf8) == catalog)
    let again = try JSONDecoder().decode(Catalog.self, from: try JSONEncoder().encode(catalog))
    #expect(again == catalog)
  }
}
