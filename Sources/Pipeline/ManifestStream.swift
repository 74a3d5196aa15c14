internal import Dispatch
internal import Synchronization
internal import TesseraFiles
package import TesseraManifest
package import TesseraPipelineFile

/// A manifest's records, read as they are asked for: ten million lines need no more memory than
/// ten. gzip is recognised by its first bytes.
package final class ManifestStream {
  private static let chunk = 64 * 1024

  private let path: String
  private let file: Input
  private var gunzip: Gunzip?
  private var reader: ManifestReader
  private var records: ArraySlice<ManifestRecord> = []
  private var isAtStart = true
  private var isAtEnd = false
  /// Bytes in all, where that is known, and bytes read so far.
  package let size: Int?
  package private(set) var bytesRead = 0

  /// - Parameter hidden: query parameters that must not be seen in ids.
  package init(
    _ manifest: PipelineFile.Manifest, hiding hidden: [String] = []
  ) throws(PipelineError) {
    reader = ManifestReader(hiding: hidden)
    path = if case .file(let path) = manifest { path } else { "-" }
    // A directory can be opened, but not read.
    if FileSystem.isDirectory(path) { throw .manifest(path: path, reason: "it is a directory") }
    do throws(SystemError) {
      file =
        manifest == .standardInput
        ? Input(try File.standardInput()) : Input(try File(path, .readWithoutWaiting))
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

  /// Standard input may keep a reader waiting for ever: it waits on a queue of its own, and until
  /// ``stop()`` at the longest.
  private func readChunk() async throws(PipelineError) -> [UInt8] {
    let file = file
    let result = await withCheckedContinuation { continuation in
      Self.queue.async { continuation.resume(returning: file.read(Self.chunk)) }
    }
    do throws(SystemError) {
      return try result.get()
    } catch {
      throw .manifest(path: path, reason: error.reason)
    }
  }

  /// Lets a reader that waits go: the manifest ends here for it. May be called from any thread.
  package nonisolated func stopper() -> @Sendable () -> Void {
    let file = file
    return { file.stop() }
  }

  private static let queue = DispatchQueue(label: "tessera.manifest")

  /// The open file, for one reader at a time.
  private final class Input: Sendable {
    private let file: File
    private let isStopped = Mutex(false)
    let size: Int?

    func stop() { isStopped.withLock { $0 = true } }

    init(_ file: consuming File) {
      size = file.isRegular ? try? file.size() : nil
      self.file = file
    }

    func read(_ count: Int) -> Result<[UInt8], SystemError> {
      var bytes: [UInt8] = []
      do throws(SystemError) {
        // A file is always ready; a pipe is asked five times a second.
        while !(try file.waitUntilReadable(milliseconds: 200)) {
          if isStopped.withLock({ $0 }) { return .success([]) }
        }
        _ = try file.read(count, into: &bytes)
        return .success(bytes)
      } catch {
        return .failure(error)
      }
    }
  }
}
