import Foundation
import Synchronization
import TesseraTestSupport
import Testing

@testable import TesseraCatalog

@Suite struct ReadingTests {
  private static let head = """
    {"schema":"tessera-catalog/1","generator":{"name":"tessera","version":"0.1.0","libvips":"8.14.1"},\
    "pipeline":{"name":"feed","fingerprint":"00"},"slots":{"card":{"width":180,"mode":"fit"}},\
    "scales":[1,2]
    """

  private static let images = [
    #"{"id":"a","url":"https://a/ä\u00e4\ud83d\ude00\n.jpg","status":"ok","width":30,"height":40,"#
      + #""format":"jpeg","alpha":false,"animated":true,"frames":2,"warnings":["odd"],"#
      + ##""placeholder":{"color":"#010203","thumbhash":"AA","blurhash":"LL","lqip":"data:,"},"##
      + #""variants":[{"path":"variants/aa/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa-1x1.webp","type":"image/webp","width":30,"height":40,"bytes":9,"#
      + #""fallback":"webp-size-limit","sha256":"ab","quality":71,"score":69,"also":[{"path":"variants/bb/bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb-1x1.webp","type":"image/png","#
      + #""bytes":7,"sha256":"cd","quality":72,"score":-3,"fallback":"x","dynamicRange":"high","headroom":2}]}],"slots":{"card":{"width":180,"height":240,"#
      + #""variants":[0,0]}},"source":{"url":"u","bytes":1,"sha256":"ef","width":40,"height":30,"#
      + #""orientation":6,"colourSpace":"rgb","profile":"sRGB","etag":"e","lastModified":"l","#
      + #""robots":"noindex"},"extra":{"n":[1,2.5,-3e2,null,true,false,"x",{}]},"later":{"a":[{}]}}"#,
    #"{"id":"b","url":"u","status":"failed","error":{"code":"http-status","message":"m","#
      + #""retryable":true}}"#,
    #" { "id" : "c" , "url" : "u" , "status" : "stale" , "width" : null , "variants" : [ ] } "#,
  ]

  private static let json =
    head + ",\"later\":[1],\"images\":[\n\(images.joined(separator: ",\n"))\n]}\n"
  private static let lines = head + "}\n\(images.joined(separator: "\n"))\n"

  /// Both forms decode to what Foundation's decoder returns, whatever the size of the pieces.
  @Test(arguments: [1, 2, 7, 100, 100_000])
  func bothFormsAreReadInAnyPieces(_ size: Int) throws {
    let expected = try JSONDecoder().decode(Catalog.self, from: Data(Self.json.utf8))
    #expect(expected.images.count == 3)
    #expect(expected.images[0].extra?["n"]?.arrayValue?[1].numberValue == 2.5)
    for text in [Self.json, Self.lines] {
      #expect(try Catalog(reading: text.utf8) == expected)
      var reader = CatalogReader()
      var images: [CatalogImage] = []
      let bytes = Array(text.utf8)
      for start in stride(from: 0, to: bytes.count, by: size) {
        reader.add(bytes[start..<min(start + size, bytes.count)])
        while let image = try reader.next() { images.append(image) }
      }
      try reader.finish()
      #expect(images == expected.images)
      #expect(reader.head?.scales == [1, 2])
    }
  }

  /// The canonical form is passed on while reading, with members that this version does not know, and
  /// without the number of images and the digest.
  @Test(arguments: [1, 100, 100_000])
  func theCanonicalFormIsHashedWhileReading(_ size: Int) throws {
    let counted = Self.head + ",\"later\":[1],\"digest\":\"ab\",\"count\":3"
    let texts = [
      Self.json, counted + ",\"images\":[\(Self.images.joined(separator: ","))]}",
      counted + "}\n\(Self.images.joined(separator: "\n"))\n",
    ]
    var forms: [[UInt8]] = []
    for text in texts {
      let form = Mutex<[UInt8]>([])
      var reader = CatalogReader { bytes in form.withLock { $0 += bytes } }
      let bytes = Array(text.utf8)
      for start in stride(from: 0, to: bytes.count, by: size) {
        reader.add(bytes[start..<min(start + size, bytes.count)])
        while try reader.next() != nil {}
      }
      try reader.finish()
      forms.append(form.withLock(\.self))
    }
    let text = String(decoding: forms[0], as: UTF8.self)
    #expect(
      forms[1] == forms[0] && forms[2] == forms[0],
      "\(forms.map { String(decoding: $0, as: UTF8.self) })")
    #expect(text.contains(#""extra":{"n":[1,2.5,-300,null,true,false,"x",{}]}"#), "\(text)")
    #expect(
      text.contains(#""images":[{"#) && text.contains(#"],"later":[1],"pipeline":"#), "\(text)")
  }

  /// The order of members has no meaning in JSON: the canonical form has the images before the schema.
  @Test func membersComeInAnyOrder() throws {
    let catalog = try Catalog(reading: Self.json.utf8)
    let canonical = catalog.canonicalJSON()
    #expect(try Catalog(reading: canonical) == catalog)
    #expect(try Catalog(reading: canonical).canonicalJSON() == canonical)
  }

  /// A catalog that states how many images it has is rejected with fewer or more, in both forms.
  @Test func aCatalogWithoutSomeOfItsImagesIsRejected() throws {
    for stated in 0...4 {
      let head = Self.head + ",\"count\":\(stated)"
      let json = head + ",\"images\":[\(Self.images.joined(separator: ","))]}"
      for text in [json, head + "}\n\(Self.images.joined(separator: "\n"))\n"] {
        if stated == 3 {
          #expect(try Catalog(reading: text.utf8).images.count == 3)
          continue
        }
        let error = try #require(throws: CatalogError.self) { try Catalog(reading: text.utf8) }
        #expect(error.message == "the catalog has 3 of its \(stated) images")
      }
    }
  }

  /// A bracket that nothing opened is one bad image of JSON Lines, not one that is skipped indefinitely.
  @Test(arguments: ["}", "]", ","])
  func aStrayBracketIsSkipped(_ bracket: String) throws {
    var problems: [CatalogError] = []
    let text = Self.head + "}\n\(Self.images[1])\(bracket)\n\(Self.images[2])\n"
    let catalog = try Catalog(reading: text.utf8) { problems.append($0) }
    #expect(catalog.images.map(\.id) == ["b", "c"])
    #expect(problems.map(\.member) == ["images[1]"])
    #expect(problems.map(\.message) == ["expected an object, found \(bracket)"])
  }

  /// What other tools make of a catalog, re-indented or minified, is the same catalog.
  @Test(arguments: [
    ["--indent", "4"], ["--compact"], ["--tab", "--sort-keys"], ["--no-indent", "--sort-keys"],
  ])
  func aReformattedCatalogIsTheSame(_ options: [String]) async throws {
    let folder = try TemporaryFolder()
    let path = try folder.write(Self.json, to: "catalog.json")
    let result = try await Tool.run("/usr/bin/python3", ["-m", "json.tool"] + options + [path])
    try #require(result.status == 0, "\(result.errors)")
    #expect(result.output != Self.json)
    #expect(try Catalog(reading: result.output.utf8) == Catalog(reading: Self.json.utf8))
  }

  /// A catalog that is cut off anywhere is rejected. JSON Lines without a number may end after any
  /// complete line.
  @Test func aCatalogThatIsCutOffIsRejected() throws {
    let bytes = Array(Self.json.utf8)
    for count in 0..<bytes.count - 1 {
      #expect(throws: CatalogError.self, "\(count)") { try Catalog(reading: bytes[..<count]) }
    }
    let lines = Array(Self.lines.utf8)
    for count in 0..<lines.count where ![10, 125].contains(lines[count]) && count > 0 {
      guard lines[count - 1] != 10, lines[count - 1] != 125, lines[count - 1] != 32 else {
        continue
      }
      #expect(throws: CatalogError.self, "\(count)") { try Catalog(reading: lines[..<count]) }
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
      guard let catalog = try? Catalog(reading: copy) else { continue }
      let index = CatalogIndex(catalog, accepting: SupportedTypes.everywhere)
      for image in catalog.images {
        _ = index[image.id]?.file(for: "card", scale: 2)
        _ = image.variant(for: CatalogBox(width: 100, height: 100, mode: .clip), scale: 3)
        _ = image.layoutSize(in: CatalogBox(width: nil, height: .greatestFiniteMagnitude))
      }
    }
  }

  @Test(
    arguments: [
      ("5", "line 1, column 1: expected an object; this is not a catalog"),
      ("", "line 1, column 1: the catalog is cut off here"),
      (
        #"{"schema":"tessera-catalog/2"}"#,
        "line 1, column 11: schema: expected \"tessera-catalog/1\", the only version that this library reads, "
          + "found \"tessera-catalog/2\""
      ),
      (
        "{}", "line 1, column 3: the member \"schema\" is missing; this may not be a catalog"
      ),
      (
        head + ",\"images\":[\n{\"id\":\"a\"}]}",
        "line 2, column 1: images[0]: \"status\" is missing"
      ),
      (
        head + ",\"images\":[\n{\"id\":\"a\",\"url\":\"u\",\"status\":\"new\"}]}",
        "line 2, column 30: images[0].status: expected one of \"ok\", \"stale\", \"failed\", \"pending\", "
          + "found \"new\""
      ),
      (
        head
          + "}\n\n{\"id\":\"a\",\"url\":\"u\",\"status\":\"ok\",\"variants\":[{\"width\":\"wide\"}]}",
        "line 3, column 56: images[0].variants[0].width: expected a whole number, found \"wide\""
      ),
      (
        head + ",\"images\":[\n{\"id\":\"a\",\"url\":\"u\",\"status\":\"ok\",\"width\":1.5}]}",
        "line 2, column 43: images[0].width: expected a whole number, found 1.5"
      ),
      (
        head + ",\"images\":[\n],\"x\"\n :true\"y\"}",
        "line 3, column 7: x: expected \",\" or \"}\""
      ),
      (head + ",\"images\":[\n{\"id\":\"a\",\n\"", "line 3, column 2: the catalog is cut off here"),
      (
        head + ",\"images\":[\n{\"id\":\"a\",\"url\":\"u\",\"status\":\"ok\",\"id\":\"b\"}]}",
        "line 2, column 35: images[0].id: duplicate member \"id\""
      ),
      (
        head + ",\"images\":[\n{\"id\":\"a\",\"later\":1,\"url\":\"u\",\"later\":2}]}",
        "line 2, column 31: images[0].later: duplicate member \"later\""
      ),
      (
        head + ",\"images\":[\n{\"extra\":{\"a\":[{\"b\":1,\"b\":2}]}}]}",
        "line 2, column 23: images[0].extra.a[0].b: duplicate member \"b\""
      ),
      (
        head + ",\"scales\":[1]}",
        "line 1, column 213: scales: duplicate member \"scales\""
      ),
      (
        head + ",\"images\":[\n{\"id\":\"a\",\"url\":\"u\",\"status\":\"ok\",\"width\":007}]}",
        "line 2, column 43: images[0].width: expected a whole number, found 007"
      ),
      (
        head
          + ",\"images\":[\n{\"variants\":[{\"path\":\"p\",\"width\":1,\"height\":1}]}]}",
        "line 2, column 14: images[0].variants[0]: \"type\" is missing"
      ),
      (head + ",5:1}", "line 1, column 204: expected a member's name in quotes"),
      (head + ",\"images\":[]} x", "line 1, column 217: expected nothing after the catalog"),
    ])
  func errorsStatePlaceMemberAndReason(_ text: String, _ expected: String) {
    do {
      _ = try Catalog(reading: text.utf8)
      Issue.record("\(text) was read")
    } catch {
      #expect("\(error)" == expected)
    }
  }

  /// Unusual values in `extra` do not make a catalog unreadable. Invalid JSON does.
  @Test func unusualExtraValuesAreAccepted() throws {
    func read(_ extra: [UInt8]) throws(CatalogError) -> CatalogValue? {
      let before =
        Self.head + ",\"images\":[{\"id\":\"a\",\"url\":\"u\",\"status\":\"ok\",\"extra\":"
      return try Catalog(reading: Array(before.utf8) + extra + Array("}]}".utf8)).images[0].extra
    }
    #expect(try read(Array("1e400".utf8)) == .number(.greatestFiniteMagnitude))
    #expect(try read(Array("-1e400".utf8)) == .number(-.greatestFiniteMagnitude))
    #expect(try read(Array("[-0,1E2,0.5,12345678901234567890]".utf8))?.arrayValue?.count == 4)
    #expect(try read(Array("null".utf8)) == .null)
    for text in ["01", "+1", "1.", ".5", "1e", "--1", "-", "0x1"] {
      #expect(throws: CatalogError.self, "\(text)") { try read(Array(text.utf8)) }
    }
    #expect(throws: CatalogError.self) { try read([0x22, 0xF0, 0x9F, 0x98, 0x22]) }
    for text in ["{\"a\":{}}", "null", "[],\"images\":[]"] {
      #expect(throws: CatalogError.self, "\(text)") {
        try Catalog(reading: (Self.head + ",\"images\":\(text)}").utf8)
      }
    }
  }

  /// Ids are compared by their bytes, not by canonical equivalence.
  @Test func idsAreTheirBytes() throws {
    let images = ["caf\u{E9}", "cafe\u{301}"].map { CatalogImage(id: $0, url: $0, status: .failed) }
    var catalog = try Catalog(reading: Self.json.utf8)
    catalog.images = images
    let index = CatalogIndex(catalog, accepting: [])
    #expect(index.position(of: "caf\u{E9}") == 0)
    #expect(index.position(of: "cafe\u{301}") == 1)
  }

  /// Each byte is examined once, however small the pieces are.
  @Test func aLongMemberAndManyBlanksAreReadOnce() throws {
    let long = String(repeating: "x", count: 2_000_000)
    let blanks = String(repeating: " ", count: 300_000)
    let text =
      Self.head
      + ",\"blank\"\(blanks):\(blanks)5,\"later\":\"\(long)\",\"images\":[\(Self.images[1]),\(blanks)\(Self.images[2])]}"
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
    let text =
      Self.head + ",\"images\":[{\"id\":\"a\",\"url\":\"u\",\"status\":\"ok\",\"extra\":\(deep)}]}"
    #expect(throws: CatalogError.self) { try Catalog(reading: text.utf8) }
  }
}

/// The form of files' paths.
@Suite struct VariantPathTests {
  private static let digest = "3f9c0a1b2c3d4e5f60718293a4b5c6d7"

  @Test(arguments: [
    "variants/3f/\(digest)-192x256.webp", "variants/3f/\(digest)-1x1.jpg",
    "variants/3f/\(digest)-16383x10000000.jxl",
  ])
  func pathsThatRunsMake(_ path: String) { #expect(CatalogVariant.isPath(path)) }

  @Test(arguments: [
    "", "variants/3f/", "variants/3e/\(digest)-1x1.webp", "variants/f3/\(digest)-1x1.webp",
    "variants/3f/\(digest)-1x1.", "variants/3f/\(digest)-1x1", "variants/3f/\(digest)-1x.webp",
    "variants/3f/\(digest)-x1.webp", "variants/3f/\(digest)-1x1.we/bp",
    "variants/3f/\(digest)-1x1.webp/",
    "variants/3f/\(digest)-1x1.webp.jpg", "variants/3f/\(digest)-1x1x1.webp",
    "Variants/3f/\(digest)-1x1.webp", "variants/3F/\(digest)-1x1.webp",
    "/variants/3f/\(digest)-1x1.webp",
    "variants/3f/\(digest.dropLast())-1x1.webp", "variants/3f/\(digest)a-1x1.webp",
    "variants/3f/\(digest)-1x1.WEBP", "variants/3f/\(digest)-1234567890x1.webp",
    "../3f/\(digest)-1x1.webp",
    "variants/3f/\(digest)-1x1.webp\u{301}", "variants/3f/\(digest)-1x1.abcdefghij",
  ])
  func otherPaths(_ path: String) { #expect(!CatalogVariant.isPath(path)) }
}
