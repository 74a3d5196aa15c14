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
    let file = try File(FileSystem.join(path, CurrentCatalog.path), .create)
    var offset = 0
    while true {
      let part = try await output.read(CurrentCatalog.path, 16 << 20, at: offset)
      if part.isEmpty { return }
      try file.write(part)
      offset += part.count
    }
  }
}
