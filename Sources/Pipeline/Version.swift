package import TesseraSystem

/// What made a catalog.
package enum Version {
  package static let name = "tessera"
  package static let number = "0.1.0"
  /// The day of the version, as the package's changelog has it.
  package static let date = "2026-11-23"

  /// Raised whenever an item's line of the catalog would have other members or words than before.
  static let lines = 6
}

/// Where the worker is installed.
package enum WorkerPath {
  /// The path of `tessera-worker`: beside the running program.
  package static func find() throws(SystemError) -> String {
    FileSystem.join(FileSystem.parent(of: try Host.executablePath()), "tessera-worker")
  }
}
