import Foundation
import TesseraTestSupport
import Testing

/// What follows from the description of the commands: the reference, the manual, the completions.
@Suite struct HelpTests {
  /// Every page of help is in the reference, which is compared as a whole; what all pages share is in it once.
  @Test func theReferenceIsWhatTheCommandPrints() async throws {
    let reference = try await Tool.tessera("man", "--reference")
    #expect(try Document("Pipelines/COMMANDS.md").text == reference.output)
    let pages = try Document("Pipelines/COMMANDS.md").blocks("text")
    let shared = Set(pages[0].split(separator: "\n").compactMap { $0.split(separator: " ").first })
    #expect(shared == ["--json", "--quiet", "--no-progress", "--help", "64", "130", "143"])
    #expect(pages.joined().split(separator: "\n").allSatisfy { $0.count <= 100 })
    let help = try await Tool.tessera("--help").output
    let names = help.matches(of: /(?m)^  ([a-z]+) {2,}[a-z]/).map { String($0.1) }
    #expect(names.count >= 17)
    for name in names {
      let page = try await Tool.tessera(name, "--help").output
      #expect(reference.output.contains("## tessera \(name)\n"))
      let listed = try #require(pages.first { $0.hasPrefix("usage: tessera \(name) ") })
      for line in listed.split(separator: "\n") where line.first != "-" {
        let words = line.split(separator: " ").joined(separator: " ")
        #expect(
          page.split(separator: "\n").contains {
            $0.split(separator: " ").joined(separator: " ") == words
          })
      }
    }
  }

  /// The example of each command is a line that the command accepts: its options exist.
  @Test func examplesUseOptionsThatExist() async throws {
    let pages = try Document("Pipelines/COMMANDS.md").blocks("text")
    for page in pages.dropFirst() {
      let example = try #require(page.firstMatch(of: /(?m)^Example: (.*)$/)).1
      for option in example.matches(of: /--[a-z-]+/) {
        #expect([page, pages[0]].contains { $0.contains("  \(option.0) ") }, "\(example)")
      }
    }
  }

  /// A topic has its sections, a section its text, and a word the sections that have it.
  @Test func helpShowsThePages() async throws {
    let topics = [
      "pipeline", "manifest", "catalog", "apps", "running", "runbook", "serving", "machines",
      "reports",
    ]
    #expect(
      try await Tool.tessera("help").output.contains("\n  \(topics.joined(separator: ", "))\n"))
    for topic in topics {
      let page = try Document("Pipelines/\(topic.uppercased()).md").text
      let overview = try await Tool.tessera("help", topic).output
      let titles = page.replacing(/(?ms)^```.*?^```$/, with: "").matches(of: /(?m)^##+ (.*)$/)
        .map { $0.1.replacing("`", with: "") }
      #expect(
        overview.split(separator: "\n").suffix(titles.count).map { $0.drop { $0 == " " } }
          == titles.map { $0[...] })
      #expect(overview.utf8.count < 3_000)
    }
    let section = try await Tool.tessera("help", "running", "roll", "back")
    #expect(section.output.hasPrefix("Roll back\n\n    tessera rollback OUTPUT --list\n"))
    #expect(!section.output.contains("```") && !section.output.contains("]("))
    #expect(try await Tool.tessera("help", "run").output == Tool.tessera("run", "--help").output)
    let found = try await Tool.tessera("help", "crop", "face").output
    #expect(
      found.hasPrefix("  tessera help pipeline 'Where crops are cut: faces, portraits'\n"),
      "\(found)")
    #expect(
      try await Tool.tessera("help", "earlier", "catalog").output.hasPrefix(
        "  tessera rollback --help\n"))
    let alone = try await Tool.tessera("help", "machines", "parallel").output
    #expect(alone.hasPrefix("GNU parallel\n") && !alone.contains("Slurm\n\n"))
    for (words, message) in [
      (["help", "xyzzy"], "tessera: no page has \"xyzzy\"; the topics are pipeline, "),
      (
        ["help", "running", "xyzzy"],
        "tessera: no section of \"running\" has these words; see tessera help running"
      ),
    ] {
      let unknown = try await Tool.run(Places.tessera, words)
      #expect(unknown.status == 64 && unknown.errors.hasPrefix(message), "\(unknown.errors)")
    }
  }

  @Test func theManualIsCleanAndComplete() async throws {
    let folder = try TemporaryFolder()
    let made = try await Tool.tessera("man", folder.path("man"))
    #expect(made.status == 0, "\(made.errors)")
    let paths = made.output.split(separator: "\n").map(String.init)
    #expect(paths.first == folder.path("man/man1/tessera.1"))
    #expect(paths.last == folder.path("man/man5/tessera-pipeline.5"))
    #expect(paths.contains(folder.path("man/man1/tessera-run.1")))
    #expect(paths.contains(folder.path("man/man7/tessera-running.7")))
    // The package's changelog says of which day the version is.
    let changelog = try String(
      contentsOf: Places.root.appending(path: "Examples/package/debian/changelog"), encoding: .utf8)
    let day = try #require(changelog.firstMatch(of: #/ -- .*  \w+, (\d+ \w+ \d+) /#)).1
    let date = try await Tool.run("/bin/date", ["--date", String(day), "+%F"]).output
      .trimmingCharacters(in: .newlines)
    let run = try folder.text("man/man1/tessera-run.1")
    #expect(run.hasPrefix(".TH TESSERA-RUN 1 \(date) "))
    let page = try String(contentsOfFile: try #require(paths.last), encoding: .utf8)
    // A key of the schema, of a group, of the user's own groups, and of a definition.
    for key in ["manifest", "fetch.per\\-host", "slots.NAME.size", "variants.alpha\\-quality"] {
      #expect(page.contains("\n\\fB\(key)\\fR\n"), "\(key)")
    }
    #expect(page.contains("One of fit, fill, clip. Default: fit."))
    guard FileManager.default.isExecutableFile(atPath: "/usr/bin/mandoc") else {
      print("not tested: the manual with mandoc (install mandoc for it)")
      return
    }
    for path in paths {
      let lint = try await Tool.run("/usr/bin/mandoc", ["-Tlint", path])
      #expect(lint.status == 0 && lint.output.isEmpty, "\(lint.output)")
    }
  }

  /// What editors and readers have of the keys is what the program has.
  @Test func theSchemaAndTheListOfKeysArePrinted() async throws {
    let schema = try await Tool.tessera("schema")
    let file = Places.root.appending(path: "Pipelines/pipeline.schema.json")
    #expect(try schema.output == String(contentsOf: file, encoding: .utf8))
    let keys = try await Tool.tessera("schema", "--keys")
    let blocks = try Document("Pipelines/KEYS.md").blocks("yaml")
    #expect(blocks.first == keys.output)
    #expect(try await Tool.tessera("man").status == 64)
  }

  // MARK: Completions in real shells

  /// What a shell offers at the end of a line, without what it says about each word.
  private static func offers(
    _ shell: String, _ line: String, in folder: TemporaryFolder
  ) async throws -> [String]? {
    let path = "/usr/bin/\(shell)"
    guard FileManager.default.isExecutableFile(atPath: path) else {
      print("not tested: completions in \(shell) (install \(shell) for it)")
      return nil
    }
    let script = try await Tool.tessera("completions", shell).output
    let source = try folder.write(script, to: "completions.\(shell)")
    let program =
      switch shell {
      case "bash": bash
      case "zsh": zsh
      default: fish
      }
    let tool = URL(filePath: Places.tessera).deletingLastPathComponent().path
    let result = try await Tool.run(
      path,
      (shell == "bash" ? ["--norc"] : shell == "zsh" ? ["-f"] : ["--no-config"]) + ["-c", program],
      environment: [
        "PATH": "\(tool):/usr/bin:/bin", "SOURCE": source, "LINE": line, "HOME": folder.path(""),
        "FOLDER": folder.path(""),
      ])
    #expect(result.errors.isEmpty, "\(shell): \(result.errors)")
    return result.output.split(separator: "\n").map(String.init).sorted()
  }

  /// Calls the function as bash does, which divides a line at blanks, `=` and `:`.
  private static let bash = #"""
    cd "$FOLDER"; source "$SOURCE"
    compopt() { [ "$2" = default ] && COMPREPLY=("<files>") || COMPREPLY=("<folders>"); }
    mapfile -t COMP_WORDS < <(printf '%s' "$LINE" | sed -E 's/([=:]+)/\n\1\n/g; s/ +/\n/g' | sed '/^$/d')
    [[ $LINE == *[\ =:] ]] && COMP_WORDS+=("")
    COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
    _tessera tessera
    printf '%s\n' "${COMPREPLY[@]}"
    """#

  /// With functions in the place of those that only work while a line is edited.
  private static let zsh = #"""
    cd $FOLDER; autoload -Uz compinit; compinit -u -d $FOLDER/zcompdump
    source $SOURCE
    _files() { [[ $1 == -/ ]] && print '<folders>' || print '<files>'; }
    _describe() { print -l -- ${${(P)2}%%:*}; }
    compset() { :; }
    words=(${(s: :)LINE}); [[ $LINE == *' ' ]] && words+=('')
    CURRENT=$#words
    _tessera
    """#

  private static let fish = #"""
    cd $FOLDER; source $SOURCE
    function __fish_complete_path; echo '<files>'; end
    function __fish_complete_directories; echo '<folders>'; end
    complete -C $LINE | string replace -r '\t.*' ''
    """#

  @Test(
    arguments: [
      ("tessera ga", ["gallery"]), ("tessera ru", ["run"]), ("tessera xyz", []),
      ("tessera run --lay", ["--layout-only"]), ("tessera verify --re", ["--remove-broken"]),
      ("tessera run ", ["<files>"]), ("tessera gallery ", ["<folders>"]),
      ("tessera run --output ", ["<folders>"]),
      ("tessera plan a.yaml --rounding ", ["exact", "half-steps", "power-of-two"]),
      (
        "tessera export out --as ",
        [
          "android", "csv", "html", "jsonl", "sqlite", "xcassets",
        ]
      ),
      ("tessera export out --slot c", []), ("tessera why out ", []),
      ("tessera why --json ", ["<folders>"]),
      ("tessera help ru", ["run"]), ("tessera completions f", ["fish"]),
    ], ["bash", "zsh", "fish"])
  func shellsComplete(_ example: (line: String, offers: [String]), _ shell: String) async throws {
    let folder = try TemporaryFolder()
    guard let offers = try await Self.offers(shell, example.line, in: folder) else { return }
    #expect(offers == example.offers, "\(shell): \(example.line)")
  }

  /// bash takes `=` and `:` for the ends of words, the others do not.
  @Test(
    arguments: [
      ("bash", "tessera export out --as=h", ["html"]),
      ("zsh", "tessera export out --as=h", ["html"]),
      ("fish", "tessera export out --as=h", ["--as=html"]),
      ("bash", "tessera run --output=", ["<folders>"]),
      ("bash", "tessera why --state=d ", ["<folders>"]),
      ("bash", "tessera why --state d ", ["<folders>"]),
      ("zsh", "tessera why --state d ", ["<folders>"]),
    ])
  func separatorsAreParts(_ shell: String, _ line: String, _ words: [String]) async throws {
    let folder = try TemporaryFolder()
    guard let offers = try await Self.offers(shell, line, in: folder) else { return }
    #expect(offers == words)
  }
}
