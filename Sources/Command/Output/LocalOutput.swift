internal import TesseraNet
internal import TesseraOutput
internal import TesseraSystem

/// An output whose catalog can be read from a disk: the output itself, or a copy of the catalog of one in an
/// object store, which is removed together with this value.
final class LocalOutput: Sendable {
  /// The path of the output, or of the folder with the copy. A catalog's own path stays what it is.
  let path: String
  private let copy: TemporaryDirectory?
  /// The output in the store that it is a copy of.
  private let source: (any Output)?

  /// - Throws: ``TesseraError`` if the output has no catalog, or it can't be read.
  init(_ root: String, store: StoreSettings = StoreSettings()) async throws {
    guard OpenOutput.isInStore(root) else {
      path = root
      (copy, source) = (nil, nil)
      return
    }
    let copy = try TemporaryDirectory()
    let output = try OpenOutput(root, store, creates: false).output
    // First: what is forgotten while the catalog is copied is noticed when something is made of it.
    try await Self.copyMarks(of: output, to: copy.path)
    try await Self.copyCatalog(of: output, to: copy.path)
    path = copy.path
    (self.copy, source) = (copy, output)
  }

  /// The marks of forgotten images as they are now; nil if they are beside the catalog.
  func marks() async throws -> ForgottenItems? {
    guard let source else { return nil }
    return try await ForgottenItems.of(source)
  }

  /// A catalog that another one has replaced.
  struct CatalogBefore {
    /// Of itself, or of a copy.
    let path: String
    /// When it was replaced, in seconds since 1970.
    let replaced: Int
  }

  /// The catalog before the current one; nil if none is kept.
  func catalogBefore() async throws -> CatalogBefore? {
    let output = try source ?? OpenOutput(path, StoreSettings(), creates: false).output
    let current = try await CurrentCatalog(of: output)
    let kept = try await CatalogHistory.kept(in: output)?.others(than: current?.keptPath).first
    guard let kept, try await output.size(of: kept.path) != nil else { return nil }
    guard source != nil else {
      return CatalogBefore(path: FileSystem.join(path, kept.path), replaced: kept.time)
    }
    let copy = FileSystem.join(path, "before.json")
    try await Self.copy(kept.path, of: output, to: copy)
    return CatalogBefore(path: copy, replaced: kept.time)
  }

  /// - Throws: ``TesseraError`` if none is kept.
  func expectCatalogBefore() async throws -> CatalogBefore {
    let name = source?.location ?? path
    guard FileSystem.isDirectory(path) else {
      guard FileSystem.exists(path) else { throw TesseraError(noOutput: name, exists: false) }
      throw TesseraError(
        .output, "\"\(name)\" is a file", remedy: "name the output that holds it, or two catalogs",
        subject: name)
    }
    if let before = try await catalogBefore() { return before }
    throw TesseraError(
      .output, "\"\(name)\" keeps no earlier catalog",
      remedy: "name the two catalogs to compare", subject: name)
  }

  private static func copyMarks(
    of output: any Output, to path: String
  ) async throws {
    guard let marks = try await output.document(ForgottenItems.path) else { return }
    let copy = FileSystem.join(path, ForgottenItems.path)
    try FileSystem.makeDirectory(FileSystem.parent(of: copy))
    try File(copy, .create).write(marks)
  }

  private static func copyCatalog(
    of output: any Output, to path: String
  ) async throws {
    guard try await CurrentCatalog.isThere(in: output) else {
      throw TesseraError(noOutput: output.location, exists: true)
    }
    try await copy(
      CurrentCatalog.path, of: output, to: FileSystem.join(path, CurrentCatalog.path))
  }

  private static func copy(
    _ document: String, of output: any Output, to path: String
  ) async throws {
    let file = try File(path, .create)
    var offset = 0
    while true {
      let part = try await output.read(document, 16 << 20, at: offset)
      if part.isEmpty { return }
      try file.write(part)
      offset += part.count
    }
  }
}
