internal import TesseraCatalog
internal import TesseraSystem

/// Turns a catalog into what other tools read: out of the same catalog, file by file, so that memory does not grow with
/// it.
package struct CatalogExport {
  package enum Form: String, Sendable, CaseIterable {
    /// HTML `picture` elements.
    case html
    /// A folder of image sets for Xcode.
    case xcassets
    /// A folder of drawables for Android.
    case android
    /// A metadata object as eleventy-img's `Image()` gives it, by the pictures' ids.
    case eleventy
  }

  package struct Report: Sendable {
    /// Pictures that were exported.
    package var pictures = 0
    /// Pictures that have nothing to show.
    package var empty = 0
    package var files = 0
    /// Whether the files' URLs in it are relative to the catalog's folder: the pipeline has no `base-url`.
    package var isRelative = false
    /// Scales of the catalog that the form has no place for.
    package var scalesLeftOut: [Int] = []
  }

  private let output: String
  private let form: Form
  private let slots: [String]

  /// - Parameters:
  ///   - output: of a run.
  ///   - slots: those that are exported; none means all.
  package init(_ output: String, as form: Form, slots: [String]) {
    self.output = output
    self.form = form
    var seen: Set<String> = []
    self.slots = slots.filter { seen.insert($0).inserted }
  }

  /// Writes the export.
  ///
  /// - Parameter path: a file for `html` and `eleventy`, a folder for the others; it must not be there.
  /// - Throws: ``OutputToolError`` where the catalog can't be read, a slot is not in it, or the target can't be written.
  package func write(to path: String) throws -> Report {
    var target = path
    while target.count > 1, target.hasSuffix("/") { target.removeLast() }
    guard !FileSystem.exists(target) else {
      throw OutputToolError.local(
        "\"\(target)\" is there already; name another target, or remove that one")
    }
    let file = try CatalogFile(output)
    let head = try file.head()
    let names = slots.isEmpty ? head.slots.keys.sorted() : slots
    if let unknown = names.first(where: { head.slots[$0] == nil }) {
      throw OutputToolError.local(
        "the catalog has no slot \"\(unknown)\"; it has \(head.slots.keys.sorted().joined(separator: ", "))"
      )
    }
    // Under another name until it is whole.
    let draft = "\(target).\(Host.processIdentifier).new"
    do {
      let report = try write(
        file, ExportContext(head: head, slots: names, output: file.folder, target: draft))
      try OutputToolError.wrap { try FileSystem.rename(draft, to: target) }
      return report
    } catch {
      try? FileSystem.removeTree(draft)
      throw error
    }
  }

  private func write(_ file: CatalogFile, _ context: ExportContext) throws -> Report {
    let exporter: any Exporting =
      switch form {
      case .html: try OutputToolError.wrap { try HTMLExport(context) }
      case .xcassets: try OutputToolError.wrap { try AssetCatalogExport(context) }
      case .android: try OutputToolError.wrap { try DrawableExport(context) }
      case .eleventy: try OutputToolError.wrap { try EleventyExport(context) }
      }
    var report = Report()
    report.isRelative = context.head.baseURL == nil && [.html, .eleventy].contains(form)
    if let places = exporter.places {
      report.scalesLeftOut = context.head.scales.filter { !places.contains($0) }
      guard report.scalesLeftOut.count < context.head.scales.count else {
        throw OutputToolError.local(
          "the catalog's scales are \(Self.list(context.head.scales)), and \(form.rawValue) has places for "
            + "\(Self.list(places)) alone; add one of them to the pipeline: scales: [1, 2, 3]")
      }
    }
    try file.forEachImage { image in
      try Task.checkCancellation()
      guard !image.variants.isEmpty else {
        report.empty += 1
        return
      }
      report.files += try exporter.add(image)
      report.pictures += 1
    }
    try exporter.finish()
    return report
  }

  private static func list(_ scales: [Int]) -> String {
    scales.map(String.init).joined(separator: ", ")
  }
}

/// What every form needs to know.
struct ExportContext: Sendable {
  /// The catalog without its images.
  var head: Catalog
  var slots: [String]
  /// The folder that holds the catalog.
  var output: String
  var target: String

  /// A file's place for clients.
  func url(_ path: String) -> String { head.url(of: path) }

  /// The file of a picture for a slot at each scale.
  func files(of image: CatalogImage, in slot: String) -> [(variant: CatalogVariant, scale: Int)] {
    var files: [(variant: CatalogVariant, scale: Int)] = []
    for scale in head.scales {
      guard let variant = image.variant(for: slot, scale: Double(scale), in: head) else { continue }
      files.append((variant, scale))
    }
    return files
  }

  /// Copies a file of the catalog.
  func copy(_ path: String, to place: String) throws(OutputToolError) {
    try OutputToolError.wrap {
      try FileSystem.copy(FileSystem.join(output, path), to: place)
    }
  }
}

/// A form of export.
protocol Exporting: AnyObject {
  /// The scales that the form has a place for; nil where any will do.
  var places: [Int]? { get }
  /// Adds a picture that has something to show. Returns how many files that made.
  func add(_ image: CatalogImage) throws -> Int
  func finish() throws
}

extension Exporting {
  var places: [Int]? { nil }
}
