internal import TesseraCatalog
package import TesseraSystem

/// A document that is read as it was when it was opened, whatever takes its name meanwhile.
package struct OpenDocument: Sendable {
  package let size: Int
  private let readPart: @Sendable (_ count: Int, _ offset: Int) throws(SystemError) -> [UInt8]

  package init(
    size: Int,
    read: @escaping @Sendable (_ count: Int, _ offset: Int) throws(SystemError) -> [UInt8]
  ) {
    (self.size, readPart) = (size, read)
  }

  init(_ file: consuming File) throws(SystemError) {
    let open = SharedFile(file)
    self.init(size: try open.file.size()) { count, offset throws(SystemError) in
      try open.file.read(count, at: offset)
    }
  }

  /// The bytes of a range; fewer where the document ends.
  package func read(_ range: Range<Int>) throws(SystemError) -> [UInt8] {
    try readPart(range.count, range.lowerBound)
  }
}

extension Output {
  private static var partBytes: Int { 8 << 20 }

  /// One of a store is read once, and kept in the workspace until there is another.
  package func open(
    _ path: String, _ workspace: Workspace
  ) async throws(SystemError) -> OpenDocument? {
    let copy = workspace.documentCopy
    guard let size = try await size(of: path) else {
      try copy.remove()
      return nil
    }
    let start = try await read(path, CatalogDocument.digested, at: 0)
    // The digest is of everything that follows. What has none is not recognized later.
    let isRecognized = CatalogDocument.statedDigest(of: start) != nil
    if copy.size == size, isRecognized {
      let file = try copy.open(.read)
      if try file.read(start.count, at: 0) == start { return try OpenDocument(file) }
    }
    let file = try copy.open(.write)
    var offset = 0
    while offset < size {
      let part = try await read(path, Self.partBytes, at: offset)
      if part.isEmpty { break }
      try file.write(part)
      offset += part.count
    }
    let document = try OpenDocument(try copy.open(.read))
    if !isRecognized { try copy.remove() }
    return document
  }

  /// Keeps a staged document as what ``open(_:_:)`` finds later. Some file systems have no second names; then it is read again.
  package func keepCopy(_ staged: WorkFile, _ workspace: Workspace) throws(SystemError) {
    try workspace.documentCopy.remove()
    try? staged.link(as: workspace.documentCopy)
  }
}
