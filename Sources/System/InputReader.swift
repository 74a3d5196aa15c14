internal import Dispatch
internal import Synchronization

/// Reads a file that may keep its reader waiting for ever, such as standard input: on a queue of its
/// own, and until ``stop()`` at the longest.
package final class InputReader: Sendable {
  private let file: File
  private let isStopped = Mutex(false)
  private let queue = DispatchQueue(label: "tessera.input")
  /// The file as it was opened; nil for what is no regular file.
  private let version: File.Version?

  package init(_ file: consuming File) {
    version = file.isRegular ? try? file.version() : nil
    self.file = file
  }

  /// The file's length in bytes, where it has one.
  package var size: Int? { version?.size }

  /// Whether somebody wrote to the file since it was opened.
  package func hasChanged() throws(SystemError) -> Bool {
    guard let version else { return false }
    return try file.version() != version
  }

  /// Up to `count` bytes; none at the end, and none once it was stopped. One reader at a time.
  package func read(_ count: Int) async throws(SystemError) -> [UInt8] {
    let result = await withCheckedContinuation { continuation in
      queue.async { [self] in continuation.resume(returning: readNow(count)) }
    }
    return try result.get()
  }

  /// Lets a reader that waits go. May be called from any thread.
  package func stop() { isStopped.withLock { $0 = true } }

  private func readNow(_ count: Int) -> Result<[UInt8], SystemError> {
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
