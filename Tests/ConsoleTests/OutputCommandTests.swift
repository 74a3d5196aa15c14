import TesseraTestSupport
import Testing

extension StreamTests {
  /// Commands that take an output, on one that is on disk.
  @Suite struct OutputCommandTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func tessera(_ words: String...) async throws -> End {
      try await StreamTests.tessera(words)
    }

    @Test func diffNamesWhatChanged() async throws {
      let old = try folder.write(
        folder.text(of: "abc", scale: 2) { $0 == "b" ? "b.example" : "example.com" },
        to: "old.json")
      let out = try folder.writeOutput("bcd", failed: 1)
      let lines = "~ b: url\n+ d\n+ f0\n- a\n"
      let summary =
        "2 images added, 1 removed, 1 changed, 1 the same, 1 of them moved; "
        + "other members changed: scales\n"
      let all = try await tessera("diff", old, out)
      #expect(all == End(status: 0, output: lines, errors: summary))
      let quiet = try await tessera("diff", old, out, "--quiet")
      #expect(quiet == End(status: 0, output: lines))
      let same = try await tessera("diff", out, out)
      #expect(
        same
          == End(
            status: 0, output: "", errors: "0 images added, 0 removed, 0 changed, 4 the same\n"))
      let moved = try folder.write(
        folder.text(of: "cb"), to: "moved.json")
      let other = try folder.write(folder.text(of: "bc"), to: "other.json")
      #expect(
        try await tessera("diff", moved, other).errors.hasPrefix(
          "0 images added, 0 removed, 0 changed, 2 the same, "))
      let changes = try await tessera("diff", old, out, "--changes")
      #expect(changes.status == 0 && changes.errors.isEmpty)
      #expect(changes.output.hasPrefix("{\"schema\":\"tessera-changes/1\",\"from\":\""))
      let json = try await tessera("diff", old, out, "--json")
      #expect(json.status == 0 && json.output.contains("\"added\""))
      let missing = try await tessera("diff", old, folder.path("none"), "--json")
      #expect(missing.status == 2 && !missing.output.contains("changes"))
      #expect(missing.errors.hasPrefix("tessera: "))
    }

    @Test func galleryWritesAPage() async throws {
      let out = try folder.writeOutput("abc")
      let page = "\(out)/gallery.html"
      #expect(try await tessera("gallery", out) == End(status: 0, output: "\(page): 3 images\n"))
      #expect(
        try await tessera("gallery", out, "--limit", "2")
          == End(status: 0, output: "\(page): 3 images, 2 shown\n"))
      #expect(
        try await tessera("gallery", out, "--limit", "3")
          == End(status: 0, output: "\(page): 3 images\n"))
      #expect(try await tessera("gallery", out, "--quiet") == End(status: 0, output: ""))
      #expect(try await tessera("gallery", out, "--json").output.contains("\"images\": 3,"))
      #expect(try await tessera("gallery", folder.path("none")).status == 2)
    }

    @Test func pruneDeletesWhatIsNotNamed() async throws {
      let out = try folder.writeOutput("abc")
      try folder.writeOutput("b")
      let (a, c) = (TemporaryFolder.file("a"), TemporaryFolder.file("c"))
      let dry = try await tessera("prune", out, "--dry-run")
      #expect(dry.status == 0 && dry.output.contains("\(a) "), "\(dry)")
      #expect(
        dry.output.hasSuffix("0 files would be deleted (0 B), 1 kept, 2 waiting (10 B)\n")
          || dry.output.contains("0 files would be deleted (0 B), 1 kept, 2 waiting (10 B; "))
      let waits = try await tessera("prune", out)
      #expect(waits.output.hasPrefix("0 files deleted (0 B), 1 kept, 2 waiting (10 B"))
      #expect(waits.output.contains("; the first until 2"))
      #expect(try await tessera("prune", out, "--quiet") == End(status: 0, output: ""))
      let would = try await tessera("prune", out, "--grace", "0s", "--dry-run")
      #expect(
        would
          == End(status: 0, output: "\(a)\n\(c)\n2 files would be deleted (10 B), 1 kept\n"))
      let json = try await tessera("prune", out, "--grace", "0s", "--dry-run", "--json")
      #expect(json.output.hasPrefix("{\n") && json.output.contains("\"deleted\": 2"))
      let done = try await tessera("prune", out, "--grace", "0s")
      #expect(done == End(status: 0, output: "2 files deleted (10 B), 1 kept\n"))
      #expect(folder.files(below: "out/variants").count == 1)
      #expect(try await tessera("prune", folder.path("none")).status == 2)
    }

    @Test func verifyReportsEachFile() async throws {
      let out = try folder.writeOutput("ab")
      let broken = try await tessera("verify", out)
      #expect(broken.status == 1)
      let lines = broken.output.split(separator: "\n")
      #expect(lines.count == 3 && lines[0].hasPrefix("a: the file \(TemporaryFolder.file("a")) "))
      #expect(lines.last == "2 files of 2 images: 2 problems")
      let json = try await tessera("verify", out, "--json")
      #expect(
        json.status == 1
          && json.output.hasPrefix("{\n  \"schema\": \"tessera-verify/1\",\n  \"images\": 2,"))
      #expect(try await tessera("verify", out, "--quiet").output.split(separator: "\n").count == 2)
      let removed = try await tessera("verify", out, "--remove-broken")
      #expect(
        removed.output.hasSuffix(
          "2 files of 2 images: 2 problems; 2 files deleted, run again to regenerate what is "
            + "missing\n"
        ), "\(removed)")
      try folder.writeOutput("", failed: 1)
      #expect(
        try await tessera("verify", out, "--remove-broken")
          == End(status: 0, output: "0 files of 1 image: no problems\n"))
      #expect(try await tessera("verify", folder.path("none")).status == 2)
    }

    @Test func rollbackListsWhatIsKept() async throws {
      let out = try folder.writeOutput("a")
      #expect(
        try await tessera("rollback", out, "--list")
          == End(status: 0, output: "no earlier catalog is kept\n"))
      let none = try await tessera("rollback", out)
      #expect(none.status == 2 && none.output.isEmpty)
      let json = try await tessera("rollback", out, "--list", "--json")
      #expect(json.status == 0 && json.output.hasPrefix("{"))
      #expect(try await tessera("rollback", out, "--to", "101").status == 64)
    }

    @Test func exportWritesAPage() async throws {
      let out = try folder.writeOutput("ab", failed: 1)
      let page = folder.path("page.html")
      let first = try await tessera("export", out, "--as", "html", "--to", page)
      #expect(first.status == 0, "\(first)")
      #expect(first.output.hasPrefix("\(page): 2 images; 1 without files; beside it "))
      #expect(first.errors.contains("2 images without a text for those who do not see it; "))
      #expect(first.errors.contains("URLs are relative to the catalog's folder: "))
      #expect(try await tessera("export", out, "--as", "html", "--to", page).status == 2)
      let quiet = try await tessera(
        "export", out, "--as", "html", "--to", "\(out)/page.html", "--quiet")
      #expect(quiet == End(status: 0, output: ""))
      let json = try await tessera(
        "export", out, "--as", "html", "--to", "\(out)/p.html", "--json")
      #expect(json.output.contains("\"images\": 2,") && json.errors.isEmpty)
      try folder.writeOutput("", failed: 1)
      let empty = try await tessera("export", out, "--as", "html", "--to", "\(out)/empty.html")
      #expect(
        empty.errors
          == "no image of the catalog has files, so the export shows none; tessera run makes them\n"
      )
    }

    @Test(
      arguments: [
        (
          [],
          "--as is missing: --as html|xcassets|android|sqlite|csv|jsonl"
        ),
        (["--as", "html"], "--to is missing: --to PATH"),
        (
          ["--as", "htm"],
          "--as must be one of html, xcassets, android, sqlite, csv, jsonl, "
        ),
        (["--as", "csv", "--to", "x", "--eager", "1"], pages),
        (["--as", "csv", "--to", "x", "--fluid"], pages),
        (["--as", "csv", "--to", "x", "--nonce", "a"], pages),
        (["--as", "csv", "--to", "x", "--fragments"], pages),
        (
          ["--as", "html", "--to", "x", "--fragments", "--nonce", "a"],
          "--lang and --nonce are for a page, and --fragments writes none"
        ),
      ] as [([String], String)])
    func exportHasOptionsOfItsOwn(_ words: [String], _ message: String) async throws {
      let end = try await StreamTests.tessera(["export", folder.path("none")] + words)
      #expect(end.status == 64 && end.errors.hasPrefix(message) && end.output.isEmpty)
    }

    private static let pages =
      "--eager, --fluid, --reduced-data, --lang, --nonce and --fragments are for --as html"

    @Test func whatIsNotThereIsAnError() async throws {
      let none = folder.path("none")
      for words in [
        ["why", none, "a"], ["warm", none], ["forget", none, "a"], ["merge", none],
        ["merge", none, none, "--into", none], ["forget", none, "a", "--undo"],
      ] {
        let end = try await StreamTests.tessera(words)
        #expect(
          end.status == 2 && end.output.isEmpty && end.errors.hasPrefix("tessera: "), "\(words)")
      }
      // From one shard to a hundred thousand.
      for (number, isUsage) in [("0", true), ("1", false), ("100000", false), ("100001", true)] {
        let end = try await StreamTests.tessera(["merge", none, "--shards", number])
        #expect((end.status == 64) == isUsage, "\(number): \(end.errors)")
      }
      #expect(
        try await tessera("merge", none, none)
          == End(
            status: 64, output: "",
            errors:
              "merge takes several outputs only with --into, which names the output of them all"
          ))
      #expect(
        try await tessera("forget", none)
          == End(
            status: 64, output: "",
            errors: "name the images: tessera forget OUTPUT ID…, or --url URL"))
    }
  }
}

extension TemporaryFolder {
  /// The catalog of an output with these images.
  fileprivate func text(
    of letters: String, scale: Int = 1, host: (Character) -> String = { _ in "example.com" }
  ) throws -> String {
    try writeOutput(letters, scale: scale, host: host)
    return try text("out/catalog.json")
  }
}
