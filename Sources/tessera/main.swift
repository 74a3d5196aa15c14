internal import Glibc
internal import TesseraConsole
internal import TesseraPipeline

Console.prepare()

let commands: [any Command.Type] = [
  RunCommand.self, PlanCommand.self, CheckCommand.self, ProbeCommand.self, VerifyCommand.self,
  PruneCommand.self, WhyCommand.self, DiffCommand.self, GalleryCommand.self, ExportCommand.self,
  SplitCommand.self, MergeCommand.self, WarmCommand.self, CompareCommand.self,
  DoctorCommand.self,
]
let help = Help(
  name: Version.name, version: Version.number,
  summary: "from a manifest of image URLs to thumbnails and a catalog", commands: commands)
let program = Program(help: help) { ErrorReport($0) }

exit(await program.main(Array(CommandLine.arguments.dropFirst())).rawValue)
