enum InitCommand: Command {
  static let name = "init"
  static let summary = "write a pipeline.yaml with comments, and a manifest, to begin with"

  private static let from = Option(
    "--from", "SOURCE", "an image, a folder of images, a URL, or a list; may be repeated",
    completes: .files)

  private static let manifestOnly = Flag(
    "--manifest-only", "bring the manifest of the pipeline that is there up to date with its images"
  )

  static let syntax = Syntax(
    [.optional("DIR", .folders)],
    text: """
      Writes pipeline.yaml, with a comment on each key, into a folder (this one if none is named). With
      --from, also manifest.jsonl with the images that are named: files, the images below folders, and
      URLs. Files below DIR are named relative to it, so that it can be moved. A list of images (.json,
      .jsonl, .csv, .tsv, .txt, a feed or a sitemap, also with .gz) stays where it is. The columns of a
      shop system's export are recognized. What the list needs besides the public internet is in a
      comment. Asks nothing, and replaces no file. After it, "tessera run" needs no argument. With
      --manifest-only, adds new images to the manifest of a pipeline that is there, removes those whose
      files are deleted (the manifest as it was is kept beside it, as .before), and leaves all other
      lines as they are. A file that was moved or renamed keeps its id, if the last run has seen its
      bytes. Without --from, it looks for such files in the folders that the pipeline permits, and adds
      none.
      """,
    options: [from, manifestOnly],
    example: Example(
      "tessera init --from photos && tessera run && tessera gallery output",
      "From a folder of photographs to a gallery."),
    statuses: [
      ExitMeaning(.done, "written"),
      ExitMeaning(.failed, "a file exists already, or a source can't be used; nothing is replaced"),
    ])

  static func run(_ arguments: Arguments) async throws -> ExitStatus {
    let folder = try LocalPath.operand(arguments.operands.first ?? ".", "DIR")
    let sources = try arguments.all(from)
    if arguments.has(manifestOnly) {
      let report = try await ManifestUpdate.write(in: folder, from: sources)
      print(arguments, lines(of: report, folder)) { Console.write(report) }
    } else {
      let report = try await NewPipeline.write(into: folder, from: sources)
      print(arguments, lines(of: report, folder)) { Console.write(report) }
    }
    return .done
  }

  private static func print(_ arguments: Arguments, _ lines: [String], json write: () -> Void) {
    if arguments.has(CommonFlag.json) {
      write()
    } else if !arguments.has(CommonFlag.quiet) {
      for line in lines { Console.line(line) }
    }
  }

  private static func lines(of report: ManifestUpdate.Report, _ folder: String) -> [String] {
    var lines = [
      "\(report.manifest): \(Amount.count(report.images, "image")), \(report.added) added, "
        + (report.moved > 0 ? "\(report.moved) moved, " : "") + "\(report.removed) removed"
    ]
    lines += Self.lines(of: report.leftOut)
    if let before = report.before { lines.append("the manifest as it was: \(before)") }
    if !report.needs.isEmpty {
      lines.append(
        "the pipeline does not permit some of them: add \(report.needs.joined(separator: ", ")) to \"allow\" below "
          + "\"fetch\"")
    }
    lines += encoded(report.encoded)
    return lines + [
      "next: \(report.needs.isEmpty ? "" : "after that, ")tessera run"
        + (folder == "." ? "" : " " + ShellWords.operands(["\(folder)/pipeline.yaml"]))
    ]
  }

  private static func encoded(_ count: Int) -> [String] {
    count == 0 ? [] : [ListNotes.encoded(count)]
  }

  /// What the folders hold besides, a line for each reason.
  private static func lines(of leftOut: LeftOut) -> [String] {
    leftOut.texts.map { "  \($0)" }
  }

  /// A permission as a place: `servers of this machine` for `loopback`.
  private static func place(_ permission: String) -> String {
    switch permission {
    case "loopback": "servers of this machine"
    case "private": "private networks"
    default: permission.hasPrefix("files:") ? String(permission.dropFirst(6)) : permission
    }
  }

  private static func lines(of report: NewPipeline.Report, _ folder: String) -> [String] {
    let isHere = folder == "."
    let operand = isHere ? "" : " " + ShellWords.operands([report.pipeline])
    var lines = [report.pipeline]
    if let images = report.images {
      lines.append("\(report.manifest): \(Amount.count(images, "image"))")
    }
    lines += Self.lines(of: report.leftOut)
    if let columns = report.columnsText {
      lines.append(
        "columns: \(columns)"
          + (report.isGuessed ? ", by what is in the rows: correct it if it is wrong" : ""))
      if report.isGuessed, !report.hasIDs {
        lines.append("no column was found to be that of the ids: the URL of an image is its id")
      }
    }
    if report.manifest.contains("://") {
      lines.append("the list is not read before the run: tessera check --probe\(operand) tries it")
    }
    lines += ListNotes.omitted(imageless: report.imageless, unpublished: report.unpublished)
    if report.needsPrefix {
      lines.append(
        "the list has paths: put the address of your images into \"prefix\" in \(report.pipeline)"
      )
    }
    if report.problems > 0 {
      lines.append(
        "\(Amount.count(report.problems, "line")) of the list can't be used: tessera check\(operand) names "
          + (report.problems == 1 ? "it" : "them"))
    }
    if !report.needs.isEmpty {
      lines.append(
        "the list has images at \(report.needs.map(place).joined(separator: ", ")): if it is your own, remove \"# \" "
          + "before \"fetch\" and \"allow\" in \(report.pipeline)")
    }
    lines += encoded(report.encoded)
    let run = "tessera run\(operand)"
    let output = isHere ? NewPipeline.output : "\(folder)/\(NewPipeline.output)"
    let gallery = "tessera gallery \(ShellWords.operands([output]))"
    lines.append("next: \(firstStep(after: report))\(run), then \(gallery)")
    return lines
  }

  /// What a person has to do before the run.
  private static func firstStep(after report: NewPipeline.Report) -> String {
    if report.images == 0 { return "put images into the list, which has none, then " }
    if report.images == nil, report.manifest.hasSuffix("manifest.jsonl") {
      return "write the URLs of your images into \(report.manifest), then "
    }
    return report.needsPrefix || !report.needs.isEmpty ? "after that, " : ""
  }
}
