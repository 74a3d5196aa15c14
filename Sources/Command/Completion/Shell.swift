/// A shell for which completions are written, from the description of the commands.
enum Shell: String, CaseIterable, Sendable {
  case bash, zsh, fish

  /// A script that knows all commands, options and their values, and starts no process.
  func script(_ help: Help) -> String {
    switch self {
    case .bash: Self.bash(help)
    case .zsh: Self.zsh(help)
    case .fish: Self.fish(help)
    }
  }

  // MARK: bash and zsh

  private static func bash(_ help: Help) -> String {
    """
    # Completions of \(help.name) for bash: source this file, or put it into
    # /usr/share/bash-completion/completions as \(help.name).
    _\(help.name)() {
      local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}
      local verb=${COMP_WORDS[1]} kind= options= offered= item skip=
      local -i index=$COMP_CWORD place=0
      for item in "${COMP_WORDS[@]:2:COMP_CWORD-2}"; do
    \(counting(help))
      done
      # bash divides words at =.
      [ "$word" != = ] || word=
      [ "$before" != = ] || before=${COMP_WORDS[COMP_CWORD-2]}
      COMPREPLY=()
    \(cases(help) { $0.map(\.name).joined(separator: " ") })
      case $kind in
        files) compopt -o default ;;
        folders) compopt -o dirnames ;;
        *) mapfile -t COMPREPLY < <(compgen -W "$offered" -- "$word") ;;
      esac
    }
    complete -F _\(help.name) \(help.name)

    """
  }

  private static func zsh(_ help: Help) -> String {
    """
    #compdef \(help.name)
    # Completions of \(help.name) for zsh: put this file into a folder of $fpath as _\(help.name), or source it after
    # compinit.
    _\(help.name)() {
      local word=$words[CURRENT] before=$words[CURRENT-1] verb=$words[2]
      local kind= options= offered= line item skip=
      local -i index=$((CURRENT - 1)) place=0
      local -a items
      for item in "${(@)words[3,CURRENT-1]}"; do
    \(counting(help))
      done
      if [[ $word == --*=* ]]; then before=${word%%=*} word=${word#*=}; compset -P '--*='; fi
    \(cases(help) { $0.map { "\($0.name)\t\($0.about)" }.joined(separator: "\n") })
      case $kind in
        files) _files ;;
        folders) _files -/ ;;
        *)
          for line in ${(f)offered}; do
            [[ $line != $word* ]] || items+=("${${line%%$'\\t'*}//:/\\\\:}:${line#*$'\\t'}")
          done
          _describe \(help.name) items ;;
      esac
    }
    if [[ $funcstack[1] == _\(help.name) ]]; then
      _\(help.name) "$@"
    else
      compdef _\(help.name) \(help.name)
    fi

    """
  }

  /// A word, with a line about it.
  private struct Offer {
    var name: String
    var about = ""
  }

  /// Sets `kind` and `offered`: by what is before the word, or else by the command and the word's place.
  ///
  /// - Parameter list: of what is offered, as a shell divides it.
  private static func cases(_ help: Help, _ list: ([Offer]) -> String) -> String {
    let first = help.commands.map { Offer(name: $0.name, about: $0.summary) } + programWords
    let names = help.commands.map { Offer(name: $0.name) }
    return """
        case $verb in
      \(verbs(help, list).joined(separator: "\n"))
          help) kind=words offered=\(quoted(list(names))) ;;
        esac
        if [ $index = 1 ]; then
          kind=words offered=\(quoted(list(first)))
        else
          case $word in -*) kind=words offered=$options ;; esac
          case $verb:$before in
      \(values(help, list).joined(separator: "\n"))
          esac
        fi
      """
  }

  /// Counts the operands before the word: an option's value is not an operand.
  private static func counting(_ help: Help) -> String {
    var names: [String] = []
    for command in help.commands {
      for option in command.syntax.allOptions where option.placeholder != nil {
        names.append(command.name + ":" + option.name)
      }
    }
    return """
          case $verb:$item in
            *:=) ;;
            \(names.joined(separator: " | "))) skip=1 ;;
            *:-?*) skip= ;;
            *) if [ -n "$skip" ]; then skip=; else place+=1; fi ;;
          esac
      """
  }

  private static func assignment(
    _ completion: Completion, _ list: ([Offer]) -> String
  ) -> String {
    switch completion {
    case .nothing: "kind=none"
    case .files: "kind=files"
    case .folders: "kind=folders"
    case .words(let words): "kind=words offered=\(quoted(list(words.map { Offer(name: $0) })))"
    }
  }

  private static func verbs(_ help: Help, _ list: ([Offer]) -> String) -> [String] {
    var verbs: [String] = []
    for command in help.commands {
      let syntax = command.syntax
      let options = quoted(list(syntax.allOptions.map { Offer(name: $0.name, about: $0.help) }))
      let (one, other) = (
        assignment(syntax.completion(at: 0), list), assignment(syntax.completion(at: 1), list)
      )
      verbs.append("    \(command.name)) options=\(options)")
      verbs.append(
        one == other
          ? "      \(one) ;;" : "      if [ $place = 0 ]; then \(one); else \(other); fi ;;")
    }
    return verbs
  }

  /// By the values of options.
  private static func values(_ help: Help, _ list: ([Offer]) -> String) -> [String] {
    var names: [Completion: [String]] = [:]
    for command in help.commands {
      for option in command.syntax.allOptions where option.placeholder != nil {
        let name = command.name + ":" + option.name
        names[option.completion, default: []].append(name)
      }
    }
    var values: [String] = []
    for (completion, names) in names {
      values.append(
        "      \(names.joined(separator: " | "))) \(assignment(completion, list)) ;;")
    }
    return values.sorted()
  }

  private static let programWords: [Offer] = [
    Offer(name: "help", about: "the page of a command"), Offer(name: "--help", about: "this page"),
    Offer(name: "--version", about: "the version"),
  ]

  private static func quoted(_ text: String) -> String {
    "'" + text.replacing("'", with: #"'\''"#) + "'"
  }

  // MARK: fish

  private static func fish(_ help: Help) -> String {
    let names = help.commands.map { $0.name }.joined(separator: " ")
    var rules = [rule("__fish_seen_subcommand_from help", "-a \(fishQuoted(names))", "")]
    for word in help.commands.map({ Offer(name: $0.name, about: $0.summary) }) + programWords {
      let isOption = word.name.hasPrefix("--")
      rules.append(
        rule(
          "__fish_use_subcommand",
          isOption ? "-l \(word.name.dropFirst(2))" : "-a \(word.name)", word.about))
    }
    for command in help.commands { rules += Self.rules(command.name, command.syntax) }
    return """
      # Completions of \(help.name) for fish: put this file into a folder of $fish_complete_path as \(help.name).fish.
      complete -c \(help.name) -f

      """ + rules.map { "complete -c \(help.name) \($0)\n" }.joined()
  }

  private static func rule(_ condition: String, _ rest: String, _ about: String) -> String {
    "-n \(fishQuoted(condition)) \(rest)" + (about.isEmpty ? "" : " -d \(fishQuoted(about))")
  }

  private static func rules(_ name: String, _ syntax: Syntax) -> [String] {
    let isSeen = "__fish_seen_subcommand_from \(name)"
    var rules: [String] = []
    for option in syntax.allOptions {
      let value =
        option.placeholder == nil
        ? "" : option.completion == .files ? " -r -F" : " -x" + fishWords(option.completion)
      rules.append(rule(isSeen, "-l \(option.name.dropFirst(2))\(value)", option.help))
    }
    for (index, test) in ["=", ">"].enumerated() {
      let words = fishWords(syntax.completion(at: index)).dropFirst()
      if words.isEmpty { continue }
      rules.append(
        rule(
          "\(isSeen); and test (count (string match -v -- '-*' (commandline -opc))) \(test) 2",
          String(words), ""))
    }
    return rules
  }

  private static func fishWords(_ completion: Completion) -> String {
    switch completion {
    case .nothing: ""
    case .files: " -a '(__fish_complete_path (commandline -ct))'"
    case .folders: " -a '(__fish_complete_directories (commandline -ct))'"
    case .words(let words): " -a \(fishQuoted(words.joined(separator: " ")))"
    }
  }

  private static func fishQuoted(_ text: String) -> String {
    "'" + text.replacing(#"\"#, with: #"\\"#).replacing("'", with: #"\'"#) + "'"
  }
}

extension Syntax {
  /// What is offered as the first operand, or as one that follows it.
  fileprivate func completion(at index: Int) -> Completion {
    (index == 0 || operands.count == 1 ? operands.first : operands.last)?.completion ?? .nothing
  }
}
