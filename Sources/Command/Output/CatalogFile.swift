internal import Synchronization
internal import TesseraBytes
internal import TesseraCatalog
internal import TesseraJSON
internal import TesseraOutput
internal import TesseraSystem

/// A catalog on disk. It can be read in two ways, an image at a time:
///
/// - ``lines()`` returns each image as it was written, with its place in the file: for work on the
///   catalog itself.
/// - ``images()`` decodes images as apps do, and checks them: for work that copies, links or shows what a
///   catalog names.
///
/// Neither returns images that were forgotten, which a `forget` that was killed has left in it. What is made of a catalog
/// gets its name by ``publish(_:orWithdraw:)``.
struct CatalogFile {
  /// For messages.
  let path: String
  /// The folder that the paths in the catalog are relative to.
  let folder: Directory
  private let name: String
  /// Of the output that the catalog is in.
  private let forgotten: ForgottenItems
  /// Removes a copy of a catalog in a store together with this value.
  private var copy: LocalOutput?

  /// The catalog of an output on a disk, or in a store.
  init(of local: LocalOutput) throws {
    try self.init(at: local.path)
    copy = local
  }

  /// The catalog of an output.
  init(of output: OutputFolder) throws {
    folder = try Directory(output.root)
    name = CurrentCatalog.path
    guard folder.exists(name) else { throw TesseraError(noOutput: output.root, exists: true) }
    path = folder.path(of: name)
    forgotten = try ForgottenItems(in: folder)
  }

  /// A catalog by its own path, or that of its output.
  init(at path: String) throws {
    self =
      FileSystem.isDirectory(path)
      ? try CatalogFile(of: OutputFolder(path)) : try CatalogFile(path: path)
  }

  /// - Parameter path: may be a link, because the user named it.
  private init(path: String) throws {
    guard FileSystem.exists(path) else { throw TesseraError(noOutput: path, exists: false) }
    self.path = path
    let place = FileSystem.isLink(path) ? FileSystem.realPath(path) ?? path : path
    folder = try Directory(FileSystem.parent(of: place))
    name = FileSystem.name(of: place)
    forgotten = try ForgottenItems(in: folder)
  }

  private func stream(
    _ reader: CatalogReader = CatalogReader()
  ) throws -> CatalogStream {
    CatalogStream(
      try folder.open(name, .read), path: path, reader)
  }

  /// The images as they were written.
  ///
  /// - Throws: ``TesseraError`` if this is not a catalog of this version; or `CancellationError`.
  func lines() throws -> CatalogLines { try lines(without: forgotten) }

  /// Also those that were forgotten, for a check of the catalog itself.
  func allLines() throws -> CatalogLines { try lines(without: ForgottenItems()) }

  private func lines(without forgotten: ForgottenItems) throws -> CatalogLines {
    CatalogLines(try stream(), headText: try readHead().headText, path: path, without: forgotten)
  }

  /// The images as apps decode them.
  func images() throws -> CatalogImages {
    CatalogImages(try stream(), path: path, without: forgotten)
  }

  /// Gives what was made of the catalog its name, unless images were forgotten meanwhile.
  ///
  /// - Parameter withdraw: takes the name away again: they were forgotten at that moment.
  func publish(
    _ publish: () async throws -> Void, orWithdraw withdraw: () async throws -> Void
  ) async throws {
    try await confirm()
    try await publish()
    do {
      try await confirm()
    } catch {
      try await withdraw()
      throw error
    }
  }

  /// Whether the image of a line was forgotten.
  func wasForgotten(_ line: CatalogLine) -> Bool { forgotten.has(line) }

  /// Whether a `forget` that was killed has left images in it.
  func hasForgotten() throws -> Bool {
    guard !forgotten.isEmpty else { return false }
    var lines = try allLines()
    while let line = try lines.next() { if wasForgotten(line) { return true } }
    return false
  }

  /// - Throws: ``TesseraError`` if images were forgotten since the catalog was opened.
  func confirm() async throws {
    let stored = try await copy?.marks()
    let beside = try ForgottenItems(in: folder)
    guard (stored ?? beside).digest != forgotten.digest else { return }
    throw TesseraError(
      .output, "images were forgotten (tessera forget) while the catalog \"\(path)\" was read",
      remedy: "run the same command again", isRetryable: true)
  }

  /// The catalog without its images.
  func head() throws -> Catalog {
    guard let head = try readHead().head else {
      throw TesseraError(.output, "\"\(path)\" is not a catalog")
    }
    return head
  }

  /// A reader that has read the head.
  private func readHead() throws -> CatalogReader {
    var stream = try stream()
    _ = try stream.next { reader throws(CatalogError) in try reader.readHead() ? true : nil }
    return stream.reader
  }

  /// The digest of the document: that of its head, if it is as it was written.
  func contentDigest() throws -> String {
    let digest = Mutex(SHA256())
    var stream = try stream(
      CatalogReader { bytes in
        digest.withLock { digest in bytes.withUnsafeBytes { digest.update($0) } }
      })
    while try stream.skipImage() {}
    return digest.withLock { $0.hexadecimal() }
  }
}
