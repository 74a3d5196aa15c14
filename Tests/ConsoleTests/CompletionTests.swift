import Testing

@testable import tessera

/// The scripts that complete words in shells; `HelpTests` has real shells read them.
@Suite struct CompletionTests {
  @Test(arguments: [
    (
      Shell.bash, "# Completions of tool for bash", "complete -F _tool tool\n",
      ["show:--form) kind=words offered='html hypertext next' ;;"]
    ),
    (
      Shell.zsh, "#compdef tool\n", "  compdef _tool tool\nfi\n",
      ["    show) options='--all\tall of them\n--form\tthe form", "show:--to) kind=files ;;"]
    ),
    (
      Shell.fish, "# Completions of tool for fish", "\n",
      [
        "complete -c tool -n '__fish_use_subcommand' -a show -d 'show images'",
        "complete -c tool -n '__fish_seen_subcommand_from show' -l form -x -a 'html hypertext next' -d 'the form'",
        "complete -c tool -n '__fish_seen_subcommand_from show' -l all -d 'all of them'",
      ]
    ),
  ])
  func aScriptKnowsAllCommands(
    _ shell: Shell, _ start: String, _ end: String, _ parts: [String]
  ) {
    let script = shell.script(SampleCommands.help)
    #expect(script.hasPrefix(start) && script.hasSuffix(end))
    for part in parts {
      #expect(script.contains(part), "\(shell): \(part)")
    }
    for command in SampleCommands.help.commands {
      for option in command.syntax.allOptions {
        #expect(script.contains(shell == .fish ? "-l \(option.name.dropFirst(2))" : option.name))
      }
    }
    #expect(!script.contains("\\("))
  }
}
