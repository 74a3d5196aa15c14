import TesseraSystem
import Testing

@testable import tessera

/// Commands of every shape: with operands and options of all kinds, and without any.
enum SampleCommands {
  static let help = Help(
    name: "tool", version: "1.2", date: "2026-11-23", summary: "does things",
    groups: [
      CommandGroup("Some", [Show.self]), CommandGroup("More", [List.self, Build.self]),
    ])

  enum Form: String, CaseIterable, Sendable { case html, hypertext, next }

  enum Show: Command {
    static let name = "show"
    static let summary = "show images"
    static let keepsWork = true
    static let syntax = Syntax(
      [.one("OUTPUT", .folders), .any("ID")], text: "Shows images.\nAll of them.",
      options: [
        Flag("--all", "all of them"), Option<Form>.choice("--form", "FORM", "the form"),
        Option("--to", "PATH", "a file", completes: .files),
        Option("--slot", "NAME", "a slot"), Option("--text", "TEXT", "a text"),
      ], example: Example("tool show out p1", "Shows p1."),
      statuses: [ExitMeaning(.busy, "another shows it"), ExitMeaning(.done, "shown")])

    static func run(_ arguments: Arguments) async throws -> CommandStatus {
      for operand in arguments.operands { Console.line(operand) }
      switch arguments.operands.first {
      case "wrong": throw UsageError("this is wrong")
      case "broken": throw TesseraError(.busy, "it is broken")
      case "printed": throw AlreadyPrintedError(TesseraError(.busy, "it is broken"))
      case "cancelled": throw CancellationError()
      default: return arguments.has(CommonFlag.quiet) ? .someFailed : .done
      }
    }
  }

  enum List: Command {
    static let name = "list"
    static let summary = "list things"
    static let syntax = Syntax(
      text: "Lists.", example: Example("tool list", "Lists."),
      statuses: [ExitMeaning(.done, "listed")])
    static func run(_ arguments: Arguments) async throws -> CommandStatus {
      throw CancellationError()
    }
  }

  enum Build: Command {
    static let name = "build"
    static let summary = "build things"
    static let syntax = Syntax(
      [.optional("PIPELINE", .files)], text: "Builds.",
      example: Example("tool build", "Builds."), statuses: [])
    static func run(_ arguments: Arguments) async throws -> CommandStatus { .busy }
  }
}
