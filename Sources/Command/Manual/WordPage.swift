internal import TesseraText

/// The page of all words that catalogs, reports and messages have, in Markdown.
enum WordPage {
  /// The words of every command.
  static let lists = [statuses, codes]

  static func text(_ lists: [WordList], program: String) -> String {
    """
    # Every word

    The words that catalogs, reports and messages have, what they mean, and what to do about them. This file is
    what `\(program) schema --words` prints.
    \(lists.map(section).joined())
    """
  }

  private static func section(_ list: WordList) -> String {
    let hasRemedies = list.words.contains { $0.remedy != nil }
    let rows = list.words.map { word in
      "| `\(cell(word.name))` | \(cell(word.meaning)) |"
        + (hasRemedies ? " \(cell(word.remedy ?? "")) |" : "") + "\n"
    }
    return """

      ## \(list.title)

      \(list.place)

      | word | meaning |\(hasRemedies ? " what to do |" : "")
      |---|---|\(hasRemedies ? "---|" : "")
      \(rows.joined())
      """
  }

  /// A vertical line would end the cell.
  private static func cell(_ text: String) -> String { text.replacing("|", with: "\\|") }

  private static let statuses = WordList(
    "Exit statuses", "What every command ends with; `--help` says what each means for a command.",
    ExitStatus.allCases.map { Word("\($0.rawValue)", $0.meaning, $0.remedy) })

  private static let codes = WordList(
    "Errors of a command", "`error.code` of what a command prints with `--json` when it fails.",
    ErrorReport.Code.allCases.map { Word($0.rawValue, $0.meaning) })
}

extension ExitStatus {
  fileprivate var meaning: String {
    switch self {
    case .done: "all done"
    case .someFailed: "done, but some items failed, or lines or reports could not be used"
    case .failed: "could not run; the last good catalog is as it was"
    case .usage: "the command line can't be understood"
    case .busy: "another run holds this output"
    case .interrupted: "stopped by SIGINT; finished work is kept"
    case .terminated: "stopped by SIGTERM; finished work is kept"
    }
  }

  fileprivate var remedy: String? {
    switch self {
    case .done: nil
    case .someFailed: "the catalog lists them; publish it, and look at them by day"
    case .failed: "the message says what to repair"
    case .usage: "see the command's --help"
    case .busy: "wait for it, or run again later"
    case .interrupted, .terminated: "run again, which goes on"
    }
  }
}

extension ErrorReport.Code {
  fileprivate var meaning: String {
    switch self {
    case .failed: "the message says what failed, and what to do"
    case .usage: "the command line can't be understood"
    case .busy: "another run holds the output"
    case .stopped: "a signal stopped the command"
    case .pipelineFile:
      "the pipeline file has mistakes, which `error.mistakes` lists by line and column"
    }
  }
}
