internal import TesseraPipeline
internal import TesseraPipelineFile

/// All commands, in the order in which help lists them.
enum Commands {
  private static let groups = [
    CommandGroup(
      "Before a run",
      [
        InitCommand.self, CheckCommand.self, PlanCommand.self, ProbeCommand.self,
        DoctorCommand.self,
      ]),
    CommandGroup(
      "A run", [RunCommand.self, MakeCommand.self, SplitCommand.self, MergeCommand.self]),
    CommandGroup(
      "After a run",
      [
        StatusCommand.self, WhyCommand.self, GalleryCommand.self, ExportCommand.self,
        DiffCommand.self, VerifyCommand.self, PruneCommand.self, ForgetCommand.self,
        RollbackCommand.self,
      ]),
    CommandGroup(
      "More",
      [
        WarmCommand.self, CompareCommand.self, SchemaCommand.self, CompletionsCommand.self,
        ManCommand.self,
      ]),
  ]

  static let help = Help(
    name: Version.name, version: Version.number, date: Version.date,
    summary: "from a manifest of image URLs to thumbnails and a catalog", groups: groups)
}

// Commands about the program itself, from the description of all commands.

enum CompletionsCommand: Command {
  static let name = "completions"
  static let summary = "a script that completes commands, options and their values in a shell"

  static let syntax = Syntax(
    [.one("bash|zsh|fish", .words(Shell.allCases.map(\.rawValue)))],
    text: "Prints the script for a shell.",
    hasJSON: false,
    example: Example(
      "source <(tessera completions bash)",
      "Completes from now on; put it into ~/.bashrc to keep it."),
    statuses: [ExitMeaning(.done, "printed")])

  static func run(_ arguments: Arguments) async throws -> ExitStatus {
    guard let shell = Shell(rawValue: arguments.operands[0]) else {
      throw UsageError(
        "the shell must be one of \(Shell.allCases.map(\.rawValue).joined(separator: ", ")), "
          + "found \"\(arguments.operands[0])\"")
    }
    Console.write(shell.script(Commands.help))
    return .done
  }
}

enum ManCommand: Command {
  static let name = "man"
  static let summary = "write the manual pages, for a package"

  private static let reference = Flag(
    "--reference", "print the reference of all commands in Markdown, and write nothing")

  static let syntax = Syntax(
    [.optional("DIR", .folders)],
    text: """
      Writes the manual below a folder, which is created: man1/tessera.1, a page for each command, and
      man5/tessera-pipeline.5.
      """,
    options: [reference],
    hasJSON: false,
    example: Example(
      "tessera man /usr/local/share/man",
      "Then \"man tessera\", \"man tessera-run\" and \"man 5 tessera-pipeline\" show them."),
    statuses: [ExitMeaning(.done, "written"), ExitMeaning(.failed, "could not be written")])

  static func run(_ arguments: Arguments) async throws -> ExitStatus {
    if arguments.has(reference) {
      Console.write(Commands.help.reference)
      return .done
    }
    guard let folder = arguments.operands.first else {
      throw UsageError("name a folder: tessera man DIR; or say --reference")
    }
    let sections = PipelineFile.keySections.map { ($0.title, keys: $0.notes.map(\.name)) }
    let paths = try Manual(Commands.help, schema: PipelineFile.schema, sections: sections)
      .write(to: try LocalPath.operand(folder, "DIR"))
    if !arguments.has(CommonFlag.quiet) { for path in paths { Console.line(path) } }
    return .done
  }
}

enum SchemaCommand: Command {
  static let name = "schema"
  static let summary =
    "print the JSON Schema of pipeline files, all keys, or every word of catalogs and reports"

  private static let keys = Flag(
    "--keys", "print all keys as a pipeline file with their defaults, each with a comment")
  private static let words = Flag(
    "--words",
    "print all codes, formats, reasons and statuses, with what to do about each")

  static let syntax = Syntax(
    [],
    text: """
      Prints the JSON Schema (draft 2020-12) of pipeline files, with which editors complete keys and check
      values. It is made from the declarations that also read the file.
      """,
    options: [keys, words],
    example: Example(
      "tessera schema > pipeline.schema.json",
      "Name it in the first line of a pipeline: # yaml-language-server: $schema=pipeline.schema.json"
    ),
    statuses: [ExitMeaning(.done, "printed")])

  static func run(_ arguments: Arguments) async throws -> ExitStatus {
    if arguments.has(keys), arguments.has(words) {
      throw UsageError("--keys and --words are two documents; print one of them")
    }
    Console.write(
      arguments.has(words)
        ? WordPage.text(
          OutputWords.lists + PipelineWords.lists + WordPage.lists, program: Commands.help.name)
        : arguments.has(keys) ? PipelineFile.commentedKeys : PipelineFile.schemaText)
    return .done
  }
}
