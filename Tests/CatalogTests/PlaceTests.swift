import TesseraBytes
import TesseraJSON
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

  private static let recipe = "8c22d4e6f8091a2b"

  private static func isFile(_ path: String) -> Bool { FileName.parts(of: path) != nil }

  /// Every character of a path counts.
  @Test(arguments: ["", "-5b1d04e9"])
  func pathsOfVariants(_ crop: String) {
    let path = "variants/3f/9c/\(Self.digest)-192x256\(crop)-\(Self.recipe).webp"
    let size = path.count - "192x256\(crop)-\(Self.recipe).webp".count
    let parts = FileName.Parts(
      source: Self.digest[...], width: 192, height: 256,
      crop: crop.isEmpty ? nil : crop.dropFirst(), recipe: Self.recipe[...], fileExtension: "webp")
    #expect(FileName.parts(of: path) == parts)
    #expect(
      FileName.path(
        source: Self.digest, width: 192, height: 256, crop: parts.crop.map(String.init),
        recipe: Self.recipe, fileExtension: "webp") == path)
    for place in path.indices {
      let offset = path.distance(from: path.startIndex, to: place)
      for other in ["/", ".", "G", "z", " "] {
        var text = path
        text.replaceSubrange(place...place, with: other)
        // Other letters may stand in the extension only.
        let isExtension = offset > path.count - 5
        #expect(Self.isFile(text) == (text == path || isExtension && other == "z"), "\(text)")
      }
      var shorter = path
      shorter.remove(at: place)
      let isLong = (size..<size + 7).contains(offset) && offset != size + 3
      #expect(Self.isFile(shorter) == (isLong || offset > path.count - 5), "\(shorter)")
    }
  }

  /// The folders are the beginning of the name, so that a file has one place.
  @Test(arguments: ["3e/9c", "3f/9d", "9c/3f", "3f", "3f/9c/0a", "3F/9c"])
  func otherFolders(_ folders: String) {
    #expect(!Self.isFile("variants/\(folders)/\(Self.digest)-1x1-\(Self.recipe).webp"))
  }

  @Test func lengthsOfNames() {
    func name(_ width: Int, _ height: Int, _ recipe: String, _ suffix: Int) -> String {
      let parts = [width, height].map { String(repeating: "1", count: $0) }.joined(separator: "x")
      return "\(Self.digest)-\(parts)\(recipe).\(String(repeating: "w", count: suffix))"
    }
    for place in 0..<3 {
      func accepts(_ count: Int, _ isTable: Bool) -> Bool {
        var lengths = [1, 1, 1]
        lengths[place] = count
        let recipe = isTable ? "" : "-\(Self.recipe)"
        let text = name(lengths[0], lengths[1], recipe, lengths[2])
        return isTable
          ? CatalogTable.isPath("tables/3f/\(text)") : Self.isFile("variants/3f/9c/\(text)")
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

  /// The second variant of an image, in a catalog with files of WebP and of high dynamic range.
  private static func error(_ variant: String, source: String = digest) -> String {
    let formats =
      #""formats":[{"type":"image/webp","extension":"webp","recipe":"\#(recipe)"},"#
      + #"{"type":"image/jpeg","extension":"jpg","recipe":"\#(recipe)","dynamicRange":"high"}]"#
    let image =
      #"{"id":"a","status":"ok","variants":[{"width":1,"height":1,"urls":["https://a"]},"#
      + #"{"width":1,"height":1,\#(variant)}],"source":\#(source == "null" ? source : "\"\(source)\"")}"#
    let head = CatalogFixture.head.replacing(CatalogFixture.formatsMember, with: formats)
    do {
      _ = try Catalog(reading: CatalogFixture.document([image], head: head))
      return "read"
    } catch {
      return "\(error.line):\(error.column) \(error.member): \(error.message)"
    }
  }

  @Test(.faults(.c16)) func placesOfVariantsAreChecked() {
    for variant in [
      #""bytes":[1]"#, #""urls":["https://a"]"#, #""bytes":[1,1]"#,
      #""bytes":[1],"urls":[null,"https://a"]"#,
      #""bytes":[1,1],"urls":["https://a","https://b"]"#,
      #""original":{"url":"https://a","type":"t"}"#,
    ] { #expect(Self.error(variant) == "read", "\(variant)") }
    let at = "2:1 images[0].variants[1]"
    let none = "\(at): a variant has at least one file or URL"
    #expect(Self.error(#""bytes":[null,null]"#) == none && Self.error(#""stills":[0]"#) == none)
    // Most screens could not show the file for high dynamic range.
    #expect(Self.error(#""bytes":[null,1]"#) == none)
    #expect(Self.error(#""urls":[null,"https://a"]"#) == none)
    #expect(
      Self.error(#""bytes":[1,1,null]"#)
        == "\(at).bytes: expected at most a value for each of the 2 formats")
    for member in ["sha256", "quality", "score"] {
      #expect(
        Self.error(#""bytes":[1],"\#(member)":[null,null,null]"#)
          == "\(at).\(member): expected at most a value for each of the 2 formats")
    }
    let long = String(repeating: "x", count: 90)
    let url =
      "expected a URL that begins with http:// or https://, found \"\(long.prefix(80))\""
    #expect(Self.error(#""bytes":[1],"urls":["\#(long)"]"#) == "\(at).urls[0]: \(url)")
    // Also where only screens of high dynamic range fetch it.
    #expect(Self.error(#""bytes":[1],"urls":[null,"\#(long)"]"#) == "\(at).urls[1]: \(url)")
    #expect(
      Self.error(#""original":{"url":"\#(long)","type":"t"}"#) == "\(at).original.url: \(url)")
    #expect(
      Self.error(#""crop":"\#(long)","bytes":[1]"#)
        == "\(at).crop: expected 8 hexadecimal digits, found \"\(long.prefix(80))\"")
    #expect(
      Self.error(#""bytes":[1]"#, source: long)
        == "2:1 images[0].source: expected 32 hexadecimal digits, found \"\(long.prefix(80))\"")
    #expect(
      Self.error(#""bytes":[1]"#, source: "null") == "2:1 images[0]: \"source\" is missing")
    #expect(Self.error(#""urls":["https://a"]"#, source: "null") == "read")
  }

  /// A range of a later version is no choice among those that all screens show.
  @Test func filesForOtherScreensAreNoChoice() throws {
    let formats = [
      CatalogFormat(
        type: "image/x", fileExtension: "x", recipe: Self.recipe, dynamicRange: "later"),
      CatalogFormat(
        type: "image/jpeg", fileExtension: "jpg", recipe: Self.recipe, dynamicRange: "high"),
      CatalogFixture.webp,
    ]
    let line =
      #"{"id":"a","status":"ok","variants":[{"width":1,"height":1,"bytes":[1,2,3]}],"#
      + #""source":"\#(Self.digest)"}"#
    let variant = try CatalogImage(reading: Array(line.utf8), formats).variants[0]
    #expect(variant.files.map(\.type) == ["image/webp"] && variant.files[0].format == 2)
    #expect(variant.highDynamicRangeFile?.type == "image/jpeg")
    var catalog = CatalogFixture.catalog([])
    catalog.formats = formats
    #expect(catalog.types == ["image/webp"])
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
        _ = try Catalog(
          reading: CatalogFixture.document([], head: "\(CatalogFixture.head),\"tables\":\(tables)"))
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

/// Small catalogs, whose files are WebP.
enum CatalogFixture {
  static let webp = CatalogFormat(
    type: "image/webp", fileExtension: "webp", recipe: "0123456789abcdef")

  static let formatsMember =
    #""formats":[{"type":"image/webp","extension":"webp","recipe":"0123456789abcdef"}]"#

  /// Everything but images, without the closing bracket.
  static let head =
    #"{"schema":"tessera-catalog/1","generator":{"name":"","version":"","libvips":""},"#
    + #""pipeline":{"name":"","fingerprint":""},\#(formatsMember),"#
    + #""slots":{"card":{"width":180,"mode":"fit"}},"scales":[1,2]"#

  /// The source of an image, as an image has it in the names of its files.
  static func source(_ id: String) -> String { String(SHA256.of(id).prefix(32)) }

  /// The name of a file.
  static func path(
    _ width: Int, _ height: Int, crop: String? = nil, of source: String = source("a"),
    _ format: CatalogFormat = webp
  ) -> String {
    FileName.path(
      source: source, width: width, height: height, crop: crop, recipe: format.recipe ?? "",
      fileExtension: format.fileExtension ?? "")
  }

  /// A variant with one file.
  static func variant(
    _ width: Int, _ height: Int, crop: String? = nil, of source: String = source("a"),
    bytes: Int = 1
  ) -> CatalogVariant {
    CatalogVariant(
      width: width, height: height, crop: crop,
      files: [
        .init(
          format: 0, path: path(width, height, crop: crop, of: source), type: "image/webp",
          bytes: bytes)
      ])
  }

  /// A document of images as they are written, with its digest.
  static func document(_ lines: [String], head: String = head) -> [UInt8] {
    CatalogDocument.document(Array("\(head)}".utf8), lines.map { Array($0.utf8) }) {
      SHA256.of(Array($0))
    }
  }

  /// The document of a catalog, and the catalog with its digest.
  static func document(_ catalog: Catalog) -> (bytes: [UInt8], catalog: Catalog) {
    var catalog = catalog
    catalog.digest = nil
    let bytes = CatalogDocument.document(catalog.sortedHeadLine, catalog.images.map(\.json)) {
      SHA256.of(Array($0))
    }
    catalog.digest = CatalogDocument.statedDigest(of: bytes)
    return (bytes, catalog)
  }

  static func catalog(_ images: [CatalogImage]) -> Catalog {
    Catalog(
      generator: .init(name: "", version: "", libvips: ""),
      pipeline: .init(name: "", fingerprint: ""), baseURL: nil, formats: [webp],
      slots: ["card": .init(width: 180, height: nil, mode: .fit)], scales: [1, 2], images: images)
  }
}

extension CatalogVariant {
  /// By which tests know a variant.
  var size: String { "\(width)x\(height)" }
}

extension CatalogValue {
  /// Any JSON.
  init(json: some Sequence<UInt8>) throws {
    var scanner = JSONScanner(Array(json))
    self = try Self.read(from: &scanner)
  }
}
