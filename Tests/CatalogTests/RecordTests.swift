import Foundation
import TesseraTestSupport
import Testing

@testable import TesseraCatalog

/// Each record with all of its members: as text, as a tree, and through `Codable`.
@Suite struct RecordTests {
  private static let name = "variants/ab/ab\(String(repeating: "0", count: 30))"

  private static let image = CatalogImage(
    id: "a", url: "https://u/", status: .stale, width: 30, height: 40, format: "jpeg", alpha: false,
    animated: true, frames: 2, error: .init(code: "timeout", message: "m", retryable: true),
    warnings: ["odd"],
    placeholder: CatalogPlaceholder(
      color: "#010203", thumbhash: "AA", blurhash: "LL", lqip: "data:,"),
    variants: [
      CatalogVariant(
        path: "\(name)-30x40.webp", url: "https://s/1", type: "image/webp", width: 31, height: 41,
        bytes: 9,
        fallback: "f",
        also: [
          .init(
            path: "\(name)-1x1.png", url: "http://s/2", type: "image/png", bytes: 7, fallback: "x",
            sha256: "cd", quality: 72, score: -3, dynamicRange: "high", headroom: 4.5)
        ], sha256: "ab", quality: 71, score: 69)
    ], slots: ["card": CatalogSlotUse(width: 180, height: 240, variants: [0, 1])],
    source: CatalogSource(
      url: "s", bytes: 1, sha256: "ef", width: 41, height: 31, orientation: 6, colourSpace: "rgb",
      profile: "p", etag: "e", lastModified: "l", robots: "r"), alt: "t",
    focus: CatalogFocus(x: 0.25, y: 1), extra: .object(["n": .array([.null, .number(0.5)])]))

  private static let imageText = [
    #"{"id":"a","url":"https://u/","status":"stale","width":30,"height":40,"format":"jpeg","#,
    #""alpha":false,"#,
    #""animated":true,"frames":2,"error":{"code":"timeout","message":"m","retryable":true},"#,
    ##""warnings":["odd"],"placeholder":{"color":"#010203","thumbhash":"AA","##,
    ##""blurhash":"LL","lqip":"data:,"},"##,
    #""variants":[{"path":"\#(name)-30x40.webp","url":"https://s/1","type":"image/webp","#,
    #""width":31,"#,
    #""height":41,"bytes":9,"sha256":"ab","quality":71,"score":69,"fallback":"f","also":["#,
    #"{"path":"\#(name)-1x1.png","url":"http://s/2","type":"image/png","bytes":7,"sha256":"cd","#,
    #""quality":72,"score":-3,"fallback":"x","dynamicRange":"high","headroom":4.5}]}],"slots":{"card":{"width":180,"height":240,"#,
    #""variants":[0,1]}},"#,
    #""source":{"url":"s","bytes":1,"sha256":"ef","width":41,"height":31,"orientation":6,"#,
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
      slots: [
        "z": .init(width: 1, height: nil, mode: .fit),
        "a": .init(width: nil, height: 2, mode: .fill),
        "m": .init(width: 1, height: 2, mode: .clip),
      ], scales: [1, 2], images: [image])
    catalog.tables = ["z": [table]]
    catalog.digest = "dd"
    return catalog
  }

  private static let headText = [
    #"{"schema":"tessera-catalog/1","generator":{"name":"tessera","version":"1","libvips":"8"},"#,
    #""pipeline":{"name":"feed","fingerprint":"00"},"baseURL":"https://b/","slots":{"#,
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
    // Slots that are not named are left out.
    #expect(
      Self.text(Self.catalog.headLine(slotNames: ["m", "x"])).contains(
        #""slots":{"m":{"width":1,"height":2,"mode":"clip"}},"scales""#))
  }

  @Test func recordsAreReadAgain() throws {
    let text = Self.headText.dropLast() + ",\"digest\":\"dd\",\"images\":[\(Self.imageText)]}"
    #expect(try Catalog(reading: text.utf8) == Self.catalog)
    #expect(try JSONDecoder().decode(Catalog.self, from: Data(text.utf8)) == Self.catalog)
    let encoded = try JSONEncoder().encode(Self.catalog)
    #expect(try JSONDecoder().decode(Catalog.self, from: encoded) == Self.catalog)
    #expect(try Catalog(reading: encoded) == Self.catalog)
    // The digest is of the rest.
    var other = Self.catalog
    other.digest = nil
    #expect(Self.catalog.canonicalJSON() == other.canonicalJSON())
    #expect(try Catalog(reading: Self.catalog.canonicalJSON()) == other)
    #expect(CatalogSize(width: 2, height: 3) != CatalogSize(width: 3, height: 2))
  }

  /// Sorted at each level.
  @Test func theCanonicalForm() {
    let beginning = [
      #"{"baseURL":"https://b/","generator":{"libvips":"8","name":"tessera","version":"1"},"#,
      #""images":[{"alpha":false,"alt":"t","animated":true,"error":{"code":"timeout","#,
      #""message":"m","retryable":true},"extra":{"n":[null,0.5]},"focus":[0.25,1],"#,
      #""format":"jpeg","frames":2,"height":40,"id":"a","placeholder":{"blurhash":"LL","#,
      ##""color":"#010203","lqip":"data:,","thumbhash":"AA"},"slots":{"##,
    ].joined()
    #expect(Self.text(Self.catalog.canonicalJSON()).hasPrefix(beginning))
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
        ["url", "width", "height", "format", "frames", "warnings", "alt", "focus"]
      ),
      ("images[0].error", ["code", "message", "retryable"], []),
      ("images[0].placeholder", [], ["color", "thumbhash", "blurhash", "lqip"]),
      (
        "images[0].variants[0].also[0]", ["type"],
        ["quality", "score", "fallback", "dynamicRange", "headroom"]
      ),
      ("images[0].slots.card", ["width", "height", "variants"], []),
      (
        "images[0].source", ["sha256"],
        ["orientation", "colourSpace", "profile", "etag", "lastModified", "robots"]
      ),
    ]
    let whole = "\(Self.headText.dropLast()),\"images\":[\(Self.imageText)]}"
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
    let before =
      Self.headText.dropLast() + ",\"images\":[{\"id\":\"a\",\"status\":\"ok\",\"focus\":"
    for (text, isRead) in [
      ("[0,0]", true), ("[1,1]", true), ("[0.5,1e-3]", true), ("[0,1.0001]", false),
      ("[-0.1,0]", false),
      ("[0]", false), ("[0,0,0]", false), ("[]", false),
    ] {
      let expected = isRead ? "read" : "images[0].focus: expected two numbers from 0 to 1"
      #expect(Self.read("\(before)\(text)}]}") == expected)
    }
    #expect(Self.read("\(before)[0,\"1\"]}]}").hasPrefix("images[0].focus[1]: expected a digit"))
    #expect(CatalogFocus(x: 0.1, y: 0).tree == .array([.number(0.1), .integer(0)]))
  }

  @Test func valuesOfEachKind() throws {
    let text =
      #"{"a":null,"b":true,"c":7,"d":1.5,"e":"x","f":[1],"g":{"h":9223372036854775808},"i":1.0}"#
    let value = try JSONDecoder().decode(CatalogValue.self, from: Data(text.utf8))
    let members = "abcdefgi".map { value[String($0)] }
    #expect(members.map { $0?.boolValue } == [nil, true, nil, nil, nil, nil, nil, nil])
    #expect(members.map { $0?.integerValue } == [nil, nil, 7, nil, nil, nil, nil, 1])
    #expect(members.map { $0?.numberValue } == [nil, nil, 7, 1.5, nil, nil, nil, 1])
    #expect(members.map { $0?.stringValue } == [nil, nil, nil, nil, "x", nil, nil, nil])
    #expect(members.map { $0?.arrayValue?.count } == [nil, nil, nil, nil, nil, 1, nil, nil])
    #expect(value["a"] == .null && value["x"] == nil && CatalogValue.null["a"] == nil)
    #expect(value["g"]?["h"] == .number(9_223_372_036_854_775_808))
    #expect(try JSONDecoder().decode(CatalogValue.self, from: JSONEncoder().encode(value)) == value)
    var bytes: [UInt8] = []
    value.appendCanonicalJSON(to: &bytes)
    #expect(
      Self.text(bytes)
        == #"{"a":null,"b":true,"c":7,"d":1.5,"e":"x","f":[1],"g":{"h":9223372036854776000},"i":1}"#
    )
  }
}
