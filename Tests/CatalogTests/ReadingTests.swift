import Foundation
import TesseraTestSupport
import Testing

@testable import TesseraCatalog

@Suite struct ReadingTests {
  private static let head = """
    {"schema":"tessera-catalog/1","generator":{"name":"tessera","version":"0.1.0","libvips":"8.14.1"},\
    "pipeline":{"name":"feed","fingerprint":"00"},"formats":[\
    {"type":"image/webp","extension":"webp","recipe":"0123456789abcdef"},\
    {"type":"image/png","extension":"png","recipe":"0123456789abcdef","fallback":true},\
    {"type":"image/jpeg","extension":"jpg","recipe":"0123456789abcdef","dynamicRange":"high"}],\
    "slots":{"card":{"width":180,"mode":"fit"}},"scales":[1,2]
    """

  private static let images = [
    #"{"id":"a","url":"https://a/ä\u00e4\ud83d\ude00\n.jpg","status":"ok","width":30,"height":40,"#
      + #""format":"jpeg","alpha":false,"animated":true,"frames":2,"warnings":["odd"],"#
      + ##""placeholder":{"color":"#010203","thumbhash":"AA","blurhash":"LL"},"##
      + #""source":"\#(CatalogFixture.source("a"))","variants":[{"width":30,"height":40,"#
      + #""crop":"89bf241d","fallback":"webp-size-limit","bytes":[9,null,7],"#
      + #""urls":[null,"https://s/ä"],"stills":[1],"original":{"url":"https://o","type":"image/gif","#
      + #""bytes":5},"headroom":2,"sha256":["ab",null,"cd"],"quality":[71,null,72],"#
      + #""score":[69,null,-3]}],"slots":{"card":{"width":180,"height":240,"variants":[0,0]}},"#
      + #""provenance":{"url":"u","bytes":1,"sha256":"ef","width":40,"height":30,"#
      + #""orientation":6,"colourSpace":"rgb","profile":"sRGB","etag":"e","lastModified":"l","#
      + #""robots":"noindex"},"extra":{"n":[1,2.5,-3e2,null,true,false,"x",{}]},"later":{"a":[{}]}}"#,
    #"{"id":"b","url":"u","status":"failed","error":{"code":"http-status","message":"m","#
      + #""retryable":true},"slots":{"card":{}}}"#,
    #"{ "id" : "c" , "url" : "u" , "status" : "stale" , "width" : null , "variants" : [ ] }"#,
  ]

  private static let json = document(images)

  private static func document(_ lines: [String], _ members: String = "") -> String {
    String(
      decoding: CatalogFixture.document(lines, head: head + members), as: UTF8.self)
  }

  /// Files have their names, and all other members what is written, whatever the size of the pieces.
  @Test(arguments: [1, 2, 7, 100, 100_000])
  func aCatalogIsReadInAnyPieces(_ size: Int) throws {
    let expected = try Catalog(reading: Self.json.utf8)
    #expect(expected.images.map(\.id) == ["a", "b", "c"])
    let image = expected.images[0]
    #expect(image.url == "https://a/ää😀\n.jpg" && image.provenance?.robots == "noindex")
    #expect(image.extra?["n"]?.arrayValue?[1].numberValue == 2.5)
    func path(_ format: CatalogFormat) -> String {
      CatalogFixture.path(30, 40, crop: "89bf241d", format)
    }
    #expect(
      image.variants == [
        CatalogVariant(
          width: 30, height: 40, crop: "89bf241d", fallback: "webp-size-limit",
          files: [
            .init(
              format: 0, path: path(expected.formats[0]), type: "image/webp", bytes: 9,
              sha256: "ab", quality: 71, score: 69),
            .init(format: 1, url: "https://s/ä", type: "image/png", isStill: true),
            .init(format: nil, url: "https://o", type: "image/gif", bytes: 5),
          ],
          highDynamicRangeFile: .init(
            format: 2, path: path(expected.formats[2]), type: "image/jpeg", bytes: 7,
            sha256: "cd", quality: 72, score: -3), headroom: 2)
      ])
    #expect(expected.images[1].slots == ["card": CatalogSlotUse(width: nil, height: nil)])
    var reader = CatalogReader()
    var images: [CatalogImage] = []
    let bytes = Array(Self.json.utf8)
    for start in stride(from: 0, to: bytes.count, by: size) {
      reader.add(bytes[start..<min(start + size, bytes.count)])
      while let image = try reader.next() { images.append(image) }
    }
    try reader.finish()
    #expect(images == expected.images)
    #expect(reader.head?.scales == [1, 2])
  }

  /// What other tools make of a catalog, re-indented or minified, is another document, and the message says so.
  @Test(
    .faults(.c13),
    arguments: [
      ["--indent", "4"], ["--compact"], ["--tab", "--sort-keys"], ["--no-indent", "--sort-keys"],
    ])
  func aReformattedCatalogIsAnotherDocument(_ options: [String]) async throws {
    let folder = try TemporaryFolder()
    let path = try folder.write(Self.json, to: "catalog.json")
    let result = try await Tool.run("/usr/bin/python3", ["-m", "json.tool"] + options + [path])
    try #require(result.status == 0, "\(result.errors)")
    let error = #expect(throws: CatalogError.self) { try Catalog(reading: result.output.utf8) }
    #expect(
      error?.message.hasSuffix(
        "a catalog that was re-indented, minified or edited is another document: use the file as Tessera wrote it"
      ) == true)
  }

  /// A catalog that is cut off anywhere is rejected.
  @Test func aCatalogThatIsCutOffIsRejected() throws {
    let bytes = Array(Self.json.utf8)
    for count in 0..<bytes.count {
      #expect(throws: CatalogError.self, "\(count)") { try Catalog(reading: bytes[..<count]) }
    }
  }

  /// A catalog that states how many images it has is rejected with fewer or more.
  @Test(.faults(.c14)) func aCatalogWithoutSomeOfItsImagesIsRejected() throws {
    for stated in 0...4 {
      let text = Self.json.replacing("\"count\":3", with: "\"count\":\(stated)")
      if stated == 3 {
        #expect(try Catalog(reading: text.utf8).images.count == 3)
        continue
      }
      let error = try #require(throws: CatalogError.self) { try Catalog(reading: text.utf8) }
      #expect(error.message == "the catalog has 3 of its \(stated) images")
    }
  }

  /// With any bytes changed, reading ends with a catalog or an error, never with a trap.
  @Test func changedBytesNeverTrap() {
    var generator = SplitMix(seed: 4)
    let bytes = Array(Self.json.utf8)
    for _ in 0..<5_000 {
      var copy = bytes
      for _ in 0..<Int.random(in: 1...4, using: &generator) {
        copy[Int.random(in: 0..<copy.count, using: &generator)] = UInt8.random(
          in: 0...255, using: &generator)
      }
      guard
        let index = try? CatalogIndex(
          reading: copy, accepting: SupportedTypes.everywhere, from: "https://example.com/c.json")
      else { continue }
      for image in index.images {
        _ = index.image(image.id)?.file(for: "card", scale: 2)
        _ = image.frame(in: "card")
        _ = image.file(for: CatalogBox(width: 100, height: 100, mode: .clip), scale: 3)
        _ = image.frame(in: CatalogBox(width: nil, height: .greatestFiniteMagnitude))
      }
    }
  }

  /// The line of an image, and the error that it is.
  @Test(
    arguments: [
      ("{\"id\":\"a\"}", "column 1: images[0]: \"status\" is missing"),
      (
        "{\"id\":\"a\",\"url\":\"u\",\"status\":\"new\"}",
        "column 30: images[0].status: expected one of \"ok\", \"stale\", \"failed\", \"pending\", "
          + "found \"new\""
      ),
      (
        "{\"id\":\"a\",\"url\":\"u\",\"status\":\"ok\",\"variants\":[{\"width\":\"wide\"}]}",
        "column 56: images[0].variants[0].width: expected a whole number, found \"wide\""
      ),
      (
        "{\"id\":\"a\",\"url\":\"u\",\"status\":\"ok\",\"width\":1.5}",
        "column 43: images[0].width: expected a whole number, found 1.5"
      ),
      (
        "{\"id\":\"a\",\"url\":\"u\",\"status\":\"ok\",\"id\":\"b\"}",
        "column 35: images[0].id: duplicate member \"id\""
      ),
      (
        "{\"id\":\"a\",\"later\":1,\"url\":\"u\",\"later\":2}",
        "column 31: images[0].later: duplicate member \"later\""
      ),
      (
        "{\"extra\":{\"a\":[{\"b\":1,\"b\":2}]}}",
        "column 23: images[0].extra.a[0].b: duplicate member \"b\""
      ),
      (
        "{\"id\":\"a\",\"url\":\"u\",\"status\":\"ok\",\"width\":007}",
        "column 43: images[0].width: expected a whole number, found 007"
      ),
      (
        "{\"variants\":[{\"bytes\":[1],\"width\":1}]}",
        "column 14: images[0].variants[0]: \"height\" is missing"
      ),
      (
        "{\"id\":\"a\",\"status\":\"ok\",\"variants\":[{\"width\":1,\"height\":1,\"bytes\":[1]}]}",
        "column 1: images[0]: \"source\" is missing"
      ),
    ])
  func errorsStatePlaceMemberAndReason(_ line: String, _ expected: String) {
    do {
      _ = try Catalog(reading: Self.document([line]).utf8)
      Issue.record("\(line) was read")
    } catch {
      #expect("\(error)" == "line 2, " + expected)
    }
  }

  @Test(
    arguments: [
      (
        ",\"scales\":[1]", "scales: duplicate member \"scales\""
      ),
      (",5:1", "expected a member's name in quotes, found \"5\""),
      (",\"x\" :true\"y\"", "expected \",\" or \"}\", found \"\"\""),
      (
        ",\"parts\":[\"screens/feed/first.json\"]",
        "parts[0]: expected a path such as screens/feed/3f9c….json, found \"screens/feed/first.json\""
      ),
      (
        ",\"baseURL\":\"ftp://a/\"",
        "baseURL: expected a URL that begins with http:// or https://, or one without a scheme, found \"ftp://a/\""
      ),
    ])
  func errorsOfTheHead(_ members: String, _ expected: String) {
    do {
      _ = try Catalog(reading: Self.document([], members).utf8)
      Issue.record("\(members) was read")
    } catch {
      #expect("\(error)".hasSuffix(expected), "\(error)")
    }
  }

  @Test func anotherVersionIsSaid() {
    let text = Self.json.replacing("tessera-catalog/1", with: "tessera-catalog/2")
    let error = #expect(throws: CatalogError.self) { try Catalog(reading: text.utf8) }
    #expect(
      error?.description
        == "line 1, column 1: schema: expected \"tessera-catalog/1\", the only version that this library reads, "
        + "found \"tessera-catalog/2\"")
  }

  /// Unusual values in `extra` do not make a catalog unreadable. Invalid JSON does.
  @Test func unusualExtraValuesAreAccepted() throws {
    func read(_ extra: [UInt8]) throws(CatalogError) -> CatalogValue? {
      let before = "{\"id\":\"a\",\"url\":\"u\",\"status\":\"ok\",\"extra\":"
      return try CatalogImage(reading: Array(before.utf8) + extra + Array("}".utf8), []).extra
    }
    #expect(try read(Array("1e400".utf8)) == .number(.greatestFiniteMagnitude))
    #expect(try read(Array("-1e400".utf8)) == .number(-.greatestFiniteMagnitude))
    #expect(try read(Array("[-0,1E2,0.5,12345678901234567890]".utf8))?.arrayValue?.count == 4)
    #expect(try read(Array("null".utf8)) == .null)
    for text in ["01", "+1", "1.", ".5", "1e", "--1", "-", "0x1"] {
      #expect(throws: CatalogError.self, "\(text)") { try read(Array(text.utf8)) }
    }
    #expect(throws: CatalogError.self) { try read([0x22, 0xF0, 0x9F, 0x98, 0x22]) }
  }

  /// Ids are compared by their bytes, not by canonical equivalence.
  @Test func idsAreTheirBytes() throws {
    var catalog = try Catalog(reading: Self.json.utf8)
    catalog.images = ["caf\u{E9}", "cafe\u{301}"].map { CatalogImage(id: $0, status: .failed) }
    let images = try CatalogIndex(catalog, accepting: [], from: "https://example.com/c.json").images
    #expect(images.firstIndex(of: "caf\u{E9}") == 0)
    #expect(images.firstIndex(of: "cafe\u{301}") == 1)
  }

  /// Each byte is examined once, however small the pieces are.
  @Test func aLongLineIsReadOnce() throws {
    let long = String(repeating: "x", count: 4_000_000)
    let text = Self.document(
      [Self.images[1], #"{"id":"c","status":"failed","alt":"\#(long)"}"#], ",\"later\":\"\(long)\"")
    let before = processorTime
    var reader = CatalogReader()
    let bytes = Array(text.utf8)
    var count = 0
    for start in stride(from: 0, to: bytes.count, by: 4_096) {
      reader.add(bytes[start..<min(start + 4_096, bytes.count)])
      while try reader.next() != nil { count += 1 }
    }
    try reader.finish()
    #expect(count == 2)
    // Once takes less than a second here; once per piece would take minutes.
    #expect(processorTime - before < .seconds(20))
  }

  /// Deep nesting is an error and does not exhaust the stack.
  @Test func deepNestingIsRejected() {
    let deep = String(repeating: "[", count: 100_000) + String(repeating: "]", count: 100_000)
    let line = "{\"id\":\"a\",\"url\":\"u\",\"status\":\"ok\",\"extra\":\(deep)}"
    #expect(throws: CatalogError.self) { try CatalogImage(reading: Array(line.utf8), []) }
  }
}

/// The form of files' paths.
@Suite struct FileNameTests {
  private static let folder = "variants/3f/9c"
  private static let source = "3f9c0a1b2c3d4e5f60718293a4b5c6d7"
  private static let recipe = "8c22d4e6f8091a2b"

  @Test(arguments: [
    "\(source)-192x256-\(recipe).webp", "\(source)-1x1-\(recipe).jpg",
    "\(source)-16383x10000000-\(recipe).jxl", "\(source)-192x256-5b1d04e9-\(recipe).webp",
  ])
  func pathsThatRunsMake(_ name: String) {
    #expect(FileName.path(name: name) == "\(Self.folder)/\(name)")
    #expect(FileName.parts(of: "\(Self.folder)/\(name)") != nil)
  }

  @Test(
    .faults(.c16),
    arguments: [
      "", "variants/3f/9c/", "variants/3f/9c/\(source)-1x1-\(recipe).",
      "variants/3f/9c/\(source)-1x1-\(recipe)", "variants/3f/9c/\(source)-1x-\(recipe).webp",
      "variants/3f/9c/\(source)-x1-\(recipe).webp", "variants/3f/9c/\(source)-1x1-\(recipe).we/bp",
      "variants/3f/9c/\(source)-1x1-\(recipe).webp/",
      "variants/3f/9c/\(source)-1x1-\(recipe).webp.jpg",
      "variants/3f/9c/\(source)-1x1x1-\(recipe).webp", "variants/3f/9c/\(source)-1x1.webp",
      "variants/3f/9c/\(source)-1x1--\(recipe).webp",
      "variants/3f/9c/\(source)-1x1-5b1d04e-\(recipe).webp",
      "variants/3f/9c/\(source)-1x1-5b1d04e9a-\(recipe).webp",
      "variants/3f/9c/\(source)-1x1-5B1D04E9-\(recipe).webp",
      "variants/3f/9c/\(source)-1x1-5b1d04e9-5b1d04e9-\(recipe).webp",
      "variants/3f/9c/\(source)-1x1-\(recipe.dropLast()).webp",
      "variants/3f/9c/\(source)-1x1-\(recipe)0.webp",
      "variants/3f/9c/\(source)-1x1-\(recipe.uppercased()).webp",
      "Variants/3f/9c/\(source)-1x1-\(recipe).webp", "/variants/3f/9c/\(source)-1x1-\(recipe).webp",
      "variants/3f/9c/\(source.dropLast())-1x1-\(recipe).webp",
      "variants/3f/9c/\(source)a-1x1-\(recipe).webp", "variants/3f/9c/\(source)-1x1-\(recipe).WEBP",
      "variants/3f/9c/\(source)-1234567890x1-\(recipe).webp",
      "../3f/9c/\(source)-1x1-\(recipe).webp",
      "variants/3f/9c/\(source)-1x1-\(recipe).webp\u{301}",
      "variants/3f/\u{301}9c/\(source)-1x1-\(recipe).webp",
      "variants/3f/9c/\(source)-1x1-\(recipe).abcdefghij",
    ])
  func otherPaths(_ path: String) { #expect(FileName.parts(of: path) == nil) }
}
