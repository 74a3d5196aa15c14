import TesseraTestSupport
import Testing

@testable import TesseraCatalog

/// Paths and URLs that a catalog may have: they lead nowhere else.
@Suite struct PlaceTests {
  private static let digest = "3f9c0a1b2c3d4e5f60718293a4b5c6d7"

  @Test(arguments: ["http://a", "https://a", "https://a/ä?b=c#d", "http://!", "https://\u{A0}"])
  func urlsOfTheWeb(_ url: String) { #expect(CatalogVariant.isURL(url)) }

  @Test(arguments: [
    "", "http://", "https://", "http:/a", "ftp://a", "HTTP://a", "//a", "a", " https://a",
    "https://a b",
    "https://a\n", "https://a\"", "https://a<", "https://a>", "https://a\\", "https://\u{7F}",
    "https://\u{80}", "https://\u{9F}", "https://\u{0}", "javascript:https://a",
  ])
  func otherURLs(_ url: String) { #expect(!CatalogVariant.isURL(url)) }

  /// Every character of a path counts.
  @Test func pathsOfVariants() {
    let path = "variants/3f/\(Self.digest)-192x256.webp"
    #expect(CatalogVariant.isPath(path))
    for place in path.indices {
      for other in ["/", ".", "G", "z", " "] {
        var text = path
        text.replaceSubrange(place...place, with: other)
        // Letters may stand in the extension only.
        let isExtension = path.distance(from: path.startIndex, to: place) > path.count - 5
        let isPath = text == path || isExtension && other == "z"
        #expect(CatalogVariant.isPath(text) == isPath, "\(text)")
      }
      var shorter = path
      shorter.remove(at: place)
      let isLong =
        path.distance(from: path.startIndex, to: place) > 44 && ![".", "x"].contains(path[place])
      #expect(CatalogVariant.isPath(shorter) == isLong, "\(shorter)")
    }
    func name(_ width: Int, _ height: Int, _ suffix: Int) -> String {
      let parts = [width, height].map { String(repeating: "1", count: $0) }.joined(separator: "x")
      return "3f/\(Self.digest)-\(parts).\(String(repeating: "w", count: suffix))"
    }
    for place in 0..<3 {
      func accepts(_ count: Int, _ isTable: Bool) -> Bool {
        var lengths = [1, 1, 1]
        lengths[place] = count
        let text = name(lengths[0], lengths[1], lengths[2])
        return isTable
          ? CatalogTable.isPath("tables/\(text)") : CatalogVariant.isPath("variants/\(text)")
      }
      for isTable in [false, true] {
        expectMost(9) { accepts($0, isTable) }
        expectLeast(1) { accepts($0, isTable) }
      }
    }
  }

  @Test func pathsOfTables() {
    let path = "tables/3f/\(Self.digest)-64x48.bgra8"
    #expect(CatalogTable.isPath(path) && !CatalogTable.isPath(path, isIndex: true))
    for place in path.indices {
      for other in ["/", ".", "G", "~", " "] {
        var text = path
        text.replaceSubrange(place...place, with: other)
        #expect(CatalogTable.isPath(text) == (text == path), "\(text)")
      }
    }
    let index = "tables/3f/\(Self.digest).json"
    #expect(CatalogTable.isPath(index, isIndex: true) && !CatalogTable.isPath(index))
    for other in [
      "\(index)x", "tables/3e/\(Self.digest).json", "tables/3f/\(Self.digest)", "x\(index)",
      "tables/3f/x/\(Self.digest).json",
    ] {
      #expect(!CatalogTable.isPath(other, isIndex: true), "\(other)")
    }
    var catalog = CatalogFixture.catalog([])
    func file(_ path: String, _ index: String?) -> CatalogTable.File {
      .init(
        path: path, prefix: "", width: 1, height: 1, count: 1, bytes: 1, sha256: "", index: index)
    }
    catalog.tables = [
      "a": [.init(scale: 1, pixels: "webp", files: [file("p", "q"), file("r", nil)])]
    ]
    #expect(catalog.tablePaths == ["p", "q", "r"])
    catalog.tables = nil
    #expect(catalog.tablePaths.isEmpty)
  }

  private static func error(_ variant: String) -> String {
    let image =
      #"{"id":"a","status":"ok","variants":[{"type":"t","width":1,"height":1,"#
      + #""path":"variants/3f/\#(digest)-1x1.w","bytes":1},\#(variant)]}"#
    do {
      _ = try Catalog(reading: "\(CatalogFixture.head)}\n\(image)".utf8)
      return "read"
    } catch {
      return "\(error.line):\(error.column) \(error.member): \(error.message)"
    }
  }

  @Test func placesOfVariantsAreChecked() {
    let start = #"{"type":"t","width":1,"height":1,"#
    let path = #""path":"variants/3f/\#(Self.digest)-1x1.w""#
    let url = #""url":"https://a""#
    #expect(
      Self.error("\(start)\(path),\"bytes\":1}") == "read"
        && Self.error("\(start)\(url)}") == "read")
    #expect(Self.error("\(start)\(path),\(url),\"bytes\":1}") == "read")
    let at = "2:1 images[0].variants[1]"
    #expect(Self.error("\(start)\(path)}") == "\(at): \"bytes\" is missing")
    #expect(Self.error("\(start)\(path),\(url)}") == "\(at): \"bytes\" is missing")
    #expect(Self.error("\(start)\"bytes\":1}") == "\(at): \"path\" is missing")
    let long = String(repeating: "x", count: 90)
    #expect(
      Self.error("\(start)\(url),\"path\":\"\(long)\"}")
        == "\(at).path: expected a path such as variants/3f/3f9c…-192x256.webp, found "
        + "\"\(long.prefix(80))\""
    )
    #expect(
      Self.error("\(start)\(path),\"bytes\":1,\"url\":\"\(long)\"}")
        == "\(at).url: expected a URL that begins with http:// or https://, found "
        + "\"\(long.prefix(80))\""
    )
    // The same of other formats.
    let also = "\(start)\(url),\"also\":[{\"type\":\"t\",\(url)},{\"type\":\"t\","
    #expect(Self.error("\(also)\(url)}]}") == "read")
    #expect(Self.error("\(also)\"bytes\":1}]}") == "\(at).also[1]: \"path\" is missing")
    #expect(Self.error("\(also)\(path)}]}") == "\(at).also[1]: \"bytes\" is missing")
    #expect(Self.error("\(also)\"url\":\"\"}]}").hasPrefix("\(at).also[1].url: expected a URL "))
  }

  @Test func placesOfTablesAreChecked() {
    func error(_ path: String, _ index: String?) -> String {
      let file =
        #"{"path":"\#(path)","prefix":"","width":1,"height":1,"count":1,"bytes":1,"#
        + #""sha256":""\#(index.map { ",\"index\":\"\($0)\"" } ?? "")}"#
      let tables =
        #"{"card":[{"scale":1,"pixels":"x","files":[]},{"scale":2,"pixels":"x","#
        + #""files":[\#(file)]}]}"#
      do {
        _ = try Catalog(reading: "\(CatalogFixture.head),\"tables\":\(tables),\"images\":[]}".utf8)
        return "read"
      } catch {
        return "\(error.member): \(error.message)"
      }
    }
    let (path, index) = ("tables/3f/\(Self.digest)-1x1.w", "tables/3f/\(Self.digest).json")
    #expect(error(path, nil) == "read" && error(path, index) == "read")
    for (path, index) in [("x", nil), (path, "y"), ("x", index), (path, path), (path, "")] {
      #expect(
        error(path, index)
          == "tables.card: expected paths such as tables/3f/3f9c…-64x64.bgra8, found "
          + "\"\(path)\" and \"\(index ?? "")\""
      )
    }
  }
}

/// Small catalogs.
enum CatalogFixture {
  /// Everything but images, without the closing bracket.
  static let head =
    #"{"schema":"tessera-catalog/1","generator":{"name":"","version":"","libvips":""},"#
    + #""pipeline":{"name":"","fingerprint":""},"slots":{"card":{"width":180,"mode":"fit"}},"#
    + #""scales":[1,2]"#

  static func catalog(_ images: [CatalogImage]) -> Catalog {
    Catalog(
      generator: .init(name: "", version: "", libvips: ""),
      pipeline: .init(name: "", fingerprint: ""),
      baseURL: nil, slots: ["card": .init(width: 180, height: nil, mode: .fit)], scales: [1, 2],
      images: images)
  }
}
