internal import TesseraConsole
internal import TesseraOutputTools

enum ExportCommand: Command {
  static let name = "export"
  static let summary = "the catalog as HTML, as a folder for Xcode or Android, or for eleventy"
  /// Removing a large folder that is not complete takes a while.
  static let timeToStop = Duration.seconds(60)

  private static let form = Option<CatalogExport.Form>.choice(
    "--as", "FORM", "html, xcassets, android or eleventy")
  private static let target = Option(
    "--to", "PATH", "a file for html and eleventy, else a folder; must not exist")
  private static let slot = Option("--slot", "NAME", "only this slot; may be repeated")

  static let syntax = Syntax(
    operands: "OUTPUT", operandCount: 1...1,
    text: """
      Writes what other tools read from an output's catalog: HTML picture elements to insert into a
      page; an Xcode .xcassets folder with 1x, 2x and 3x; an Android res folder with drawable-*dpi;
      or the metadata object of eleventy-img. URLs begin with the pipeline's base-url; without one
      they are relative to the catalog's folder.
      """,
    options: [form, target, slot])

  static func run(_ arguments: Arguments) async throws -> ExitStatus {
    guard let form = try arguments.value(Self.form) else {
      throw UsageError.missing(
        Self.form, CatalogExport.Form.allCases.map(\.rawValue).joined(separator: "|"))
    }
    guard let target = try arguments.value(Self.target) else {
      throw UsageError.missing(Self.target, "PATH")
    }
    let export = CatalogExport(
      arguments.operands[0], as: form, slots: try arguments.all(slot))
    let report = try export.write(to: target)
    if arguments.has(CommonFlag.json) {
      Console.write(report.json)
    } else if !arguments.has(CommonFlag.quiet) {
      Console.line("\(target): \(summary(of: report, form))")
      if report.isRelative {
        Console.message(
          "URLs are relative to the catalog's folder: put the file there, or add a base-url to the "
            + "pipeline")
      }
    }
    return .done
  }

  private static func summary(of report: ExportReport, _ form: CatalogExport.Form) -> String {
    var text = Amount.count(report.images, "image")
    if report.files > 0 { text += ", \(Amount.count(report.files, "file"))" }
    if report.empty > 0 { text += "; \(report.empty) without files" }
    if !report.scalesLeftOut.isEmpty {
      let scales = report.scalesLeftOut.map { "\($0)x" }.joined(separator: ", ")
      text += "; \(form.rawValue) has no place for \(scales)"
    }
    return text
  }
}
