@preconcurrency import CDispatch
@preconcurrency import Glibc
import TesseraTestSupport
import Testing

/// Tests of what this process writes to its standard streams. They run one at a time, because they
/// replace the descriptors of these streams.
@Suite(.serialized) enum StreamTests {}

enum Streams {
  /// C's streams get descriptors of their own, so that what other tests print meanwhile stays out.
  private static let apart: Void = {
    for stream in [stdout, stderr] {
      guard let stream else { continue }
      fflush(stream)
      stream.pointee._fileno = fcntl(stream.pointee._fileno, F_DUPFD_CLOEXEC, 100)
    }
  }()

  /// What `body` writes to standard output and to standard error.
  static func written(
    _ body: () async throws -> Void
  ) async throws -> (output: String, errors: String) {
    let folder = try TemporaryFolder()
    let files = ["output", "errors"].map { name in
      open(folder.path(name), O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    }
    defer { for file in files { close(file) } }
    try await redirecting([1: files[0], 2: files[1]], body)
    let texts = files.map { file in
      var bytes = [UInt8](repeating: 0, count: Int(lseek(file, 0, SEEK_END)))
      let count = pread(file, &bytes, bytes.count, 0)
      return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }
    return (texts[0], texts[1])
  }

  /// Has descriptors lead elsewhere while `body` runs.
  static func redirecting(
    _ targets: [Int32: Int32], _ body: () async throws -> Void
  ) async throws {
    _ = apart
    let saved = targets.keys.map { ($0, fcntl($0, F_DUPFD_CLOEXEC, 100)) }
    for (descriptor, target) in targets { dup2(target, descriptor) }
    defer {
      for (descriptor, copy) in saved {
        dup2(copy, descriptor)
        close(copy)
      }
    }
    try await body()
  }
}
