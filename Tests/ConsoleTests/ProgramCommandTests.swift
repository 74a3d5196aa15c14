import Foundation
import TesseraPipelineFile
import TesseraTestSupport
import Testing

@testable import tessera

extension StreamTests {
  /// Commands about the program itself, and those that begin a pipeline.
  @Suite struct ProgramCommandTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func tessera(_ words: String...) async throws -> End {
      try await StreamTests.tessera(words)
    }

    @Test func completionsAreForAShell() async throws {
      for shell in Shell.allCases {
        #expect(
          try await tessera("completions", shell.rawValue)
            == End(status: 0, output: shell.script(Commands.help)))
      }
      #expect(
        try await tessera("completions", "sh")
          == End(
            status: 64, output: "",
            errors: "the shell must be one of bash, zsh, fish, found \"sh\""))
    }

    @Test func theManualIsWritten() async throws {
      let man = try await tessera("man", folder.path("man"))
      let paths = man.output.split(separator: "\n")
      #expect(
        man.status == 0 && paths.count == Commands.help.commands.count + HelpPage.all.count + 2)
      #expect(paths.first.map(String.init) == "\(folder.path("man"))/man1/tessera.1")
      #expect(try await tessera("man", folder.path("q"), "--quiet") == End(status: 0, output: ""))
      #expect(folder.files(below: "q").count == paths.count)
      #expect(
        try await tessera("man", "--reference")
          == End(status: 0, output: Commands.help.reference))
      #expect(
        try await tessera("man")
          == End(
            status: 64, output: "", errors: "name a folder: tessera man DIR; or say --reference"))
    }

    /// What is in the repository is what the program prints.
    @Test func documentsAreThoseOfTheRepository() async throws {
      func file(_ path: String) throws -> String {
        try String(contentsOf: Places.root.appending(path: path), encoding: .utf8)
      }
      #expect(try Commands.help.reference == file("Pipelines/COMMANDS.md"))
      let schema = try await tessera("schema")
      #expect(try schema == End(status: 0, output: file("Pipelines/pipeline.schema.json")))
      let keys = try await tessera("schema", "--keys")
      #expect(keys == End(status: 0, output: PipelineFile.commentedKeys))
      #expect(try file("Pipelines/KEYS.md").contains("```yaml\n\(keys.output)```"))
    }

    @Test func initSaysWhatIsNext() async throws {
      try folder.write(
        "http://localhost/a.jpg\nfile:///none/b.jpg\nhttp://10.0.0.1/\nx\n", to: "l.txt")
      let (new, other) = (folder.path("new"), folder.path("other"))
      let begun = try await tessera("init", new)
      let manifest = "\(new)/manifest.jsonl"
      #expect(
        begun
          == End(
            status: 0,
            output: """
              \(new)/pipeline.yaml
              next: write the URLs of your images into \(manifest), then tessera run \
              \(new)/pipeline.yaml, then tessera gallery \(new)/output

              """))
      let list = try await tessera("init", other, "--from", folder.path("l.txt"))
      let place = folder.url.resolvingSymlinksInPath().path
      #expect(
        list
          == End(
            status: 0,
            output: """
              \(other)/pipeline.yaml
              \(place)/l.txt: 3 images
              1 line of the list can't be used: tessera check \(other)/pipeline.yaml names it
              the list has images at servers of this machine, private networks, /none: if it is \
              your own, remove "# " before "fetch" and "allow" in \(other)/pipeline.yaml
              next: after that, tessera run \(other)/pipeline.yaml, then tessera gallery \(other)/output

              """))
      let again = try await tessera("init", new)
      #expect(again.status == 2 && again.errors.contains("exists already"))
      #expect(
        try await tessera("init", folder.path("q"), "--quiet") == End(status: 0, output: ""))
      let json = try await tessera("init", folder.path("j"), "--json")
      #expect(
        json.output.hasPrefix(
          "{\n  \"schema\": \"tessera-init/1\","
            + "\n  \"pipeline\": \"\(folder.path("j"))/pipeline.yaml\","))
    }

    @Test func initListsTheImagesAgain() async throws {
      let out = folder.path("new")
      let urls = (1...2).map { "https://example.com/\($0).jpg" }
      try #require(try await tessera("init", out, "--from", urls[0]).status == 0)
      let update = try await tessera("init", out, "--manifest-only", "--from", urls[1])
      #expect(
        update
          == End(
            status: 0,
            output: """
              \(out)/manifest.jsonl: 2 images, 1 added, 0 removed
              next: tessera run \(out)/pipeline.yaml

              """))
      let rejected = try await tessera(
        "init", out, "--manifest-only", "--from", "http://10.0.0.1/a", "--from", "http://[::1]/b")
      #expect(
        rejected.output.contains(
          "the pipeline does not permit some of them: add private, loopback to \"allow\" below "
            + "\"fetch\"\n"
        ))
      for (count, end) in [
        (1, "1.txt"), (3, "1.txt, 2.txt, 3.txt"), (4, "1.txt, 2.txt, 3.txt and 1 more"),
      ] {
        for number in 1...count { try folder.write("x", to: "p\(count)/\(number).txt") }
        try FileManager.default.copyItem(
          at: Places.fixture("grey.png"), to: folder.url.appending(path: "p\(count)/x.png"))
        let lines = try await tessera(
          "init", out, "--manifest-only", "--from", folder.path("p\(count)"))
        #expect(
          lines.output.split(separator: "\n")[1]
            == "  left out as not an image: \(count) (\(end))")
      }
      // Without names, it looks where the pipeline permits files.
      let none = try await tessera("init", out, "--manifest-only")
      #expect(
        none.status == 2
          && none.errors.contains("permits no folder that exists; name the images to list"),
        "\(none)"
      )
    }

    /// Commands whose output is not a document do not accept an option for one.
    @Test func manAndCompletionsHaveNoJSON() async throws {
      for name in ["man", "completions"] {
        let end = try await tessera(name, name == "man" ? folder.path("m") : "bash", "--json")
        #expect(end.status == 64)
        #expect(end.errors == "\(name) has no option \"--json\"; see tessera \(name) --help")
        #expect(folder.files(below: "m").isEmpty)
        #expect(try await !tessera(name, "--help").output.contains("--json"))
      }
    }

    @Test func whySaysWhereIDsAre() async throws {
      let end = try await tessera("why", folder.path("out"))
      #expect(end.status == 64)
      #expect(end.errors.hasSuffix("; tessera status OUTPUT lists what failed, with ids"))
    }

    @Test func doctorAndCompareTakeWhatTheyCan() async throws {
      #expect(
        try await tessera("doctor", "example.com/a.jpg").errors
          == "there is no folder \"example.com/a.jpg\"; if it is a URL, write "
          + "https://example.com/a.jpg; if a run is to create it, ./example.com/a.jpg")
      #expect(
        try await tessera("doctor", "ftp://me:pw@a/b")
          == End(
            status: 64, output: "",
            errors: "doctor takes outputs and http(s) URLs, and no URL of \"ftp\""))
      let none = try await tessera("compare", folder.path("a"), folder.path("b"))
      #expect(none.status == 2 && none.errors.contains("could not open \"\(folder.path("a"))\""))
      #expect(try await tessera("compare", folder.path("a")).status == 64)
    }

    @Test func commandsAreListedOnce() {
      let names = Commands.help.commands.map { $0.name }
      #expect(
        names == [
          "init", "check", "plan", "probe", "doctor", "run", "make", "split", "merge", "status",
          "why",
          "gallery",
          "export", "diff", "verify", "prune", "forget", "rollback", "warm", "compare", "schema",
          "completions", "man",
        ])
      #expect(
        names.filter { name in Commands.help.commands.contains { $0.name == name && $0.keepsWork } }
          == ["run", "merge", "forget"])
    }
  }
}
