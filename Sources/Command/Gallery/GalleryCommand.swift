enum GalleryCommand: Command {
  static let name = "gallery"
  static let summary = "one HTML page to look at"

  private static let limit = Option.number(
    "--limit", "show the first N images at most; default 5000", in: 1...Int.max)

  static let syntax = Syntax(
    [.one("OUTPUT", .folders)],
    text: """
      Writes gallery.html beside an output's catalog: its images, laid out from the catalog alone,
      with their facts, and filters. Open it as a file, or from a web server.
      """,
    options: [limit],
    example: Example(
      "tessera gallery build/feed", "Writes build/feed/gallery.html."),
    statuses: [
      ExitMeaning(.done, "written"),
      ExitMeaning(.failed, "there is no catalog, or the page can't be written"),
    ])

  static func run(_ arguments: Arguments) async throws -> ExitStatus {
    let gallery = Gallery(arguments.operands[0], limit: try arguments.value(limit) ?? 5_000)
    let report = try await gallery.write()
    if arguments.has(CommonFlag.json) {
      Console.write(report)
    } else if !arguments.has(CommonFlag.quiet) {
      let part = report.shown < report.images ? ", the first \(report.shown) shown" : ""
      Console.line("\(report.path): \(Amount.count(report.images, "image"))\(part)")
    }
    return .done
  }
}
