internal import TesseraCatalog
internal import TesseraFetch
internal import TesseraOutput
internal import TesseraSystem

/// Converts a catalog into a form that other tools read, one image at a time, so that memory does
/// not grow with the catalog.
package struct CatalogExport {
  package enum Form: String, Sendable, CaseIterable {
    /// HTML `picture` elements.
    case html
    /// A folder of image sets for Xcode.
    case xcassets
    /// A folder of drawables for Android.
    case android
    /// A metadata object as eleventy-img's `Image()` returns it, by the images' ids.
    case eleventy

    /// Whether the form holds URLs of the files, instead of copies.
    fileprivate var hasURLs: Bool { self == .html || self == .eleventy }
  }

  private let output: String
  private let form: Form
  private let slots: [String]

  /// - Parameters:
  ///   - output: of a run.
  ///   - slots: the slots to export; none means all.
  package init(_ output: String, as form: Form, slots: [String]) {
    self.output = output
    self.form = form
    var seen: Set<String> = []
    self.slots = slots.filter { seen.insert($0).inserted }
  }

  /// Writes the export. If that fails or is cancelled, nothing is left of it.
  ///
  /// - Parameter path: a file for `html` and `eleventy`, a folder for the others; must not exist.
  /// - Throws: ``OutputToolError`` if the catalog can't be read, has no such slot, or the target
  ///   can't be written; or `CancellationError`.
  package func write(to path: String) throws -> ExportReport {
    var target = path
    while target.count > 1, target.hasSuffix("/") { target.removeLast() }
    guard !FileSystem.exists(target) else {
      throw OutputToolError("\"\(target)\" exists already; name another target, or remove it")
    }
    guard StoreLocation(output) == nil else {
      throw OutputToolError(
        "\"\(output)\" is in an object store, and an export needs its files; copy it to a disk first"
      )
    }
    let catalog = try CatalogFile(at: output)
    let head = try catalog.head()
    let names = try slotNames(in: head)
    return try OutputToolError.wrapWork {
      try Draft.publish(to: target) { draft in
        try write(
          catalog,
          ExportContext(head: head, slots: names, output: catalog.folder, target: draft))
      }
    }
  }

  private func slotNames(in head: Catalog) throws(OutputToolError) -> [String] {
    let known = head.slots.keys.sorted()
    if let unknown = slots.first(where: { head.slots[$0] == nil }) {
      throw OutputToolError(
        "the catalog has no slot \"\(unknown)\"; it has \(known.joined(separator: ", "))")
    }
    return slots.isEmpty ? known : slots
  }

  private func write(_ catalog: CatalogFile, _ context: ExportContext) throws -> ExportReport {
    let exporter = try OutputToolError.wrap { try makeExporter(context) }
    var report = ExportReport()
    report.isRelative = context.head.baseURL == nil && form.hasURLs
    report.scalesLeftOut = try scalesLeftOut(of: context.head.scales, exporter.scales)
    try catalog.forEachImage { image in
      guard !image.variants.isEmpty else {
        report.empty += 1
        return
      }
      report.files += try OutputToolError.wrap { try exporter.add(image) }
      report.images += 1
    }
    try OutputToolError.wrap { try exporter.finish() }
    return report
  }

  private func makeExporter(_ context: ExportContext) throws -> any Exporting {
    switch form {
    case .html: try HTMLExport(context)
    case .xcassets: try AssetCatalogExport(context)
    case .android: try DrawableExport(context)
    case .eleventy: try EleventyExport(context)
    }
  }

  /// The scales of the catalog that the form has no place for. All of them is an error.
  private func scalesLeftOut(
    of scales: [Int], _ supported: [Int]?
  ) throws(OutputToolError) -> [Int] {
    guard let supported else { return [] }
    let rest = scales.filter { !supported.contains($0) }
    guard rest.count < scales.count else {
      func list(_ scales: [Int]) -> String { scales.map(String.init).joined(separator: ", ") }
      throw OutputToolError(
        "the catalog's scales are \(list(scales)), but \(form.rawValue) only has places for "
          + "\(list(supported)); add one of them to the pipeline: scales: [1, 2, 3]")
    }
    return rest
  }
}
