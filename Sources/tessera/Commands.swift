internal import TesseraConsole
internal import TesseraPipeline

/// All commands, in the order in which help lists them.
enum Commands {
  static let all: [any Command.Type] = [
    InitCommand.self, RunCommand.self, PlanCommand.self, CheckCommand.self, ProbeCommand.self,
    StatusCommand.self, VerifyCommand.self, PruneCommand.self, WhyCommand.self, DiffCommand.self,
    GalleryCommand.self,
    ExportCommand.self, SplitCommand.self, MergeCommand.self, RollbackCommand.self,
    ForgetCommand.self,
    WarmCommand.self, CompareCommand.self, DoctorCommand.self,
    CompletionsCommand.self, SchemaCommand.self, ManCommand.self,
  ]

  static let help = Help(
    name: Version.name, version: Version.number, date: Version.date,
    summary: "from a manifest of image URLs to thumbnails and a catalog", commands: all)
}
