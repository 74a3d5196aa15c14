internal import Dispatch
internal import Glibc
internal import Synchronization

/// A named pipe that is open for writing, and whose reader may be late, or stop reading.
package struct NamedPipe: ~Copyable {
  private let file: File
  private let patience: Duration
  private let end: ContinuousClock.Instant?

  /// - Parameters:
  ///   - patience: how long the reader may take to open it, and to take what one call writes.
  ///   - end: when no reader is waited for any more; nil for never.
  /// - Throws: `SystemError` if no reader opens it in that time.
  package init(
    _ path: String, patience: Duration, end: ContinuousClock.Instant? = nil
  ) throws(SystemError) {
    (self.patience, self.end) = (patience, end)
    let now = ContinuousClock.now
    file = try Self.open(path, max(.zero, now.duration(to: Self.limit(patience, end))))
  }

  private static func limit(
    _ patience: Duration, _ end: ContinuousClock.Instant?
  ) -> ContinuousClock.Instant {
    let limit = ContinuousClock.now + patience
    return end.map { min($0, limit) } ?? limit
  }

  private static func open(_ path: String, _ patience: Duration) throws(SystemError) -> File {
    let opening = Opening()
    // Opening waits for a reader, and nothing ends that: the thread is left behind if none comes.
    try BackgroundThread.start {
      opening.finish(Glibc.open(path, O_WRONLY | O_APPEND | O_CLOEXEC))
    }
    guard let descriptor = opening.result(patience: patience) else { throw .noReader(path) }
    guard descriptor >= 0 else { throw SystemError("open", path, code: -descriptor) }
    let file = File(path: path, descriptor: descriptor)
    guard fcntl(descriptor, F_SETFL, O_APPEND | O_NONBLOCK) == 0 else {
      throw SystemError("open", path)
    }
    return file
  }

  /// - Throws: `SystemError` if the reader has not taken all of it in time.
  package func write(_ bytes: [UInt8]) throws(SystemError) {
    let end = Self.limit(patience, end)
    var rest = bytes[...]
    while !rest.isEmpty {
      let wrote = rest.withUnsafeBytes { Glibc.write(file.descriptor, $0.baseAddress, $0.count) }
      if wrote >= 0 {
        rest = rest.dropFirst(wrote)
        continue
      }
      if errno == EINTR { continue }
      guard errno == EAGAIN else { throw SystemError("write to", file.path) }
      let time = ContinuousClock.now.duration(to: end)
      guard time > .zero else { throw SystemError("write to", file.path, code: ETIMEDOUT) }
      var poll = pollfd(fd: file.descriptor, events: Int16(POLLOUT), revents: 0)
      let ready = Glibc.poll(&poll, 1, Int32((min(time.inSeconds, 3600) * 1000).rounded(.up)))
      if ready < 0 && errno != EINTR { throw SystemError("write to", file.path) }
    }
  }

  /// A call of open(2) on another thread.
  private final class Opening: Sendable {
    /// The descriptor, or the negative code of an error. Closed if its caller has given up.
    private let state = Mutex<(descriptor: Int32?, isAwaited: Bool)>((nil, true))
    private let done = DispatchSemaphore(value: 0)

    func finish(_ descriptor: Int32) {
      let result = descriptor >= 0 ? descriptor : -errno
      let isAwaited = state.withLock { state in
        state.descriptor = result
        return state.isAwaited
      }
      if !isAwaited, result >= 0 { close(result) }
      done.signal()
    }

    /// Nil if the time runs out.
    func result(patience: Duration) -> Int32? {
      _ = done.wait(timeout: .now() + patience.inSeconds)
      return state.withLock { state in
        state.isAwaited = false
        return state.descriptor
      }
    }
  }
}
