internal import TesseraBytes
internal import TesseraOutput
internal import TesseraPipelineFile
internal import TesseraState
package import TesseraSystem
internal import TesseraText

/// Names for "with the same pipeline".
enum Fingerprint {
  /// Identifies everything but the item and its source that shapes a line of the catalog.
  static func line(_ file: PipelineFile) -> String {
    digest(file.shape([.files, .entries]), "\(Version.number) lines \(Version.lines)", 32)
  }

  /// Identifies everything but its bytes that decides whether there is something to show of a source.
  ///
  /// - Parameter memory: what a worker has, in bytes. A machine may offer less than the pipeline allows.
  static func rejection(_ file: PipelineFile, memory: Int, libvips: String) -> String {
    var file = file
    file.limits.memory = memory
    return digest(
      file.shape([.files, .entries, .acceptance]),
      // Another one may decode what this one does not.
      "\(Version.number) lines \(Version.lines) libvips \(libvips)", 32)
  }

  /// Identifies everything in a pipeline file that shapes the catalog or its files.
  static func pipeline(_ file: PipelineFile) -> String {
    digest(file.upgraded.shape([.files, .entries, .catalog]), "", 16)
  }

  /// Identifies everything that a run follows besides the manifest, the output and the clock.
  ///
  /// - Parameters:
  ///   - owner: whose the output is.
  ///   - forgotten: the images that it leaves out.
  ///   - memory: what a worker has, in bytes.
  static func run(
    _ file: PipelineFile, _ owner: OutputOwner, without forgotten: ForgottenItems, memory: Int,
    libvips: String
  ) -> String {
    let completed = owner.completed(items: 0)
    return SHA256.of(
      [
        line(file), pipeline(file), rejection(file, memory: memory, libvips: libvips),
        "\(file.keptCatalogs)", file.fetch.revalidation.rawValue, "\(file.fetch.cache ?? 0)",
        completed.pipeline, completed.identity ?? "", completed.addresses ?? "",
        forgotten.digest,
        // What paths of files are shown from.
        file.shownURLs.folders.joined(separator: "\n"),
      ].joined(separator: "\n"))
  }

  private static func digest(_ shape: String, _ version: String, _ length: Int) -> String {
    String(SHA256.of("\(shape)\n\(version)\n\(Recipes.text)").prefix(length))
  }
}

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
