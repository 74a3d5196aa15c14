internal import TesseraConsole
internal import TesseraPreview

enum InitCommand: Command {
  static let name = "init"
  static let summary = "write a pipeline.yaml with comments, and a manifest, to begin with"

  private static let from = Option(
    "--from", "SOURCE", "an image, a folder of images, a URL, or a list; may be repeated",
    completes: .files)

  static let syntax = Syntax(
    [.optional("DIR", .folders)],
    text: """
      Writes pipeline.yaml, with a comment on each key, into a folder (this one if none is named). With
      --from, also manifest.jsonl with the images that are named: files, the images below folders, and
      URLs. A list of images (.jsonl, .csv, .tsv, .txt, also with .gz) stays where it is; what it needs
      besides the public internet is in a comment. Asks nothing, and replaces no file. After it,
      "tessera run" needs no argument.
      """,
    options: [from],
    example: Example(
      "tessera init --from photos && tessera run && tessera gallery output",
      "From a folder of photographs to a gallery."),
    statuses: [
      ExitMeaning(.done, "written"),
      ExitMeaning(.failed, "a file exists already, or a source can't be used; nothing is replaced"),
    ])

  static func run(_ arguments: Arguments) async throws -> ExitStatus {
    let folder = arguments.operands.first ?? "."
    let report = try await NewPipeline.write(into: folder, from: try arguments.all(from))
    if arguments.has(CommonFlag.json) {
      Console.write(report.json)
    } else if !arguments.has(CommonFlag.quiet) {
      for line in lines(of: report, folder) { Console.line(line) }
    }
    return .done
  }

  /// `; not images, or of a format that "accept" has to name: notes.txt, a.svg and 3 others`
  private static func leftOut(_ names: [String]) -> String {
    guard !names.isEmpty else { return "" }
    let more = names.count > 3 ? " and \(names.count - 3) others" : ""
    return "; not images, or of a format that \"accept\" has to name: "
      + names.prefix(3).joined(separator: ", ") + more
  }

  private static func lines(of report: NewPipeline.Report, _ folder: String) -> [String] {
    var lines = [report.pipeline]
    if let images = report.images {
      lines.append("\(report.manifest): \(Amount.count(images, "image"))\(leftOut(report.skipped))")
    }
    if report.problems > 0 {
      lines.append(
        "\(Amount.count(report.problems, "line")) of the list can't be used: tessera check names "
          + (report.problems == 1 ? "it" : "them"))
    }
    if !report.needs.isEmpty {
      lines.append(
        "the list has images at \(report.needs.joined(separator: ", ")): if it is your own, remove the \"#\" before "
          + "\"fetch\" and \"allow\" in \(report.pipeline)")
    }
    let isHere = folder == "."
    let run = isHere ? "tessera run" : "tessera run \(report.pipeline)"
    let output = isHere ? NewPipeline.output : "\(folder)/\(NewPipeline.output)"
    let isEmpty = report.images == nil && report.manifest.hasSuffix("manifest.jsonl")
    lines.append(
      "next: " + (isEmpty ? "write the URLs of your images into \(report.manifest), then " : "")
        + "\(run), then tessera gallery \(output)")
    return lines
  }
}
