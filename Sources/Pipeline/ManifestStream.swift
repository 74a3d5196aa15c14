internal import TesseraFiles
package import TesseraManifest
package import TesseraPipelineFile

/// A manifest's records, read as they are asked for: ten million lines need no more memory than
/// ten. gzip is recognised by its first bytes.
package final class ManifestStream {
  private static let chunk = 64 * 1024

  private let path: String
  private let file: InputReader
  private var gunzip: Gunzip?
  private var reader: ManifestReader
  private var records: ArraySlice<ManifestRecord> = []
  private var isAtStart = true
  private var isAtEnd = false
  /// Bytes in all, where that is known, and bytes read so far.
  package let size: Int?
  package private(set) var bytesRead = 0

  /// The manifest of a pipeline.
  package init(of pipeline: PipelineFile) throws(PipelineError) {
    let manifest = pipeline.manifest
    reader = ManifestReader(hiding: pipeline.fetch.ignoredQuery, base: pipeline.base)
    path = if case .file(let path) = manifest { path } else { "-" }
    // A directory can be opened, but not read.
    if FileSystem.isDirectory(path) { throw .manifest(path: path, reason: "it is a directory") }
    do throws(SystemError) {
      file =
        manifest == .standardInput
        ? InputReader(try File.standardInput())
        : InputReader(try File(path, .readWithoutWaiting))
    } catch {
      throw .manifest(path: path, reason: error.reason)
    }
    size = file.size
  }

  /// The next record, or nil at the end.
  package func next() async throws(PipelineError) -> ManifestRecord? {
    while records.isEmpty && !isAtEnd { try await fill() }
    return records.popFirst()
  }

  private func fill() async throws(PipelineError) {
    do throws(Gunzip.Failure) {
      if let bytes = try gunzip?.next() {
        records.append(contentsOf: reader.read(bytes))
        return
      }
    } catch {
      throw .manifest(path: path, reason: "damaged gzip data: \(error.message)")
    }
    let bytes = try await readChunk()
    bytesRead += bytes.count
    if isAtStart, bytes.starts(with: [0x1F, 0x8B]) { gunzip = Gunzip() }
    isAtStart = false
    if bytes.isEmpty {
      isAtEnd = true
      if let gunzip, !gunzip.isComplete {
        throw .manifest(path: path, reason: "the gzip data is cut off")
      }
      records.append(contentsOf: reader.finish())
    } else if let gunzip {
      gunzip.add(bytes)
    } else {
      records.append(contentsOf: reader.read(bytes))
    }
  }

  private func readChunk() async throws(PipelineError) -> [UInt8] {
    do throws(SystemError) {
      return try await file.read(Self.chunk)
    } catch {
      throw .manifest(path: path, reason: error.reason)
    }
  }

  /// Lets a reader that waits go: the manifest ends here for it. May be called from any thread.
  package nonisolated func stopper() -> @Sendable () -> Void {
    let file = file
    return { file.stop() }
  }
}
