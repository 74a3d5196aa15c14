internal import Synchronization
internal import TesseraBytes
internal import TesseraCatalog
internal import TesseraJSON
internal import TesseraOutput
internal import TesseraSystem

/// A catalog on disk, in either form. It can be read in two ways, an image at a time:
///
/// - ``lines()`` returns each image as it was written, with its place in the file: for work on the
///   catalog itself.
/// - ``images()`` decodes images as apps do, and checks them: for work that copies, links or shows what a
///   catalog names.
struct CatalogFile {
  /// For messages.
  let path: String
  /// The folder that the paths in the catalog are relative to.
  let folder: Directory
  private let name: String
  /// Removes a copy of a catalog in a store together with this value.
  private var copy: LocalOutput?

  /// The catalog of an output on a disk, or in a store.
  init(of local: LocalOutput) throws(OutputToolError) {
    try self.init(at: local.path)
    copy = local
  }

  /// The catalog of an output.
  init(of output: OutputFolder) throws(OutputToolError) {
    folder = try OutputToolError.wrap { try Directory(output.root) }
    var times: [CatalogForm: Double] = [:]
    for form in CatalogForm.allCases { times[form] = folder.sizeAndChange(of: form.name)?.changed }
    // A link has no time here, and is an error of its own when it is opened.
    let link = CatalogForm.allCases.first { [folder] in folder.exists($0.name) }
    guard let form = CatalogForm.newest(times) ?? link else {
      throw OutputToolError(noOutput: output.root, exists: true)
    }
    name = form.name
    path = folder.path(of: name)
  }

  /// A catalog by its own path, or that of its output.
  init(at path: String) throws(OutputToolError) {
    self =
      FileSystem.isDirectory(path)
      ? try CatalogFile(of: OutputFolder(path)) : try CatalogFile(path: path)
  }

  /// - Parameter path: may be a link, because the user named it.
  private init(path: String) throws(OutputToolError) {
    guard FileSystem.exists(path) else { throw OutputToolError(noOutput: path, exists: false) }
    self.path = path
    let place = FileSystem.isLink(path) ? FileSystem.realPath(path) ?? path : path
    folder = try OutputToolError.wrap { try Directory(FileSystem.parent(of: place)) }
    name = FileSystem.name(of: place)
  }

  private func stream(
    _ reader: CatalogReader = CatalogReader()
  ) throws(OutputToolError) -> CatalogStream {
    CatalogStream(
      try OutputToolError.wrap { try folder.open(name, .read) }, path: path, reader)
  }

  /// The images as they were written.
  ///
  /// - Throws: ``OutputToolError`` if this is not a catalog of this version; or `CancellationError`.
  func lines() throws -> CatalogLines {
    let head = try JSONParser.parse(try readHead().headText)
    return CatalogLines(try stream(), head: head, path: path)
  }

  /// The images as apps decode them.
  func images() throws -> CatalogImages { CatalogImages(try stream(), path: path) }

  /// The catalog without its images.
  func head() throws -> Catalog {
    guard let head = try readHead().head else {
      throw OutputToolError("\"\(path)\" is not a catalog")
    }
    return head
  }

  /// A reader that has read the head. Another program may have written images before other members: then
  /// it has read the images, too.
  private func readHead() throws -> CatalogReader {
    var stream = try stream()
    while try stream.skipImage(), stream.reader.head == nil {}
    return stream.reader
  }

  /// SHA-256 of the canonical JSON (RFC 8785), which is the same for both forms of a catalog: the `digest` of
  /// its head, if it is as it was written.
  func canonicalDigest() throws -> String {
    let digest = Mutex(SHA256())
    var stream = try stream(
      CatalogReader { bytes in
        digest.withLock { digest in bytes.withUnsafeBytes { digest.update($0) } }
      })
    while try stream.skipImage() {}
    return digest.withLock { $0.hexadecimal() }
  }
}
