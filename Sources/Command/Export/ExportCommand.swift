internal import TesseraPipeline

enum ExportCommand: Command {
  static let name = "export"
  static let summary =
    "the catalog as HTML, SQLite, CSV or JSON Lines, or as assets for Xcode and Android"
  /// Removing a large folder that is not complete takes a while.
  static let timeToStop = Duration.seconds(60)

  private static let form = Option<CatalogExport.Form>.choice(
    "--as", "FORM",
    "html xcassets android sqlite csv jsonl")
  private static let target = Option.path(
    "--to", "PATH",
    "a folder for xcassets and android, else a file; only sqlite may exist", orStream: true)
  private static let force = Flag(
    "--force", "replace what an earlier export wrote there, when the new one is complete")
  private static let slot = Option(
    "--slot", "NAME", "only this slot; may be repeated")
  private static let eager = Option.number(
    "--eager", "html: how many images load at once and first; the others load when they come near",
    in: 0...1_000_000)
  private static let fluid = Flag(
    "--fluid", "html: images grow with the page, up to the width of their slot")
  private static let reducedData = Flag(
    "--reduced-data", "html: the smallest files for visitors who ask for less data")
  private static let nonce = Option(
    "--nonce", "TEXT", "html: a style sheet with this nonce in the page, not in a file beside it")
  private static let language = Option(
    "--lang", "TAG", "html: the language of the page's texts, such as de or pt-BR; en if not given")
  private static let fragments = Flag(
    "--fragments", "html: a JSON object of elements by image and slot, not a page")

  static let syntax = Syntax(
    [OutputOptions.operand],
    text: """
      Writes what other tools read from an output's catalog: a page of <picture> elements with its
      style sheet; an Xcode .xcassets folder with 1x, 2x and 3x, or an Android res folder with
      drawable-*dpi, of files in the exact size of each slot, with names by image (.names.json)
      beside it; an SQLite database, in which apps look up images without reading a catalog, and which
      the next export replaces; or a row for each image with the URL of its file for each slot and
      scale, as CSV or JSON Lines. URLs begin with the pipeline's base-url; without one they are
      relative to the catalog's folder.
      """,
    options: [form, target, force, slot, eager, fluid, reducedData, language, nonce, fragments],
    example: Example(
      "tessera export build/feed --as html --slot card --to build/feed/page.html",
      "A page of HTML with the images of a slot, and its style sheet in a file of its own."),
    statuses: [
      ExitMeaning(.done, "written"),
      ExitMeaning(.failed, "could not be written; no part of it is left"),
    ])

  static func run(_ arguments: Arguments) async throws -> ExitStatus {
    guard let form = try arguments.value(Self.form) else {
      throw UsageError.missing(
        Self.form, CatalogExport.Form.allCases.map(\.rawValue).joined(separator: "|"))
    }
    guard let target = try arguments.value(Self.target) else {
      throw UsageError.missing(Self.target, "PATH")
    }
    guard target != "-" else {
      throw UsageError(
        "an export is complete or not there, so it is no stream; name a path with --to")
    }
    let output = try OutputOptions.output(arguments, of: Self.self)
    let export = CatalogExport(
      output.root, as: form, try options(arguments, form), worker: try WorkerPath.find(),
      store: output.store)
    let report = try await export.write(to: target)
    if arguments.has(CommonFlag.json) {
      Console.write(report)
    } else if !arguments.has(CommonFlag.quiet) {
      let beside =
        report.companions.isEmpty ? "" : "; beside it \(report.companions.joined(separator: ", "))"
      Console.line("\(target): \(summary(of: report))\(beside)")
      if report.images == 0, !report.isCurrent {
        Console.message(
          "no image of the catalog has files, so the export shows none; tessera run makes them")
      }
      if report.isRelative, !report.isBeside {
        Console.message(
          "URLs are relative to the catalog's folder: write there (with --to), or add a base-url to the "
            + "pipeline")
      }
      if report.withoutAlt > 0 {
        Console.message(
          "\(Amount.count(report.withoutAlt, "image")) without a text for those who do not see it; add "
            + "\"alt\" to the manifest, empty for ornaments")
      }
    }
    return .done
  }

  private static func options(
    _ arguments: Arguments, _ form: CatalogExport.Form
  ) throws -> ExportOptions {
    var options = ExportOptions()
    options.replaces = arguments.has(force)
    options.slots = try arguments.all(slot)
    options.eager = try arguments.value(eager) ?? 0
    options.isFluid = arguments.has(fluid)
    options.reducesData = arguments.has(reducedData)
    let language = try arguments.value(language)
    if let language { options.language = try checked(language) }
    options.nonce = try arguments.value(nonce)
    options.asFragments = arguments.has(fragments)
    let isForPages =
      options.eager > 0 || options.isFluid || options.reducesData || language != nil
      || options.nonce != nil || options.asFragments
    if isForPages, form != .html {
      throw UsageError(
        "--eager, --fluid, --reduced-data, --lang, --nonce and --fragments are for --as html")
    }
    if options.asFragments, language != nil || options.nonce != nil {
      throw UsageError("--lang and --nonce are for a page, and --fragments writes none")
    }
    return options
  }

  /// Letters and digits in groups of up to eight (RFC 5646, section 2.1); browsers ignore anything else.
  private static func checked(_ language: String) throws -> String {
    let groups = language.split(separator: "-", omittingEmptySubsequences: false)
    guard groups.allSatisfy({ (1...8).contains($0.count) && $0.allSatisfy(\.isASCIIWord) }),
      (2...8).contains(groups[0].count)
    else {
      throw UsageError(
        "--lang must be a language's tag, such as de or pt-BR; found \"\(language)\"")
    }
    return language
  }

  private static func summary(of report: ExportReport) -> String {
    if report.isCurrent { return "up to date" }
    var text = Amount.count(report.images, "image")
    if report.files > 0 { text += ", \(Amount.count(report.files, "file"))" }
    if report.empty > 0 { text += "; \(report.empty) without files" }
    return text
  }
}

extension Character {
  fileprivate var isASCIIWord: Bool { isASCII && (isLetter || isNumber) }
}
