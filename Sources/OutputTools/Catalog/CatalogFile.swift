internal import TesseraBytes
internal import TesseraCatalog
internal import TesseraOutput
internal import TesseraSystem

/// A catalog on disk, in either form. It can be read in two ways, an image at a time:
///
/// - ``lines()`` returns each image as it was written, with its place in the file: for work on the
///   catalog itself.
/// - ``forEachImage(_:)`` decodes images as apps do, and checks them: for work that copies, links
///   or shows what a catalog names.
///
/// Both check for cancellation before each image.
struct CatalogFile {
  /// For messages.
  let path: String
  /// The folder that the paths in the catalog are relative to.
  let folder: Directory
  private let name: String

  /// The catalog of an output.
  init(of output: OutputFolder) throws(OutputToolError) {
    folder = try OutputToolError.wrap { try Directory(output.root) }
    let names = ["catalog.json", "catalog.jsonl"]
    guard let name = names.first(where: folder.exists) else {
      throw OutputToolError(
        "\"\(output.root)\" holds no catalog.json; it must be the output of a run")
    }
    self.name = name
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
    self.path = path
    let place = FileSystem.isLink(path) ? FileSystem.realPath(path) ?? path : path
    folder = try OutputToolError.wrap { try Directory(FileSystem.parent(of: place)) }
    name = FileSystem.name(of: place)
  }

  private func open() throws(OutputToolError) -> File {
    try OutputToolError.wrap { try folder.open(name, .read) }
  }

  /// The images as they were written, one on a line.
  ///
  /// - Throws: ``OutputToolError`` if this is not a catalog of this version, as a run writes it.
  func lines() throws(OutputToolError) -> CatalogLines {
    try CatalogLines.of(try open(), path: path)
  }

  /// The catalog without its images.
  func head() throws -> Catalog {
    var head: Catalog?
    try read { reader in
      // Another program may have written the images before the other members: then the head is
      // complete only after them.
      while head == nil, try next(&reader) != nil { head = reader.head }
      head = reader.head
      return head == nil
    }
    guard let head else { throw OutputToolError("\"\(path)\" is not a catalog") }
    return head
  }

  func forEachImage(_ body: (CatalogImage) throws -> Void) throws {
    try read { reader in
      while let image = try next(&reader) {
        try check(image)
        try body(image)
      }
      return true
    }
  }

  /// SHA-256 of the canonical JSON (``Catalog/canonicalJSON()``, RFC 8785), which is the same for
  /// both forms of a catalog.
  func canonicalDigest() throws -> String {
    let frame = try head().canonicalFrame
    let digest = SHA256()
    frame.before.withUnsafeBytes { digest.update($0) }
    var isFirst = true
    try read { reader in
      while let image = try next(&reader) {
        let bytes = (isFirst ? [] : [UInt8(ascii: ",")]) + image.canonicalJSON
        isFirst = false
        bytes.withUnsafeBytes { digest.update($0) }
      }
      return true
    }
    frame.after.withUnsafeBytes { digest.update($0) }
    return digest.hexadecimal()
  }

  /// Accepts only paths that a run makes, so that no path leads out of the output or runs as a
  /// script in a page; and only slots whose files are in the image.
  private func check(_ image: CatalogImage) throws(OutputToolError) {
    for file in image.variants.flatMap(\.files) where PublishedFile.digest(in: file.path) == nil {
      throw OutputToolError("the catalog names a file \"\(file.path)\", which no run makes")
    }
    for (name, use) in image.slots {
      guard use.variants.allSatisfy(image.variants.indices.contains) else {
        throw OutputToolError(
          "\"\(path)\": slot \"\(name)\" of \"\(image.id)\" names a file that is not there; "
            + "the catalog is damaged, run again to regenerate it")
      }
    }
  }

  private func next(_ reader: inout CatalogReader) throws -> CatalogImage? {
    try Task.checkCancellation()
    do throws(CatalogError) {
      return try reader.next()
    } catch {
      throw OutputToolError("\"\(path)\", \(error)")
    }
  }

  /// Feeds the file to a reader, and calls `body` after each part, until it returns false.
  private func read(_ body: (inout CatalogReader) throws -> Bool) throws {
    let file = try open()
    var reader = CatalogReader()
    var bytes: [UInt8] = []
    while try OutputToolError.wrap({ try file.read(1 << 16, into: &bytes) }) > 0 {
      reader.add(bytes)
      bytes = []
      if try !body(&reader) { return }
    }
    do throws(CatalogError) {
      try reader.finish()
    } catch {
      throw OutputToolError("\"\(path)\", \(error)")
    }
  }
}
