import Foundation
import TesseraBytes
import TesseraCatalog
import TesseraTestSupport
import Testing

@testable import tessera

/// Whole exports for the web, of one small catalog.
@Suite struct WebExportTests {
  private let small: SmallOutput
  /// `a1.webp` and `a2.webp` of one image, `b.png` of another.
  private let files: [SmallOutput.Made]
  private let root: String
  private static let hash = "3wcKMhpwcIh3d3iHgIAH+Hg="
  private static let inline =
    CatalogPlaceholder.Kind.thumbhash(hash).pixels(CatalogSize(width: 10, height: 10))?.dataURL
    ?? ""

  init() async throws {
    small = try SmallOutput()
    root = small.root
    files = [
      try small.make(Array("one".utf8), of: "a", width: 18, height: 24, type: "image/webp"),
      try small.make(Array("four".utf8), of: "a", width: 36, height: 48, type: "image/webp"),
      try small.make(Array("other".utf8), width: 18, height: 18, crop: "00000000"),
    ]
    var preferred = files[1]
    (preferred.type, preferred.bytes) = ("image/avif", 9)
    let second = SmallOutput.variant([preferred, files[1]])
    try await small.publish(
      [
        #"{"id":"a","url":"u","status":"ok","width":36,"height":48,"alt":"A","focus":[0.5,0.25],"#
          + ##""placeholder":{"color":"#010203","thumbhash":"\##(Self.hash)"},"##
          + #""source":"\#(files[0].source)","variants":[\#(files[0].json),\#(second)],"#
          + #""slots":{"card":{"width":18,"height":24,"variants":[0,1]}}}"#,
        #"{"id":"none","url":"u","status":"failed","#
          + #""error":{"code":"dns","message":"m","retryable":true}}"#,
        #"{"id":"b\"<","url":"u","status":"ok","width":40,"height":20,"alpha":true,"placeholder":"#
          + #"{"thumbhash":"\#(Self.hash)"},"source":"\#(files[2].source)","variants":[\#(files[2].json)],"#
          + #""slots":{"cut":{"width":18,"height":18,"variants":[0,0]}}}"#,
        // Of no slot.
        #"{"id":"c","url":"u","status":"stale","source":"\#(files[2].source)","variants":[\#(files[2].json)],"#
          + ##""slots":{},"placeholder":{"color":"#040506"}}"##,
      ],
      head: SmallOutput.head(
        #""baseURL":"https://cdn/","slots":{"cut":{"width":18,"height":18,"mode":"clip"},"#
          + #""card":{"width":18,"mode":"fit"}},"scales":[1,2]"#))
  }

  private func export(
    _ form: CatalogExport.Form, to name: String, _ change: (inout ExportOptions) -> Void = { _ in }
  ) async throws -> ExportReport {
    var options = ExportOptions()
    change(&options)
    return try await CatalogExport(root, as: form, options, worker: "none")
      .write(to: small.folder.path(name))
  }

  private func url(_ index: Int) -> String { "https://cdn/\(files[index].path)" }

  /// The large file of the first image in the format that is preferred.
  private var avif: String { url(1).replacing(".webp", with: ".avif") }

  private static func name(_ id: String) -> String { "tessera-i\(SHA256.of(id).prefix(12))" }

  private var pictures: [String] {
    [
      "<picture data-id=\"a\" data-slot=\"card\"><img class=\"tessera tessera-card \(Self.name("a"))\""
        + " src=\"\(url(0))\" srcset=\"\(url(0)) 1x, \(url(1)) 2x\" width=\"18\" height=\"24\""
        + " alt=\"A\" loading=\"lazy\" decoding=\"async\"></picture>",
      "<picture data-id=\"b&quot;&lt;\" data-slot=\"cut\"><img class=\"tessera tessera-cut "
        + "\(Self.name("b\"<"))\" src=\"\(url(2))\" srcset=\"\(url(2)) 1x\" width=\"18\""
        + " height=\"18\" alt=\"\" loading=\"lazy\" decoding=\"async\"></picture>",
    ]
  }

  private var common: String {
    "img.tessera{max-width:100%;height:auto;background-size:100% 100%}\n"
      + "img.tessera-cut{aspect-ratio:18/18;object-fit:cover}\n"
  }

  private var ofA: String {
    "img.\(Self.name("a")){background-color:rgb(1,2,3);background-image:url(\(Self.inline));"
      + "object-position:50.0% 25.0%}\n"
      + "img.\(Self.name("a")).tessera-card{aspect-ratio:18/24}\n"
  }

  private var ofC: String { "img.\(Self.name("c")){background-color:rgb(4,5,6)}\n" }

  private static let report = ExportReport(
    images: 3, empty: 1, files: 0, isRelative: false, withoutAlt: 2)

  @Test func aPageHasItsStyleSheetBesideIt() async throws {
    var report = Self.report
    report.companions = ["page.css"]
    #expect(try await export(.html, to: "page.html") == report)
    #expect(
      try small.folder.text("page.html") == """
        <!doctype html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <title>feed</title>
        <link rel="stylesheet" href="page.css">
        </head>
        <body>
        <main>
        <h1>feed</h1>
        \(pictures[0])
        \(pictures[1])
        </main>
        </body>
        </html>

        """)
    #expect(try small.folder.text("page.css") == "picture{display:block}\n" + common + ofA)
  }

  @Test func aPageWithANonceHasItsStyleSheetInside() async throws {
    #expect(
      try await export(.html, to: "page.html") {
        $0.nonce = "x&y"
        $0.language = "pt-BR"
        $0.slots = ["card", "card"]
        $0.isFluid = true
        $0.eager = 1
      } == Self.report)
    #expect(
      try small.folder.text("page.html") == """
        <!doctype html>
        <html lang="pt-BR">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <title>feed</title>
        <link rel="preload" as="image" type="image/webp" imagesrcset="\(url(0)) 18w, \(url(1)) 36w" \
        imagesizes="(max-width: 18px) 100vw, 18px" fetchpriority="high">
        <style nonce="x&amp;y">
        picture{display:block}
        img.tessera{max-width:100%;height:auto;background-size:100% 100%}
        img.tessera-card{width:100%;max-width:18px}
        \(ofA)\(ofC)</style>
        </head>
        <body>
        <main>
        <h1>feed</h1>
        <picture data-id="a" data-slot="card"><img class="tessera tessera-card \(Self.name("a"))" \
        src="\(url(0))" srcset="\(url(0)) 18w, \(url(1)) 36w" \
        sizes="(max-width: 18px) 100vw, 18px" width="18" height="24" alt="A" loading="eager" \
        fetchpriority="high" decoding="async"></picture>
        </main>
        </body>
        </html>

        """)
    #expect(!small.folder.files(below: "").contains("page.css"))
  }

  @Test func fragmentsAreJSONByIdsAndSlots() async throws {
    var report = Self.report
    report.companions = ["parts.css"]
    // A nonce is for a page.
    #expect(
      try await export(.html, to: "parts.json") {
        $0.asFragments = true
        $0.nonce = "n"
      } == report)
    func quoted(_ text: String) -> String { "\"" + text.replacing("\"", with: "\\\"") + "\"" }
    #expect(
      try small.folder.text("parts.json") == """
        {
        "a":{"card":\(quoted(pictures[0]))},
        "b\\"<":{"cut":\(quoted(pictures[1]))},
        "c":{}
        }

        """)
    #expect(try small.folder.text("parts.css") == common + ofA + ofC)
    _ = try await export(.html, to: "fluid.json") {
      $0.asFragments = true
      $0.isFluid = true
    }
    #expect(
      try small.folder.text("fluid.css").contains("img.tessera-card{width:100%;max-width:18px}\n"))
  }

  /// The files of a format as eleventy-img describes them.
  private func entry(_ index: Int, format: String, size: Int) -> String {
    let file = files[index]
    let path = file.path.replacing(".webp", with: ".\(format)")
    return #"{"format":"\#(format)","width":\#(file.width),"height":\#(file.height),"#
      + #""url":"https://cdn/\#(path)","sourceType":"image/\#(format)","#
      + #""srcset":"https://cdn/\#(path) \#(file.width)w","filename":"\#(path.dropFirst("variants/3f/9c/".count))","#
      + #""outputPath":"\#(root)/\#(path)","size":\#(size)}"#
  }

  /// Every image has a row, whatever has become of it, and every slot and scale a place in it.
  @Test func imagesAreRows() async throws {
    #expect(try await export(.csv, to: "rows.csv") == Self.report)
    let head =
      "id,status,width,height,format,alt,color,source,error,card width,card height,card @1x,card @2x,"
      + "cut width,cut height,cut @1x,cut @2x,extra"
    #expect(
      try small.folder.text("rows.csv").split(separator: "\r\n").map(String.init) == [
        head, "a,ok,36,48,,A,#010203,u,,18,24,\(url(0)),\(avif),,,,,",
        "none,failed,,,,,,u,dns,,,,,,,,,",
        "\"b\"\"<\",ok,40,20,,,,u,,,,,,18,18,\(url(2)),\(url(2)),",
        "c,stale,,,,,#040506,u,,,,,,,,,,",
      ])
    #expect(try await export(.jsonl, to: "rows.jsonl") { $0.slots = ["card"] }.images == 3)
    let lines = try small.folder.text("rows.jsonl").split(separator: "\n").map(String.init)
    #expect(lines.count == 4)
    #expect(
      lines[0]
        == ##"{"id":"a","status":"ok","width":36,"height":48,"alt":"A","color":"#010203","source":"u","##
        + #""slots":{"card":{"width":18,"height":24,"files":[{"scale":1,"url":"\#(url(0))","type":"image/webp","#
        + #""width":18,"height":24,"bytes":3},{"scale":2,"url":"\#(avif)","type":"image/avif","width":36,"#
        + #""height":48,"bytes":9}]}}}"#)
    #expect(lines[1] == #"{"id":"none","status":"failed","source":"u","error":"dns","slots":{}}"#)
  }
}
