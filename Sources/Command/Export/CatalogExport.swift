internal import TesseraCatalog
internal import TesseraNet
internal import TesseraOutput
internal import TesseraSystem
internal import TesseraText

/// Converts a catalog into a form that other tools read, one image at a time, so that memory does
/// not grow with the catalog.
struct CatalogExport {
  enum Form: String, Sendable, CaseIterable {
    /// A page of HTML `picture` elements.
    case html
    /// A folder of image sets for Xcode.
    case xcassets
    /// A folder of drawables for Android.
    case android
    /// A database of SQLite. It replaces one that is there.
    case sqlite
    /// A row for each image, for spreadsheets and databases.
    case csv, jsonl

    /// Whether the form holds URLs of the files, instead of files.
    fileprivate var hasURLs: Bool { ![.xcassets, .android, .sqlite].contains(self) }

    /// Whether the export is a folder.
    var isFolder: Bool { [.xcassets, .android].contains(self) }

    /// Whether images without a file are in it, too.
    fileprivate var hasAllImages: Bool { [.sqlite, .csv, .jsonl].contains(self) }
  }

  private let output: String
  private let store: StoreSettings
  private let form: Form
  private let options: ExportOptions
  private let worker: String

  /// - Parameters:
  ///   - output: of a run.
  ///   - worker: the path of `tessera-worker`, which makes the files of assets.
  init(
    _ output: String, as form: Form, _ options: ExportOptions, worker: String,
    store: StoreSettings = StoreSettings()
  ) {
    (self.output, self.store) = (output, store)
    self.form = form
    self.worker = worker
    var seen: Set<Identifier> = []
    self.options = options
    chosen = options.slots.filter { seen.insert($0) }
  }

  private let chosen: [String]

  /// Writes the export. If that fails or is cancelled, nothing is left of it.
  ///
  /// - Parameter path: a folder for `xcassets` and `android`, a file for the others; must not exist, but for `sqlite`
  ///   and with `options.replaces`. Its folder is created if it is missing.
  /// - Throws: ``TesseraError`` if the catalog can't be read, has no such slot, or the target
  ///   can't be written; or `CancellationError`.
  func write(to path: String) async throws -> ExportReport {
    var target = path
    while target.count > 1, target.hasSuffix("/") { target.removeLast() }
    // A link leads to what is replaced.
    if form == .sqlite || options.replaces, let real = FileSystem.realPath(target) { target = real }
    let targets = [target] + companions(of: target)
    let isReplaced = form == .sqlite && FileSystem.exists(target) && DatabaseExport.owns(target)
    if !isReplaced { try expectFree(targets) }
    let catalog = try CatalogFile(of: try await LocalOutput(output, store: store))
    let files = try ExportedFiles(
      OpenOutput.isInStore(output) ? output : catalog.folder.path, store: store)
    let head = try catalog.head()
    let names = try slotNames(in: head)
    if isReplaced,
      try DatabaseExport.isCurrent(target, catalog, slots: chosen.isEmpty ? nil : chosen)
    {
      var report = ExportReport()
      report.isCurrent = true
      return report
    }
    try FileSystem.makeDirectory(FileSystem.parent(of: target))
    let folder = FileSystem.realPath(FileSystem.parent(of: target))
    var report = ExportReport()
    try await catalog.publish {
      report = try await Self.publish(targets[...], replaces: options.replaces) { drafts in
        let report = try await write(
          catalog,
          ExportContext(
            place: CatalogContext(head, accepting: []), slots: names,
            hasChosenSlots: !chosen.isEmpty, options: options,
            files: files, worker: worker, target: drafts[0],
            companions: Array(drafts.dropFirst()),
            companionNames: targets.dropFirst().map { FileSystem.name(of: $0) }))
        // The drafts get their names now.
        try await catalog.confirm()
        if form == .sqlite { try DatabaseExport.removeCompanions(of: target) }
        return report
      }
    } orWithdraw: {
      try Self.remove(targets)
    }
    report.isBeside =
      folder != nil && Identifier(folder) == Identifier(FileSystem.realPath(catalog.folder.path))
    report.companions = targets.dropFirst().map { FileSystem.name(of: $0) }
    return report
  }

  private static func remove(_ targets: [String]) throws(SystemError) {
    for target in targets {
      try Directory(FileSystem.parent(of: target)).removeTree(FileSystem.name(of: target))
    }
  }

  private func expectFree(_ targets: [String]) throws {
    for target in targets where FileSystem.exists(target) {
      guard options.replaces else {
        throw TesseraError(
          .output, "\"\(target)\" exists already",
          remedy: "name another target, or replace it with --force", subject: target)
      }
      try ReplacedExport(form, targets).expectReplaceable(target)
    }
  }

  /// Files that are written beside the target.
  private func companions(of target: String) -> [String] {
    let name = FileSystem.name(of: target)
    let bare = name.lastIndex(of: ".").map { name[..<$0] } ?? name[...]
    let base = FileSystem.join(
      FileSystem.parent(of: target), String(bare.isEmpty ? name[...] : bare))
    return switch form {
    case .html: options.nonce != nil && !options.asFragments ? [] : ["\(base).css"]
    case .xcassets, .android: ["\(base).names.json"]
    case .sqlite, .csv, .jsonl: []
    }
  }

  /// Makes several files or folders, which get their names when all are complete, the first one last.
  private static func publish<Value>(
    _ targets: ArraySlice<String>, _ drafts: [String] = [], replaces: Bool,
    _ make: ([String]) async throws -> Value
  ) async throws -> Value {
    guard let target = targets.first else { return try await make(drafts) }
    let draft = try OpenDraft(target)
    let value = try await publish(
      targets.dropFirst(), drafts + [draft.path], replaces: replaces, make)
    try Task.checkCancellation()
    if replaces { try draft.replace() } else { try draft.publish() }
    return value
  }

  private func slotNames(in head: Catalog) throws -> [String] {
    for slot in chosen {
      do throws(UnknownSlot) {
        try head.requireSlots(SlotName(slot))
      } catch {
        throw TesseraError(.output, "\(error)", subject: slot)
      }
    }
    return chosen.isEmpty ? head.slots.keys.sorted() : chosen
  }

  private func write(
    _ catalog: CatalogFile, _ context: ExportContext
  ) async throws -> ExportReport {
    let exporter = try await makeExporter(context, catalog)
    defer { exporter.close() }
    var report = ExportReport()
    var images = try catalog.images()
    while let (image, extra) = try images.nextWithExtra() {
      let isEmpty = image.variants.isEmpty
      if isEmpty { report.empty += 1 }
      guard !isEmpty || form.hasAllImages else { continue }
      report.files += try await exporter.add(image, extra: extra)
      report.images += isEmpty ? 0 : 1
      let hasPaths = image.variants.contains { $0.files.contains { $0.url == nil } }
      report.isRelative =
        report.isRelative || hasPaths && context.head.baseURL == nil && form.hasURLs
      if !isEmpty, image.alt == nil { report.withoutAlt += 1 }
    }
    try exporter.finish()
    return report
  }

  private func makeExporter(
    _ context: ExportContext, _ catalog: CatalogFile
  ) async throws -> any Exporting {
    switch form {
    case .html where options.asFragments: try FragmentExport(context)
    case .html: try HTMLExport(context, catalog)
    case .xcassets: try await AssetCatalogExport(context)
    case .android: try await DrawableExport(context)
    case .sqlite: try DatabaseExport(context)
    case .csv: try RowExport(context, asTable: true)
    case .jsonl: try RowExport(context, asTable: false)
    }
  }
}

/// What `export --force` may replace: a file in the place of a file, and a folder only if it has nothing but what such an
/// export writes. An app's own asset catalog, or any other folder, is never removed.
struct ReplacedExport {
  private let form: CatalogExport.Form
  private let targets: [String]

  /// - Parameter targets: all that the export writes, its main target first.
  init(_ form: CatalogExport.Form, _ targets: [String]) {
    (self.form, self.targets) = (form, targets)
  }

  /// - Throws: ``TesseraError`` if the target is something else.
  func expectReplaceable(_ target: String) throws {
    let isFolder = FileSystem.isDirectory(target)
    guard isFolder == (target == targets.first && form.isFolder) else {
      throw TesseraError(
        .output,
        "\"\(target)\" is a \(isFolder ? "folder, and a file" : "file, and a folder") would take its place",
        remedy: "name another target, or remove it", subject: target)
    }
    guard isFolder else { return try expectFile(target) }
    guard try isExport(target) else {
      throw TesseraError(
        .output,
        "\"\(target)\" has more in it than an export as \(form.rawValue) writes, and --force would remove it",
        remedy: "name another target, or remove it", subject: target)
    }
  }

  private func expectFile(_ target: String) throws {
    guard FileSystem.size(ofFile: target) == nil else { return }
    throw TesseraError(
      .output, "\"\(target)\" is not a regular file", remedy: "name another target", subject: target
    )
  }

  private func isExport(_ path: String) throws(SystemError) -> Bool {
    let folder = try Directory(path)
    let names = try folder.list()
    func isFolder(_ name: String) -> Bool { folder.kind(of: name) == .folder }
    switch form {
    case .xcassets:
      // An app's own sets have an extension: `AppIcon.appiconset`.
      return hasNames
        && names.allSatisfy { $0 == "Contents.json" || isFolder($0) && !$0.contains(".") }
    case .android: return hasNames && names.allSatisfy { isFolder($0) && $0.hasPrefix("drawable-") }
    case .html, .sqlite, .csv, .jsonl: return false
    }
  }

  /// Whether the list of names is there that an export writes beside its folder.
  private var hasNames: Bool {
    targets.contains { $0.hasSuffix(".names.json") && FileSystem.size(ofFile: $0) != nil }
  }
}
