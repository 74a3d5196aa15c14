internal import TesseraBytes
internal import TesseraImageHeader
internal import TesseraJSON
internal import TesseraOutput
internal import TesseraPlan
internal import TesseraSystem

/// Looks whether every file that a catalog names is there, whole, and of the stated size.
package struct Verification: Sendable {
  package struct Problem: Sendable {
    package var id: String
    package var path: String
    /// Completes "the file …".
    package var reason: String
  }

  package struct Report: Sendable {
    package var images = 0
    package var files = 0
    package var problems = 0
    package var removed = 0
  }

  private let output: DirectoryOutput
  private let isDeep: Bool
  private let removesBroken: Bool

  /// - Parameters:
  ///   - isDeep: whether contents are read, and compared with the digests that names are made of.
  ///   - removesBroken: whether what is broken is deleted, so that the next run makes it anew.
  package init(_ root: String, isDeep: Bool, removesBroken: Bool) {
    output = DirectoryOutput(root)
    self.isDeep = isDeep
    self.removesBroken = removesBroken
  }

  /// - Throws: ``OutputToolError`` where there is no catalog, or one that can't be read.
  package func run(tell: (Problem) -> Void) throws -> Report {
    // Nobody else writes while something may be deleted.
    let lock = removesBroken ? try output.workspace.lock() : nil
    defer { withExtendedLifetime(lock) {} }
    var reader = try WrittenCatalog.open(output.root)
    var report = Report()
    while let image = try reader.next() {
      report.images += 1
      let id = image["id"]?.stringValue ?? ""
      guard let files = PublishedFile.all(of: image) else {
        report.problems += 1
        tell(Problem(id: id, path: "", reason: "is not told as a catalog tells files"))
        continue
      }
      for file in files {
        try Task.checkCancellation()
        report.files += 1
        guard let reason = try problem(with: file) else { continue }
        report.problems += 1
        tell(Problem(id: id, path: file.path, reason: reason))
        if removesBroken, file.digest != nil {
          try FileSystem.remove(FileSystem.join(output.root, file.path))
          report.removed += 1
        }
      }
    }
    return report
  }

  /// What is wrong with a file; nil where nothing is.
  private func problem(with file: PublishedFile) throws(OutputToolError) -> String? {
    guard let digest = file.digest else { return "has a name that no run gives" }
    let path = FileSystem.join(output.root, file.path)
    guard let size = FileSystem.size(ofFile: path) else { return "is missing" }
    guard size == file.bytes else { return "has \(size) bytes, and not \(file.bytes)" }
    do throws(SystemError) {
      let handle = try File(path, .read)
      let beginning = try handle.read(isDeep ? size : 64 << 10, at: 0)
      var reader = HeaderReader(fileSize: size)
      reader.add(beginning.span, at: 0)
      while case .needs(let range) = reader.reading {
        let more = try handle.read(range.count, at: range.lowerBound)
        reader.add(more.span, at: range.lowerBound)
        if more.count < range.count { reader.end(at: range.lowerBound + more.count) }
      }
      guard case .header(let header) = reader.reading else { return "is no picture" }
      guard header.width == file.width, header.height == file.height else {
        return
          "has \(header.width) x \(header.height) pixels, and not \(file.width) x \(file.height)"
      }
      let type = OutputFormat(rawValue: header.format.rawValue)?.mediaType
      guard type == file.type else {
        return "is \(header.format.withArticle) picture, not \(file.type)"
      }
      if isDeep, SHA256.of(beginning).prefix(32) != digest {
        return "has other content than it had"
      }
    } catch {
      return "can't be read: \(error.reason)"
    }
    return nil
  }
}
