internal import TesseraBytes
internal import TesseraCatalog
internal import TesseraOutput
internal import TesseraSystem

/// A catalog file, read as apps read it: for what others are to see, and so with a closer look.
struct CatalogFile {
  private let path: String

  init(_ output: String) throws(OutputToolError) {
    guard FileSystem.isDirectory(output) else {
      path = output
      return
    }
    let names = ["catalog.json", "catalog.jsonl"].map { FileSystem.join(output, $0) }
    guard let path = names.first(where: { FileSystem.size(ofFile: $0) != nil }) else {
      throw .local("\"\(output)\" holds no catalog.json; it must be the output of a run")
    }
    self.path = path
  }

  /// The catalog without its images.
  func head() throws -> Catalog {
    var head: Catalog?
    try read { reader in
      // Whoever writes the pictures first has to be heard to the end.
      while head == nil, try next(&reader) != nil { head = reader.head }
      head = reader.head
      return head == nil
    }
    guard let head else { throw OutputToolError.local("\"\(path)\" is no catalog") }
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

  /// SHA-256 of the canonical JSON (``Catalog/canonicalJSON()``), which is the same for both forms of a catalog.
  func canonicalDigest() throws -> String {
    let frame = try head().canonicalFrame
    let digest = SHA256()
    frame.before.withUnsafeBytes { digest.update($0) }
    var isFirst = true
    try read { reader in
      while let image = try next(&reader) {
        try Task.checkCancellation()
        let bytes = (isFirst ? [] : [UInt8(ascii: ",")]) + image.canonicalJSON
        isFirst = false
        bytes.withUnsafeBytes { digest.update($0) }
      }
      return true
    }
    frame.after.withUnsafeBytes { digest.update($0) }
    return digest.hexadecimal()
  }

  /// The folder that the files' paths are relative to.
  var folder: String { FileSystem.parent(of: path) }

  /// Files are what a run makes, so that no path leads elsewhere or means something to who follows it; and slots name
  /// files that are there.
  private func check(_ image: CatalogImage) throws(OutputToolError) {
    for file in image.variants.flatMap(\.files) where PublishedFile.digest(in: file.path) == nil {
      throw .local("the catalog names a file \"\(file.path)\", which no run makes")
    }
    for (name, use) in image.slots {
      guard use.variants.allSatisfy(image.variants.indices.contains) else {
        throw .local(
          "\"\(path)\": slot \"\(name)\" of \"\(image.id)\" names a file that is not there; the catalog is damaged, "
            + "run again to make it anew")
      }
    }
  }

  private func next(_ reader: inout CatalogReader) throws(OutputToolError) -> CatalogImage? {
    do throws(CatalogError) {
      return try reader.next()
    } catch {
      throw .local("\"\(path)\", \(error)")
    }
  }

  /// Reads on for as long as `body` wants more.
  private func read(_ body: (inout CatalogReader) throws -> Bool) throws {
    let file = try OutputToolError.wrap { try File(path, .read) }
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
      throw OutputToolError.local("\"\(path)\", \(error)")
    }
  }
}
