extension Shell {
  /// The script that a shell reads. It asks the program itself, so that it never falls behind it.
  package func script(program: String) -> String {
    switch self {
    case .bash: Self.bash(program)
    case .zsh: Self.zsh(program)
    case .fish: Self.fish(program)
    }
  }

  private static func bash(_ program: String) -> String {
    #"""
    # Completions of \#(program) for bash: source this file, or put it into
    # /usr/share/bash-completion/completions as \#(program).
    _\#(program)() {
      local answer item
      mapfile -t answer < <("${1/#\~/$HOME}" completions bash -- "${COMP_WORDS[@]:0:COMP_CWORD+1}" 2>/dev/null)
      COMPREPLY=()
      case ${answer[0]} in
        files) compopt -o default ;;
        folders) compopt -o dirnames ;;
        words)
          for item in "${answer[@]:1}"; do
            printf -v item %q "$item"
            COMPREPLY+=("$item")
          done ;;
      esac
    }
    complete -F _\#(program) \#(program)

    """#
  }

  private static func zsh(_ program: String) -> String {
    #"""
    #compdef \#(program)
    # Completions of \#(program) for zsh: put this file into a folder of $fpath as _\#(program), or source it after
    # compinit.
    _\#(program)() {
      local -a answer items
      local line
      answer=("${(@f)$("${(Q)words[1]}" completions zsh -- "${(@Q)words[1,CURRENT]}" 2>/dev/null)}")
      compset -P '--*='
      case $answer[1] in
        files) _files ;;
        folders) _files -/ ;;
        words)
          for line in "${(@)answer[2,-1]}"; do
            items+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}")
          done
          _describe \#(program) items ;;
      esac
    }
    if [[ $funcstack[1] == _\#(program) ]]; then
      _\#(program) "$@"
    else
      compdef _\#(program) \#(program)
    fi

    """#
  }

  private static func fish(_ program: String) -> String {
    #"""
    # Completions of \#(program) for fish: put this file into a folder of $fish_complete_path as \#(program).fish.
    function __\#(program)_words
      set -l words (commandline -opc) (commandline -ct)
      set -l answer ($words[1] completions fish -- $words 2>/dev/null)
      set -l option (string match -r -- '^--[^=]*=' $words[-1])
      set -l value (string replace -r -- '^--[^=]*=' '' $words[-1])
      switch "$answer[1]"
        case files
          string replace -r -- '^' "$option" (__fish_complete_path $value)
        case folders
          string replace -r -- '^' "$option" (__fish_complete_directories $value)
        case words
          printf '%s\n' $answer[2..-1]
      end
    end
    complete -c \#(program) -f -a '(__\#(program)_words)'

    """#
  }
}
