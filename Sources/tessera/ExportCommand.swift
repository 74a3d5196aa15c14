internal import TesseraJSON
internal import TesseraOutputTools
internal import TesseraPipeline
internal import TesseraPipelineFile
internal import TesseraSystem
internal import TesseraText

enum ExportCommand: Command {
  static let name = "export"
  static let summary = "the catalog as HTML, as a folder for Xcode or Android, or for eleventy"
  static let syntax = Syntax(
    operands: "OUTPUT", operandCount: 1...1,
    text: """
      Writes what other tools read, out of an output's catalog: HTML picture elements, to be put into
      a page; an Xcode .xcassets folder with 1x, 2x and 3x; an Android res folder with drawable-*dpi;
      or the metadata object of eleventy-img. URLs begin with the pipeline's base-url; without one
      they are relative to the catalog's folder.
      """,
    options: [
      .init("--as", "FORM", "html, xcassets, android or eleventy"),
      .init("--to", "PATH", "a file for html and eleventy, else a folder; not there yet"),
      .init("--slot", "NAME", "this slot alone; may be given again"),
    ])

  static func run(_ arguments: Arguments) async throws -> ExitStatus {
    let forms = CatalogExport.Form.allCases.map(\.rawValue)
    guard let name = arguments.value("--as") else {
      throw UsageError("--as is missing: --as \(forms.joined(separator: "|"))")
    }
    guard let form = CatalogExport.Form(rawValue: name) else {
      throw UsageError(
        "--as must be one of \(forms.joined(separator: ", ")), found \"\(name)\""
          + Nearest.hint(for: name, among: forms))
    }
    guard let target = arguments.value("--to") else {
      throw UsageError("--to is missing: --to PATH")
    }
    let report = try CatalogExport(
      arguments.operands[0], as: form, slots: arguments.all("--slot")
    ).write(to: target)
    if arguments.has("--json") {
      var writer = JSONWriter(indent: 2)
      writer.object { object in
        object.member("pictures", report.pictures)
        object.member("empty", report.empty)
        object.member("files", report.files)
        object.member("relative", report.isRelative)
        object.name("scalesLeftOut")
        object.array { list in for scale in report.scalesLeftOut { list.value(scale) } }
      }
      StandardStream.output.write(writer.text + "\n")
    } else if !arguments.has("--quiet") {
      var text = Amount.count(report.pictures, "picture")
      if report.files > 0 { text += ", \(Amount.count(report.files, "file"))" }
      if report.empty > 0 { text += "; \(report.empty) have nothing to show" }
      if !report.scalesLeftOut.isEmpty {
        let scales = report.scalesLeftOut.map { "\($0)x" }.joined(separator: ", ")
        text += "; \(form.rawValue) has no place for \(scales)"
      }
      StandardStream.output.write("\(target): \(text)\n".printableLine)
      if report.isRelative {
        StandardStream.error.write(
          "its URLs are relative to the catalog's folder: put it there, or give the pipeline a base-url\n"
        )
      }
    }
    return .done
  }
}
