package import TesseraSystem

/// An output in a directory:
///
///     catalog.json      the result
///     run.json          what the last run did
///     variants/3f/3f9c…-192x256.webp
///     .tessera/         the workspace, which is private
///
/// The workspace is on the same file system, so that publishing is a rename.
package struct DirectoryOutput: Output {
  package let root: String

  package init(_ root: String) { self.root = root }

  package var location: String { root }

  /// The private folder beside the published files.
  package var workspace: Workspace { Workspace(FileSystem.join(root, ".tessera")) }

  package func prepare() throws(SystemError) {
    let variants = path("variants")
    try FileSystem.makeDirectory(variants)
    try FileSystem.refuseLink(variants)
  }

  package func publish(staged: String, as path: String) throws(SystemError) {
    let target = self.path(path)
    // A file that is there and whole stays: it may have reached the disk already, and this one has
    // not. One that can't be read is replaced.
    if FileSystem.size(ofFile: target) != nil,
      (try? FileSystem.haveSameBytes(staged, target)) == true
    {
      return try FileSystem.remove(staged)
    }
    do throws(SystemError) {
      try FileSystem.rename(staged, to: target)
    } catch {
      guard error.isMissingFile else { throw error }
      // Folders are made when they are first needed: most outputs need few of the 256.
      try FileSystem.makeDirectory(FileSystem.parent(of: target))
      try FileSystem.rename(staged, to: target)
    }
  }

  package func size(of path: String) -> Int? { FileSystem.size(ofFile: self.path(path)) }

  package func read(_ path: String, _ count: Int, at offset: Int) throws(SystemError) -> [UInt8] {
    try File(self.path(path), .read).read(count, at: offset)
  }

  package func digest(of path: String) throws(SystemError) -> String {
    try FileSystem.sha256(of: self.path(path))
  }

  package func list(_ folder: String) throws(SystemError) -> [OutputEntry] {
    let directory = path(folder)
    // A linked folder may lead out of the output.
    try FileSystem.refuseLink(directory)
    // readdir(3) returns names in any order; reports must not depend on it.
    return try FileSystem.list(directory).sorted().map { name in
      let path = FileSystem.join(directory, name)
      if let bytes = FileSystem.size(ofFile: path) {
        return OutputEntry(name, .file(bytes: bytes))
      }
      return OutputEntry(name, FileSystem.isDirectory(path) ? .folder : .other)
    }
  }

  package func delete(_ path: String) throws(SystemError) {
    try FileSystem.remove(self.path(path))
  }

  package func write(_ name: String, staged: String) throws(SystemError) {
    // One flush for the document and for every variant that was renamed before it.
    try File(staged, .read).synchronizeFileSystem()
    // Only then the name: after a power cut the catalog is the old one or the new one, and whole.
    try FileSystem.rename(staged, to: path(name))
    try FileSystem.synchronizeDirectory(root)
  }

  package func write(_ name: String, _ bytes: [UInt8]) throws(SystemError) {
    try FileSystem.replace(path(name), with: bytes)
  }

  private func path(_ relative: String) -> String { FileSystem.join(root, relative) }
}
