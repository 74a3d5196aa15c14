import Testing

@testable import TesseraConsole

/// What a shell offers for the last word of a line.
@Suite struct CompletionTests {
  private static func words(_ texts: String...) -> CompletionAnswer {
    .words(texts.map { CompletionWord($0) })
  }

  private static func answer(_ words: [String]) -> CompletionAnswer {
    Completions(SampleCommands.help).answer(words)
  }

  private static let commands = [
    CompletionWord("show", "show images"), CompletionWord("list", "list things"),
    CompletionWord("build", "build things"),
  ]

  @Test func theFirstWordIsACommand() {
    #expect(Self.answer([]) == .words([]))
    #expect(Self.answer(["tool"]) == .words([]))
    #expect(
      Self.answer(["tool", ""])
        == .words(
          Self.commands + [
            CompletionWord("help", "the page of a command"), CompletionWord("--help", "this page"),
            CompletionWord("--version", "the version"),
          ]))
    #expect(Self.answer(["tool", "l"]) == .words([CompletionWord("list", "list things")]))
    #expect(Self.answer(["tool", "help", ""]) == .words(Self.commands))
    #expect(Self.answer(["tool", "help", "b"]) == .words([Self.commands[2]]))
    #expect(Self.answer(["tool", "help", "show", ""]) == .words([]))
    #expect(Self.answer(["tool", "nothing", ""]) == .words([]))
  }

  @Test(
    arguments: [
      ("show |", .folders), ("show out |", .ids(of: "out", prefix: "")),
      // The last operand may be repeated.
      ("show out a p|", .ids(of: "out", prefix: "p")),
      ("build |", .files), ("build a |", .words([])), ("list |", .words([])),
      ("show --form |", words("html", "hypertext", "next")), ("show --form n|", words("next")),
      ("show --form x|", .words([])),
      ("show --form=h|", words("html", "hypertext")),
      ("show --form=|", words("html", "hypertext", "next")),
      ("show --to |", .files), ("show --to=a|", .files), ("show --text |", .words([])),
      ("show --text=a|", .words([])), ("show --all=a|", .words([])), ("show --none=a|", .words([])),
      ("show --slot |", .words([])), ("show out --slot c|", .slots(of: "out", prefix: "c")),
      ("show out --slot=c|", .slots(of: "out", prefix: "c")),
      // A value is not an operand, a flag has none, and neither has an option that is not known.
      ("show --all |", .folders), ("show --form html |", .folders),
      ("show --form=html |", .folders),
      ("show --form html out |", .ids(of: "out", prefix: "")), ("show --unknown |", .folders),
      ("show --form --all |", .folders), ("show --to -- |", .folders),
      ("show - |", .ids(of: "-", prefix: "")),
      ("show -- --all |", .ids(of: "--all", prefix: "")), ("show -- -|", .folders),
      ("show -- -- |", .ids(of: "--", prefix: "")),
      ("show --al|", .words([CompletionWord("--all", "all of them")])),
      ("show out --s|", .words([CompletionWord("--slot", "a slot")])),
    ] as [(String, CompletionAnswer)])
  func theLastWordIsCompleted(_ line: String, _ answer: CompletionAnswer) {
    let words = "tool \(line.dropLast())".split(separator: " ", omittingEmptySubsequences: false)
    #expect(Self.answer(words.map(String.init)) == answer, "\(line)")
  }

  @Test func everyOptionIsOffered() {
    let own = [
      CompletionWord("--all", "all of them"), CompletionWord("--form", "the form"),
      CompletionWord("--to", "a file"), CompletionWord("--slot", "a slot"),
      CompletionWord("--text", "a text"),
    ]
    let common = [
      CompletionWord("--json", "results, and errors, as JSON on standard output"),
      CompletionWord("--quiet", "no messages except errors that end the command"),
      CompletionWord("--no-progress", "no progress on standard error"),
      CompletionWord("--help", "this page"),
    ]
    #expect(Self.answer(["tool", "show", "-"]) == .words(own + common))
    #expect(Self.answer(["tool", "list", "--"]) == .words(common))
  }
}

/// The words of a line as shells divide them, and the answers as their scripts read them.
@Suite struct ShellTests {
  @Test(
    arguments: [
      ([], []), (["tool"], ["tool"]), (["tool", "a", ""], ["tool", "a", ""]),
      (["tool", "--form", "=", "h"], ["tool", "--form=h"]),
      (["tool", "--form", "=", ""], ["tool", "--form="]),
      (["tool", "--form", "="], ["tool", "--form="]),
      (["tool", "http", ":", "//a", "b"], ["tool", "http://a", "b"]),
      (["tool", "a", "=:", "b", "c"], ["tool", "a=:b", "c"]),
      (["tool", "a=b", "c"], ["tool", "a=b", "c"]),
      // There is nothing before the first separator that it could belong to.
      (["tool", "=", "a"], ["tool", "=a"]), (["=", "a"], ["=", "a"]),
    ] as [([String], [String])])
  func bashDividesWordsAtSeparators(_ words: [String], _ joined: [String]) {
    #expect(Shell.bash.joined(words) == joined)
    for shell in [Shell.zsh, .fish] { #expect(shell.joined(words) == words) }
  }

  @Test(arguments: Shell.allCases)
  func answersWithoutWordsAreOneLine(_ shell: Shell) {
    let answers: [CompletionAnswer] = [
      .files, .folders, .words([]), .slots(of: "o", prefix: ""), .ids(of: "o", prefix: ""),
    ]
    #expect(
      answers.map { shell.text($0, for: "--form=h") }
        == ["files\n", "folders\n", "words\n", "words\n", "words\n"])
  }

  /// bash replaces what follows the last separator of a value, zsh the value, fish the whole word.
  @Test(
    arguments: [
      ("h", "html", "html", "html\tA page", "html\tA page"),
      ("--form=h", "html", "html", "html\tA page", "--form=html\tA page"),
      ("--form=", "html", "html", "html\tA page", "--form=html\tA page"),
      (
        "--allow=10.0.0.0:", "10.0.0.0:80", "80", "10.0.0.0:80\tA page",
        "--allow=10.0.0.0:80\tA page"
      ),
      ("--x=a=b", "a=bc", "bc", "a=bc\tA page", "--x=a=bc\tA page"),
      ("a:b", "a:bc", "bc", "a:bc\tA page", "a:bc\tA page"),
      ("a=b", "a=bc", "bc", "a=bc\tA page", "a=bc\tA page"),
      ("--fo", "--form", "--form", "--form\tA page", "--form\tA page"),
    ])
  func wordsFollowTheOption(
    _ word: String, _ text: String, _ bash: String, _ zsh: String, _ fish: String
  ) {
    let answer = CompletionAnswer.words([CompletionWord(text, "A page"), CompletionWord(text)])
    #expect(Shell.bash.text(answer, for: word) == "words\n\(bash)\n\(bash)\n")
    let plain = [zsh, fish].map { $0.replacing("A page", with: "") }
    #expect(Shell.zsh.text(answer, for: word) == "words\n\(zsh)\n\(plain[0])\n")
    #expect(Shell.fish.text(answer, for: word) == "words\n\(fish)\n\(plain[1])\n")
  }

  /// A script names its program in every place, and asks it for the answers of its own shell.
  @Test(
    arguments: [
      (Shell.bash, "# Completions of tool for bash", "complete -F _tool tool\n"),
      (Shell.zsh, "#compdef tool\n", "  compdef _tool tool\nfi\n"),
      (
        Shell.fish, "# Completions of tool for fish",
        "complete -c tool -f -a '(__tool_words)'\n"
      ),
    ])
  func theScriptAsksTheProgram(_ shell: Shell, _ start: String, _ end: String) {
    let script = shell.script(program: "tool")
    #expect(script.hasPrefix(start) && script.hasSuffix(end))
    #expect(script.contains(" completions \(shell.rawValue) -- "))
    for answer in ["files", "folders", "words"] { #expect(script.contains(" \(answer)")) }
    #expect(!script.contains("\\(") && !script.contains("#("))
  }
}
