internal import TesseraSystem

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
        remedy: "name another target, or remove it")
    }
    guard isFolder else { return try expectFile(target) }
    guard try isExport(target) else {
      throw TesseraError(
        .output,
        "\"\(target)\" has more in it than an export as \(form.rawValue) writes, and --force would remove it",
        remedy: "name another target, or remove it")
    }
  }

  private func expectFile(_ target: String) throws {
    guard FileSystem.size(ofFile: target) == nil else { return }
    throw TesseraError(
      .output, "\"\(target)\" is not a regular file", remedy: "name another target")
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
