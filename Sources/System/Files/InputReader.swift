internal import Dispatch
internal import Synchronization
internal import TesseraBytes

/// Reads a file that may block its reader forever, such as standard input. Reads happen on a queue
/// of their own; ``stop()`` ends a read that waits.
package final class InputReader: Sendable {
  private let file: File
  private let isStopped = Mutex(false)
  private let queue = DispatchQueue(label: "tessera.input")
  /// The file's version when it was opened; nil for anything but a regular file.
  private let version: File.Version?

  package init(_ file: consuming File) {
    // A file that cannot be examined counts as unchanged: reading it reports the error.
    version = file.isRegular ? try? file.version() : nil
    self.file = file
  }

  /// The file's length in bytes; nil for anything but a regular file.
  package var size: Int? { version?.size }

  /// Whether the file was written to since it was opened.
  package func hasChanged() throws(SystemError) -> Bool {
    guard let version else { return false }
    return try file.version() != version
  }

  /// SHA-256 of the whole file, wherever reading is; nil for anything but a regular file.
  package func digest() async throws(SystemError) -> String? {
    guard version != nil else { return nil }
    let result: Result<String?, SystemError> = await withCheckedContinuation { continuation in
      queue.async { [self] in continuation.resume(returning: digestNow()) }
    }
    return try result.get()
  }

  private func digestNow() -> Result<String?, SystemError> {
    do throws(SystemError) {
      let digest = SHA256()
      var offset = 0
      while !isStopped.withLock({ $0 }) {
        let bytes = try file.read(1 << 20, at: offset)
        if bytes.isEmpty { return .success(digest.hexadecimal()) }
        bytes.withUnsafeBytes { digest.update($0) }
        offset += bytes.count
      }
      return .success(nil)
    } catch {
      return .failure(error)
    }
  }

  /// Reads up to `count` bytes: none at the end of the file, nil after ``stop()``. Only one read may
  /// wait at a time.
  package func read(_ count: Int) async throws(SystemError) -> [UInt8]? {
    let result = await withCheckedContinuation { continuation in
      queue.async { [self] in continuation.resume(returning: readNow(count)) }
    }
    return try result.get()
  }

  /// Ends reading; a read that waits ends within a fifth of a second. May be called from any thread.
  package func stop() { isStopped.withLock { $0 = true } }

  private func readNow(_ count: Int) -> Result<[UInt8]?, SystemError> {
    do throws(SystemError) {
      // A regular file is always ready. A wait for a pipe cannot be interrupted from another thread
      // without a second descriptor, so it ends five times a second to look at `isStopped`.
      while !isStopped.withLock({ $0 }) {
        guard try file.waitUntilReadable(milliseconds: 200) else { continue }
        var bytes: [UInt8] = []
        _ = try file.read(count, into: &bytes)
        return .success(bytes)
      }
      return .success(nil)
    } catch {
      return .failure(error)
    }
  }
}
