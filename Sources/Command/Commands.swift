internal import TesseraPipeline

/// All commands, in the order in which help lists them.
enum Commands {
  private static let groups = [
    CommandGroup(
      "Before a run",
      [
        InitCommand.self, CheckCommand.self, PlanCommand.self, ProbeCommand.self,
        DoctorCommand.self,
      ]),
    CommandGroup("A run", [RunCommand.self, SplitCommand.self, MergeCommand.self]),
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
