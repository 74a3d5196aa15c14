internal import TesseraJSON
internal import TesseraOutputTools
internal import TesseraPipeline
internal import TesseraSystem

enum GalleryCommand: Command {
  static let name = "gallery"
  static let summary = "one HTML page to look at"
  static let syntax = Syntax(
    operands: "OUTPUT", operandCount: 1...1,
    text: """
      Writes gallery.html beside an output's catalog: its pictures, laid out from the catalog alone, with
      their facts, and filters. Open it as a file, or from a web server.
      """,
    options: [.init("--limit", "N", "so many pictures at most, the first ones; 5000")])

  static func run(_ arguments: Arguments) async throws -> ExitStatus {
    let limit =
      try arguments.value("--limit").map { text in
        guard let limit = Int(text), limit > 0 else {
          throw UsageError("--limit must be a number from 1, found \"\(text)\"")
        }
        return limit
      } ?? 5_000
    let report = try Gallery(arguments.operands[0], limit: limit).write()
    if arguments.has("--json") {
      var writer = JSONWriter(indent: 2)
      writer.object { object in
        object.member("path", report.path)
        object.member("pictures", report.pictures)
        object.member("shown", report.shown)
      }
      StandardStream.output.write(writer.text + "\n")
    } else if !arguments.has("--quiet") {
      let some = report.shown < report.pictures ? ", the first \(report.shown) of them" : ""
      StandardStream.output.write(
        "\(report.path): \(Amount.count(report.pictures, "picture"))\(some)\n".printableLine)
    }
    return .done
  }
}
