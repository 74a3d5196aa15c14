import Foundation
import TesseraCatalog
import TesseraTestSupport
import Testing

/// Links and leftovers in an output (F7, F8, F14, F15, F17, F18), and paths in a catalog (C16).
@Suite struct OutputLinkTests {
  private static let source = "one-pixel.png"

  /// A pipeline with one image from a file, and one variant.
  private static func fixture() throws -> RunFixture {
    try RunFixture(
      manifest: #"{"id":"a","url":"file://\#(Places.fixture(source).path)"}"#,
      keys: "fetch: {allow: [\"files:\(Places.fixtures.path)\"], retries: 0, cache: 1MB}",
      slots: "slots: {a: {size: 8x8}}")
  }

  private static func made() async throws -> RunFixture {
    let fixture = try fixture()
    let result = try await fixture.run()
    #expect(result.status == 0, "\(result.errors)")
    return fixture
  }

  /// Moves something in the output to the folder "victim" and puts a link in its place.
  private static func exchange(_ path: String, in folder: TemporaryFolder) throws {
    let files = FileManager.default
    try files.createDirectory(atPath: folder.path("victim"), withIntermediateDirectories: true)
    let target = folder.path("victim/\(path.split(separator: "/").last ?? "")")
    try files.moveItem(atPath: folder.path("out/\(path)"), toPath: target)
    try files.createSymbolicLink(
      atPath: folder.path("out/\(path)"), withDestinationPath: target)
  }

  private static func message(_ path: String, in folder: TemporaryFolder) -> String {
    "\"\(folder.path("out/\(path)"))\" is a symbolic link, and none is followed inside an output; "
      + "remove it, or replace it with what it leads to"
  }

  /// Kernels before 5.6 lack openat2(2); containers deny it with EPERM.
  @Test(.faults(.f17), arguments: [nil, ENOSYS, EPERM] as [Int32?])
  func aLinkedFolderOfVariantsIsNotFollowed(_ error: Int32?) async throws {
    let fixture = try await Self.made()
    let folder = fixture.folder
    let out = folder.path("out")
    var environment: [String: String] = [:]
    if let error {
      let shim = try await Shim(in: folder, for: out)
      environment = shim.failing("openat2", "\(error)", at: 1, count: 0)
    }
    func tessera(_ words: String...) async throws -> Tool.Result {
      try await Tool.run(Places.tessera, words, environment: environment)
    }
    #expect(try await tessera("verify", out, "--deep").status == 0)
    let file = try #require(folder.files(below: "out/variants").first)
    let fan = "variants/\(file.prefix(2))"
    try Self.exchange(fan, in: folder)
    let victims = folder.files(below: "victim")
    #expect(victims.count == 1)

    for options in [[], ["--deep"], ["--remove-broken"]] {
      let verified = try await Tool.run(
        Places.tessera, ["verify", out] + options, environment: environment)
      #expect(verified.status == 1)
      #expect(
        verified.output.contains("\(file) can't be read: \(Self.message(fan, in: folder))"),
        "\(verified.output)")
    }
    // Nothing is named any more, and nothing is deleted through the link.
    var catalog = try fixture.catalogText
    catalog.replace(#""variants":[{"#, with: #""x":[{"#)
    let text = try fixture.catalogText
    try folder.write(catalog, to: "out/catalog.json")
    let pruned = try await tessera("prune", out, "--grace", "0s")
    #expect(pruned.status == 0, "\(pruned.errors)")
    #expect(pruned.output.contains("1 not made by tessera"), "\(pruned.output)")
    try folder.write(text, to: "out/catalog.json")

    try fixture.write(
      keys: "fetch: {allow: [\"files:\(Places.fixtures.path)\"]}\nvariants: {quality: 50}",
      slots: "slots: {a: {size: 8x8}}")
    let run = try await fixture.run(environment: environment)
    #expect(run.status == 2)
    #expect(run.errors.contains("tessera: \(Self.message(fan, in: folder))\n"), "\(run.errors)")
    #expect(folder.files(below: "victim") == victims)
    #expect(try fixture.catalogText == text)

    // Removing the link, as the message says, is enough.
    unlink(folder.path("out/\(fan)"))
    #expect(try await fixture.run(environment: environment).status == 0)
    try await fixture.expectWhole()
  }

  /// Each of these in turn is a link: the run ends before it writes anything.
  @Test(
    .faults(.f8),
    arguments: [
      "variants", ".tessera", ".tessera/staging", ".tessera/spool", ".tessera/cache",
      ".tessera/state.sqlite", ".tessera/lock",
    ])
  func aLinkInTheWayEndsTheRun(_ path: String) async throws {
    let fixture = try await Self.made()
    let folder = fixture.folder
    let text = try fixture.catalogText
    try Self.exchange(path, in: folder)
    let victims = folder.files(below: "victim")
    let result = try await fixture.run()
    #expect(result.status == 2)
    #expect(result.errors == "tessera: \(Self.message(path, in: folder))\n")
    #expect(folder.files(below: "victim") == victims)
    #expect(try fixture.catalogText == text)
  }

  /// The documents are replaced, not followed; the tools do not read them through a link.
  @Test func linkedDocumentsAreNotFollowed() async throws {
    let fixture = try await Self.made()
    let folder = fixture.folder
    let text = try fixture.catalogText
    try Self.exchange("catalog.json", in: folder)
    for words in [
      ["verify", "OUT"], ["prune", "OUT"], ["gallery", "OUT"],
      ["export", "OUT", "--as", "html", "--to", folder.path("page.html")],
    ] {
      let result = try await Tool.run(
        Places.tessera, words.map { $0 == "OUT" ? folder.path("out") : $0 })
      #expect(result.status == 2)
      #expect(
        result.errors == "tessera: \(Self.message("catalog.json", in: folder))\n", "\(words)")
    }
    try Self.exchange("run.json", in: folder)
    try folder.write("precious", to: "victim/run.json")
    #expect(try await fixture.run().status == 0)
    #expect(try folder.text("victim/run.json") == "precious")
    #expect(try folder.text("victim/catalog.json") == text)
    #expect(try fixture.catalogText == text)
  }

  /// The user may choose a link as the output, on another file system than the temporary folder.
  @Test(.faults(.f14)) func theOutputMayBeALink() async throws {
    let fixture = try Self.fixture()
    let folder = fixture.folder
    // A file system in memory, unlike the folder of the pipeline (F14).
    let other = "/dev/shm/\(folder.url.lastPathComponent)"
    try FileManager.default.createDirectory(atPath: other, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: other) }
    try FileManager.default.createSymbolicLink(
      atPath: folder.path("out"), withDestinationPath: other)
    #expect(try await fixture.run().status == 0)
    #expect(try await fixture.run().status == 0)
    #expect(try await Tool.tessera("verify", folder.path("out"), "--deep").status == 0)
    #expect(try await Tool.tessera("gallery", folder.path("out")).status == 0)
    #expect(FileManager.default.fileExists(atPath: other + "/gallery.html"))
    #expect(FileManager.default.fileExists(atPath: other + "/.tessera/state.sqlite"))
  }

  /// With umask 077 nothing breaks (F15), and the workspace is private with any umask.
  @Test(.faults(.f15), arguments: [("077", "700"), ("022", "755")])
  func theUmaskDecidesOnRights(_ mask: String, _ rights: String) async throws {
    let fixture = try Self.fixture()
    let folder = fixture.folder
    let command = "umask \(mask); \(Places.tessera) run \(folder.path("feed.yaml"))"
    #expect(try await Tool.run("/bin/sh", ["-c", command]).status == 0)
    let modes = try await Tool.run(
      "/usr/bin/stat", ["-c", "%a", folder.path("out/variants"), folder.path("out/.tessera")])
    #expect(modes.output == "\(rights)\n700\n")
    #expect(try await fixture.run().status == 0)
  }

  /// What a killed process left, of any kind, is removed at the start of the next run; what a user put
  /// there is not.
  @Test(.faults(.f18)) func leftoversOfEveryKindAreRemoved() async throws {
    let fixture = try await Self.made()
    let folder = fixture.folder
    let victim = try folder.write("precious", to: "victim")
    let kept = folder.files(below: "out")
    for place in [".tessera/staging", ".tessera/spool", ".tessera/cache"] {
      let path = folder.path("out/\(place)")
      try FileManager.default.createDirectory(
        atPath: "\(path)/folder/inner", withIntermediateDirectories: true)
      try folder.write("x", to: "out/\(place)/folder/inner/file")
      mkfifo("\(path)/pipe", 0o600)
      symlink(victim, "\(path)/link")
      symlink(folder.path(""), "\(path)/folder/link")
      mkdir("\(path)/locked", 0)
      mknod("\(path)/socket", S_IFSOCK | 0o600, 0)
    }
    for name in ["run.json", "catalog.json", "gallery.html", "page.html"] {
      try folder.write("half", to: "out/\(name).tessera-99999999.new")
    }
    try FileManager.default.createDirectory(
      atPath: folder.path("out/Images.xcassets.tessera-99999999.new/draft"),
      withIntermediateDirectories: true)
    let mine = ["notes.new", "run.json.1.new", "tessera-1.new"]
    for name in mine { try folder.write("mine", to: "out/\(name)") }
    let result = try await fixture.run()
    #expect(result.status == 0, "\(result.errors)")
    #expect(folder.files(below: "out") == (kept + mine).sorted())
    let names = { (place: String) in
      try FileManager.default.contentsOfDirectory(atPath: folder.path("out/\(place)")).sorted()
    }
    #expect(
      try names("") == ([".tessera", "catalog.json", "run.json", "variants"] + mine).sorted())
    #expect(try names(".tessera/staging").isEmpty)
    #expect(try names(".tessera/spool").isEmpty)
    #expect(try names(".tessera/cache").count == 1)
    #expect(try folder.text("victim") == "precious")
  }

  /// An export and a gallery remove what a killed one left beside their target.
  @Test func draftsBesideAnExportAreRemoved() async throws {
    let fixture = try await Self.made()
    let folder = fixture.folder
    for (target, words) in [
      ("page.html", ["export", "OUT", "--as", "html", "--to", "TARGET"]),
      ("out/gallery.html", ["gallery", "OUT"]),
    ] {
      let left = folder.path("\(target).tessera-99999999.new")
      try FileManager.default.createDirectory(
        atPath: left + "/draft", withIntermediateDirectories: true)
      let result = try await Tool.run(
        Places.tessera,
        words.map {
          ["OUT": folder.path("out"), "TARGET": folder.path(target)][$0] ?? $0
        })
      #expect(result.status == 0, "\(result.errors)")
      #expect(!FileManager.default.fileExists(atPath: left))
      #expect(FileManager.default.fileExists(atPath: folder.path(target)))
    }
  }

  /// A published file with a second name is fine to read, and replacing it leaves that name alone (F8).
  @Test(.faults(.f8)) func hardLinksAreReadAndNotWrittenThrough() async throws {
    let fixture = try await Self.made()
    let folder = fixture.folder
    let file = try #require(folder.files(below: "out/variants").first)
    link(folder.path("out/variants/\(file)"), folder.path("second"))
    link(folder.path("out/run.json"), folder.path("report"))
    let (second, report) = (try folder.read("second"), try folder.read("report"))
    #expect(try await Tool.tessera("verify", folder.path("out"), "--deep").status == 0)
    #expect(try await fixture.run().status == 0)
    // The file is damaged through its second name: it is replaced, and the second name stays.
    try Data("damaged".utf8).write(to: URL(filePath: folder.path("second")), options: [])
    #expect(
      try await Tool.tessera("verify", folder.path("out"), "--remove-broken").status == 1)
    #expect(try await fixture.run().status == 0)
    #expect(try folder.text("second") == "damaged")
    #expect(try folder.read("out/variants/\(file)") == second)
    #expect(try folder.read("report") == report)
  }

  /// A file that was exchanged with another valid one, and a catalog that states its bytes: its size or
  /// its type is not what the catalog says (F11).
  @Test(.faults(.f11)) func verifyComparesSizeAndTypeWithTheCatalog() async throws {
    let fixture = try RunFixture(
      manifest: #"{"id":"a","url":"file://\#(Places.fixture("plain.jpg").path)"}"#,
      keys: "fetch: {allow: [\"files:\(Places.fixtures.path)\"]}\n"
        + "variants: {format: [webp, jpeg]}\nscales: [1]\nrounding: exact",
      slots:
        "slots: {a: {size: 40x40, mode: clip}, b: {size: 60x40, mode: clip}, c: {size: 40x60, mode: clip}}"
    )
    #expect(try await fixture.run().status == 0)
    let text = try fixture.catalogText
    let variants = try #require(try fixture.catalog.images.first?.variants)
    let first = variants[0]
    let other = try #require(variants.first { $0.width != 40 })
    let tall = try #require(variants.first { $0.height != 40 })
    let jpeg = try #require(first.also.first)
    for (path, bytes, problem) in [
      (other.reference, other.bytes ?? 0, "\(other.width) x \(other.height) pixels"),
      (tall.reference, tall.bytes ?? 0, "\(tall.width) x \(tall.height) pixels"),
      (jpeg.reference, jpeg.bytes ?? 0, "is a JPEG image instead of image/webp"),
    ] {
      let place = fixture.folder.path("out/\(first.reference)")
      let whole = try Data(contentsOf: URL(filePath: place))
      try fixture.folder.read("out/\(path)").write(to: URL(filePath: place))
      try fixture.folder.write(
        text.replacing(
          "\"bytes\":[\(first.bytes ?? 0)", with: "\"bytes\":[\(bytes)", maxReplacements: 1),
        to: "out/catalog.json")
      for options in [[], ["--deep"]] {
        let result = try await Tool.run(
          Places.tessera, ["verify", fixture.folder.path("out")] + options)
        #expect(result.status == 1)
        let sentence =
          problem.hasPrefix("is")
          ? problem : "has \(problem) instead of \(first.width) x \(first.height)"
        #expect(result.output.contains("\(first.reference) \(sentence)\n"), "\(result.output)")
      }
      try whole.write(to: URL(filePath: place))
    }
  }

  /// Sources whose files' names would leave the catalog's folder, or name a scheme (C16).
  @Test(
    .faults(.c16),
    arguments: [
      "../victim", "/etc/passwd", "../../victim", "ab/../../../victim",
      "https://example.com/a.webp",
      "javascript:alert(1)", "file:///etc/passwd", "//example.com/a", "a\\\\a", "",
    ])
  func foreignNamesInACatalogAreRejected(_ name: String) async throws {
    let fixture = try await Self.made()
    let folder = fixture.folder
    try folder.write("precious", to: "victim")
    let source = try #require(try fixture.catalog.images.first?.source)
    try folder.write(
      try fixture.catalogText.replacing(source, with: name), to: "out/catalog.json")
    let verified = try await Tool.tessera("verify", folder.path("out"), "--remove-broken")
    #expect(verified.status == 1)
    #expect(verified.output.contains("has a name that no run gives"), "\(verified.output)")
    for words in [
      ["gallery", "OUT"], ["export", "OUT", "--as", "html", "--to", "TARGET"],
      ["export", "OUT", "--as", "android", "--to", "TARGET"],
    ] {
      let result = try await Tool.run(
        Places.tessera,
        words.map { ["OUT": folder.path("out"), "TARGET": folder.path("target")][$0] ?? $0 })
      #expect(result.status == 2)
      #expect(result.errors.contains("source: expected 32 hexadecimal digits"), "\(result.errors)")
      #expect(!FileManager.default.fileExists(atPath: folder.path("target")))
    }
    #expect(try await Tool.tessera("prune", folder.path("out")).status == 0)
    #expect(try folder.text("victim") == "precious")
  }
}
