import Foundation
import TesseraBytes
import TesseraJSON
import TesseraTestSupport
import Testing

@testable import TesseraCatalog

/// Each record with all of its members: as a value, and as text.
@Suite struct RecordTests {
  private static let formats = [
    CatalogFixture.webp,
    CatalogFormat(
      type: "image/png", fileExtension: "png", recipe: "0000000000000001", isFallback: true),
    CatalogFormat(
      type: "image/jpeg", fileExtension: "jpg", recipe: "0000000000000002", dynamicRange: "high"),
  ]

  private static let variant = CatalogVariant(
    width: 31, height: 41, crop: "89bf241d", fallback: "f",
    files: [
      .init(
        format: 0, path: CatalogFixture.path(31, 41, crop: "89bf241d"), url: "https://s/1",
        type: "image/webp", bytes: 9, sha256: "ab", quality: 71, score: 69),
      .init(format: 1, url: "http://s/2", type: "image/png", isStill: true),
      .init(format: nil, url: "https://o/", type: "image/gif", bytes: 5),
    ],
    highDynamicRangeFile: .init(
      format: 2, path: CatalogFixture.path(31, 41, crop: "89bf241d", formats[2]),
      type: "image/jpeg", bytes: 7, sha256: "cd", quality: 72, score: -3), headroom: 4.5)

  private static let image = CatalogImage(
    id: "a", url: "https://u/", status: .stale, width: 30, height: 40, format: "jpeg", alpha: false,
    animated: true, frames: 2, error: .init(code: "timeout", message: "m", retryable: true),
    warnings: ["odd"],
    placeholder: CatalogPlaceholder(
      color: "#010203", thumbhash: "AA", blurhash: "LL", css: 12),
    variants: [variant],
    slots: [
      "card": CatalogSlotUse(
        width: 180, height: 240, image: .init(width: 180, height: 250), variants: [0, 1]),
      "none": CatalogSlotUse(width: nil, height: nil),
    ], source: CatalogFixture.source("a"),
    provenance: CatalogSource(
      url: "s", bytes: 1, sha256: "ef", width: 41, height: 31, orientation: 6, colourSpace: "rgb",
      profile: "p", etag: "e", lastModified: "l", robots: "r"), alt: "t",
    focus: CatalogFocus(x: 0.25, y: 1), extra: .object(["n": .array([.null, .number(0.5)])]))

  private static let imageText = [
    #"{"id":"a","url":"https://u/","status":"stale","width":30,"height":40,"format":"jpeg","#,
    #""alpha":false,"#,
    #""animated":true,"frames":2,"error":{"code":"timeout","message":"m","retryable":true},"#,
    ##""warnings":["odd"],"placeholder":{"color":"#010203","thumbhash":"AA","##,
    ##""blurhash":"LL","css":12},"source":"\##(CatalogFixture.source("a"))","##,
    #""variants":[{"width":31,"height":41,"crop":"89bf241d","fallback":"f","bytes":[9,null,7],"#,
    #""urls":["https://s/1","http://s/2"],"stills":[1],"original":{"url":"https://o/","#,
    #""type":"image/gif","bytes":5},"headroom":4.5,"sha256":["ab",null,"cd"],"#,
    #""quality":[71,null,72],"score":[69,null,-3]}],"slots":{"card":{"width":180,"height":240,"#,
    #""image":{"width":180,"height":250},"variants":[0,1]},"none":{}},"#,
    #""provenance":{"url":"s","bytes":1,"sha256":"ef","width":41,"height":31,"orientation":6,"#,
    #""colourSpace":"rgb","profile":"p","etag":"e","lastModified":"l","robots":"r"},"alt":"t","#,
    #""focus":[0.25,1],"extra":{"n":[null,0.5]}}"#,
  ].joined()

  private static let table = CatalogTable(
    scale: 2, pixels: "bgra8",
    files: [
      .init(
        path: "tables/ab/ab\(String(repeating: "0", count: 30))-6x4.bgra8", prefix: "01", width: 6,
        height: 4,
        count: 3, bytes: 9, sha256: "d",
        index: "tables/cd/cd\(String(repeating: "1", count: 30)).json")
    ])

  private static var catalog: Catalog {
    var catalog = Catalog(
      generator: .init(name: "tessera", version: "1", libvips: "8"),
      pipeline: .init(name: "feed", fingerprint: "00"), baseURL: "https://b/",
      formats: formats,
      slots: [
        "z": .init(width: 1, height: nil, mode: .fit),
        "a": .init(width: nil, height: 2, mode: .fill),
        "m": .init(width: 1, height: 2, mode: .clip),
      ], scales: [1, 2], images: [image])
    catalog.tables = ["z": [table]]
    return catalog
  }

  private static let headText = [
    #"{"schema":"tessera-catalog/1","generator":{"name":"tessera","version":"1","libvips":"8"},"#,
    #""pipeline":{"name":"feed","fingerprint":"00"},"baseURL":"https://b/","formats":["#,
    #"{"type":"image/webp","extension":"webp","recipe":"0123456789abcdef"},"#,
    #"{"type":"image/png","extension":"png","recipe":"0000000000000001","fallback":true},"#,
    #"{"type":"image/jpeg","extension":"jpg","recipe":"0000000000000002","#,
    #""dynamicRange":"high"}],"slots":{"#,
    #""z":{"width":1,"mode":"fit"},"a":{"height":2,"mode":"fill"},"m":{"width":1,"height":2,"#,
    #""mode":"clip"}},"#,
    #""scales":[1,2],"tables":{"z":[{"scale":2,"pixels":"bgra8","files":[{"path":"#,
    #""tables/ab/ab000000000000000000000000000000-6x4.bgra8","prefix":"01","width":6,"#,
    #""height":4,"count":3,"#,
    #""bytes":9,"sha256":"d","index":"tables/cd/cd111111111111111111111111111111.json"}]}]}}"#,
  ].joined()

  private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

  @Test func recordsAreWrittenInTheOrderOfTheFile() {
    let extra = #"{"n":[null,0.5]}"#
    #expect(Self.text(Self.image.line(extra: extra)) == Self.imageText)
    #expect(
      Self.text(Self.image.line(extra: nil))
        == Self.imageText.replacing(",\"extra\":\(extra)", with: ""))
    #expect(Self.text(Self.catalog.headLine(slotNames: ["z", "a", "m"])) == Self.headText)
    var stated = Self.catalog
    stated.digest = "dd"
    #expect(
      Self.text(stated.headLine(slotNames: ["z", "a", "m"]))
        == Self.headText.replacing(#"{"schema""#, with: #"{"digest":"dd","schema""#))
    // Slots that are not named are left out.
    #expect(
      Self.text(Self.catalog.headLine(slotNames: ["m", "x"])).contains(
        #""slots":{"m":{"width":1,"height":2,"mode":"clip"}},"scales""#))
  }

  @Test func recordsAreReadAgain() throws {
    let (document, catalog) = CatalogFixture.document(Self.catalog)
    #expect(catalog.digest == SHA256.of(Array(document[CatalogDocument.digested...])))
    #expect(try Catalog(reading: document) == catalog)
    let part = "screens/feed/\(CatalogFixture.source("part")).json"
    var screen = catalog
    (screen.catalogDigest, screen.parts) = ("c", [part])
    let (first, stated) = CatalogFixture.document(screen)
    #expect(try Catalog(reading: first) == stated)
    #expect(Self.text(first).contains(#","catalog":"c","parts":["\#(part)"],"count":1,"images":["#))
    #expect(CatalogSize(width: 2, height: 3) != CatalogSize(width: 3, height: 2))
  }

  /// The document of one image.
  private static func document(_ image: String) -> String {
    text(CatalogFixture.document([image], head: String(headText.dropLast())))
  }

  private static func read(_ text: String) -> String {
    do {
      return try Catalog(reading: text.utf8).images.isEmpty ? "empty" : "read"
    } catch {
      return "\(error.member): \(error.message)"
    }
  }

  /// Each required member is missed, and each member with another kind of value is named.
  @Test func everyMemberIsChecked() {
    let members: [(String, [String], [String])] = [
      (
        "images[0]", ["id", "status"],
        [
          "url", "width", "height", "format", "alpha", "animated", "frames", "warnings", "alt",
          "focus",
        ]
      ),
      ("images[0].error", ["code", "message", "retryable"], []),
      ("images[0].placeholder", [], ["color", "thumbhash", "blurhash", "css"]),
      (
        "images[0].variants[0]", ["width", "height"],
        [
          "crop", "fallback", "bytes", "urls", "stills", "headroom", "sha256", "quality", "score",
        ]
      ),
      ("images[0].variants[0].original", ["url", "type"], ["bytes"]),
      ("images[0].slots.card", [], ["width", "height", "variants"]),
      ("images[0].slots.card.image", ["width", "height"], []),
      (
        "images[0].provenance", ["sha256"],
        ["orientation", "colourSpace", "profile", "etag", "lastModified", "robots"]
      ),
    ]
    let whole = Self.document(Self.imageText)
    for (path, required, optional) in members {
      // The record is the last place with the member's name in the text of its object.
      for name in required + optional {
        guard let key = Self.range(of: name, in: path, whole) else {
          Issue.record("no \(name) in \(path)")
          continue
        }
        let unknown = whole.replacingCharacters(in: key, with: "\"unknown\":")
        let expected = required.contains(name) ? "\(path): \"\(name)\" is missing" : "read"
        #expect(Self.read(unknown) == expected, "\(path) \(name)")
        let null = whole.replacingCharacters(in: key, with: "\"\(name)\":null,\"unknown\":")
        #expect((Self.read(null) == "read") == optional.contains(name), "\(path) \(name)")
        let wrong = whole.replacingCharacters(in: key, with: "\"\(name)\":{},\"unknown\":")
        #expect(Self.read(wrong).hasPrefix("\(path).\(name): expected "), "\(path) \(name)")
        let twice = whole.replacingCharacters(in: key, with: "\"\(name)\":null,\"\(name)\":")
        #expect(
          optional.contains(name)
            == (Self.read(twice) == "\(path).\(name): duplicate member \"\(name)\""))
      }
    }
  }

  /// Where a member's name and its colon are: the first behind the beginning of the record.
  private static func range(of name: String, in path: String, _ text: String) -> Range<
    String.Index
  >? {
    var start = text.range(of: "\"images\":")?.upperBound
    for part in path.split(separator: ".").dropFirst() {
      let key = "\"\(part.prefix { $0 != "[" })\":"
      start = start.flatMap { text.range(of: key, range: $0..<text.endIndex)?.upperBound }
    }
    return start.flatMap { text.range(of: "\"\(name)\":", range: $0..<text.endIndex) }
  }

  @Test func pointsAreTwoNumbersFromZeroToOne() {
    func read(_ focus: String) -> String {
      Self.read(Self.document("{\"id\":\"a\",\"status\":\"ok\",\"focus\":\(focus)}"))
    }
    for (text, isRead) in [
      ("[0,0]", true), ("[1,1]", true), ("[0.5,1e-3]", true), ("[0,1.0001]", false),
      ("[-0.1,0]", false),
      ("[0]", false), ("[0,0,0]", false), ("[]", false),
    ] {
      let expected = isRead ? "read" : "images[0].focus: expected two numbers from 0 to 1"
      #expect(read(text) == expected)
    }
    #expect(read("[0,\"1\"]").hasPrefix("images[0].focus[1]: expected a digit"))
    var writer = JSONWriter()
    CatalogFocus(x: 0.1, y: 0).write(to: &writer)
    #expect(writer.text == "[0.1,0]")
  }

  @Test func valuesOfEachKind() throws {
    let text =
      #"{"a":null,"b":true,"c":7,"d":1.5,"e":"x","f":[1],"g":{"h":9223372036854775808},"i":1.0}"#
    let value = try CatalogValue(json: text.utf8)
    let members = "abcdefgi".map { value[String($0)] }
    #expect(members.map { $0?.boolValue } == [nil, true, nil, nil, nil, nil, nil, nil])
    #expect(members.map { $0?.integerValue } == [nil, nil, 7, nil, nil, nil, nil, 1])
    #expect(members.map { $0?.numberValue } == [nil, nil, 7, 1.5, nil, nil, nil, 1])
    #expect(members.map { $0?.stringValue } == [nil, nil, nil, nil, "x", nil, nil, nil])
    #expect(members.map { $0?.arrayValue?.count } == [nil, nil, nil, nil, nil, 1, nil, nil])
    #expect(value["a"] == .null && value["x"] == nil && CatalogValue.null["a"] == nil)
    #expect(value["g"]?["h"] == .number(9_223_372_036_854_775_808))
    var writer = JSONWriter()
    value.write(to: &writer)
    #expect(try CatalogValue(json: writer.text.utf8) == value)
    #expect(
      writer.text
        == #"{"a":null,"b":true,"c":7,"d":1.5,"e":"x","f":[1],"g":{"h":9223372036854776000},"i":1}"#
    )
  }
}
