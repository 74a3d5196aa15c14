internal import TesseraBytes
internal import TesseraPipelineFile
internal import TesseraState
internal import TesseraSystem

/// Which pipeline an output belongs to: the one that made its catalog.
///
/// It is known by the name of its file. Two files of one name at two places may be one pipeline that was moved (another
/// checkout, a container), or two: then the manifest decides, which has to have at least half of the images of
/// the last run.
struct OutputOwner: Sendable {
  private let file: PipelineFile
  private let location: String
  private let last: StateStore.CompletedRun?
  private let takesOver: Bool

  /// - Parameters:
  ///   - last: the last completed run on the output; nil if there was none.
  ///   - takesOver: whether the catalog of any pipeline may be replaced (`--take-over`).
  /// - Throws: ``TesseraError`` of the code `otherPipeline`.
  init(
    _ file: PipelineFile, of location: String, _ last: StateStore.CompletedRun?, takesOver: Bool
  ) throws {
    (self.file, self.location, self.last, self.takesOver) = (file, location, last, takesOver)
    if let last, last.pipeline != file.name, !takesOver { throw other(last) }
  }

  private func other(_ last: StateStore.CompletedRun) -> TesseraError {
    .otherPipeline(last.pipeline, of: file.name, output: location)
  }

  /// To be called when all items of the manifest are known, and before the catalog is replaced.
  func check(_ claims: ChunkClaims) throws {
    guard let last, let identity = last.identity, identity != self.identity, !takesOver else {
      return
    }
    if (last.items - claims.kept) * 2 > last.items { throw other(last) }
  }

  private var identity: String { SHA256.of(FileSystem.realPath(file.path) ?? file.path) }

  /// Of everything that makes the request URL of a manifest's.
  private var addresses: String {
    let rewrites = file.fetch.rewrites.map { "\($0.from) \($0.to)" }
    return SHA256.of(([file.base ?? ""] + rewrites).joined(separator: "\n"))
  }

  /// Whether requests go to other URLs than those of the last run, for the same manifest.
  var hasOtherAddresses: Bool { last?.addresses.map { $0 != addresses } ?? false }

  func completed(items: Int) -> StateStore.CompletedRun {
    StateStore.CompletedRun(
      pipeline: file.name, items: items, identity: identity, addresses: addresses)
  }
}
