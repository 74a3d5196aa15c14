package import TesseraSystem

/// Where the worker is installed.
package enum WorkerPath {
  /// The path of `tessera-worker`: beside the running program.
  package static func find() throws(SystemError) -> String {
    FileSystem.join(FileSystem.parent(of: try Host.executablePath()), "tessera-worker")
  }
}
