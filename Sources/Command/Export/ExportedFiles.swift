internal import TesseraOutput
internal import TesseraSystem

/// The files of an output, for exports: on a disk, or in an object store.
struct ExportedFiles: Sendable {
  private let output: any Output
  /// For the names of files; nil for a store.
  private let folder: Directory?

  /// - Parameter path: the folder that the paths in the catalog are relative to, or a place in a store.
  init(_ path: String) throws {
    output = try OpenOutput(path, creates: false).output
    folder =
      OpenOutput.isInStore(path) ? nil : try Directory(path)
  }

  /// As the user names the output.
  var location: String { output.location }

  /// The file as other programs name it.
  func name(of path: String) -> String {
    folder?.path(of: path) ?? FileSystem.join(location, path)
  }

  func bytes(of path: String) async throws -> [UInt8] {
    guard let size = try await output.size(of: path) else {
      throw TesseraError(
        .output, "\"\(name(of: path))\" is missing", remedy: "tessera verify finds what else is")
    }
    var bytes: [UInt8] = []
    while bytes.count < size {
      let part = try await output.read(path, size - bytes.count, at: bytes.count)
      if part.isEmpty { break }
      bytes += part
    }
    return bytes
  }
}
