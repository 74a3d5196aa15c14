internal import TesseraSystem
internal import TesseraText

/// The page of all words that catalogs, reports and messages have, in Markdown.
enum WordPage {
  /// The words of every command.
  static let lists = [statuses, codes]

  static func text(_ lists: [WordList], program: String) -> String {
    """
    # Every word

    For everyone who reads a catalog, a report or a message: its words, what they mean, and what to do about them.
    `\(program) schema --words` prints this page.
    \(lists.map(section).joined())
    Next: [the runbook](RUNBOOK.md), [commands](COMMANDS.md), [the catalog](CATALOG.md).

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
    "Errors of a command",
    "`error.code` of what a command prints with `--json` when it fails; `reason` in `runs.jsonl`, which `status` shows.",
    TesseraError.Code.allCases.map { Word($0.rawValue, $0.meaning, $0.remedy) })
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

extension TesseraError.Code {
  fileprivate var meaning: String {
    switch self {
    case .output: "the output could not be read or written, or is not an output"
    case .state: "the state could not be read or written"
    case .diskFull: "there is no space left on a disk, or no more for this user"
    case .system: "the system denied a file or a process"
    case .workers: "no worker could be started, or workers lack what the pipeline asks for"
    case .manifest: "the manifest could not be read, or has lost more items than shrink-above"
    case .busy: "another run holds the output"
    case .lost: "another run has taken over the output, or published another result, meanwhile"
    case .noConditions:
      "the store writes objects whatever the condition, so runs would not see each other"
    case .otherPipeline: "the output holds the catalog of another pipeline"
    case .only: "only some images can't be processed (--only…), because the pipeline has changed"
    case .unknownImages: "there is no image with an id that was named"
    case .tooManyFailures: "more of the last images failed than fail-above"
    case .lostImages: "the catalog would lose more images than lost-above"
    case .tables: "tables of ready pixels could not be made"
    case .pipelineFile:
      "the pipeline file has mistakes, which `error.mistakes` lists by line and column"
    case .usage: "the command line can't be understood"
    case .stopped: "a signal stopped the command"
    case .local: "something hit every image alike, or a file that was named can't be used"
    }
  }

  fileprivate var remedy: String? {
    switch self {
    case .output, .system: "repair what the message names: space, permissions, a store"
    case .local: "see the message"
    case .diskFull: "free space, also inodes (tessera status says what prune would delete)"
    case .state:
      "tessera prune or the next run sets it aside; a newer state needs the newer version"
    case .workers: "tessera doctor says what is missing"
    case .manifest: "repair the manifest, or run once with --allow-shrink"
    case .busy: "wait for it, or run again later"
    case .lost: "run again"
    case .noConditions: "add state: DIR to the pipeline file"
    case .otherPipeline: "choose another output, or run once with --take-over"
    case .only: "run once without --only"
    case .unknownImages: "correct the id"
    case .tooManyFailures: "look at the hosts (tessera status), then run again"
    case .lostImages: "see the runbook; run once with --allow-loss if they are gone on purpose"
    case .tables: "run without --shard, or see the message"
    case .pipelineFile: "correct the lines, then tessera check"
    case .usage: "see the command's --help"
    case .stopped: "run again, which goes on"
    }
  }
}
