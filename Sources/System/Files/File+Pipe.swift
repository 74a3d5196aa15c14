internal import Dispatch
internal import Glibc
internal import Synchronization

/// Writing to a named pipe, whose reader may be late, or stop reading.
extension File {
  /// Opens a named pipe for writing.
  ///
  /// - Parameter patience: how long a reader may take to open it.
  /// - Throws: `SystemError` if none does.
  package static func pipe(_ path: String, patience: Duration) throws(SystemError) -> File {
    let opening = Opening()
    // Opening waits for a reader, and nothing ends that: the thread is left behind if none comes.
    try BackgroundThread.start { opening.finish(open(path, O_WRONLY | O_APPEND | O_CLOEXEC)) }
    guard let descriptor = opening.result(patience: patience) else { throw .noReader(path) }
    guard descriptor >= 0 else { throw SystemError("open", path, code: -descriptor) }
    let file = File(path: path, descriptor: descriptor)
    guard fcntl(descriptor, F_SETFL, O_APPEND | O_NONBLOCK) == 0 else {
      throw SystemError("open", path)
    }
    return file
  }

  /// Writes to a pipe that ``pipe(_:patience:)`` has opened.
  ///
  /// - Throws: `SystemError` if its reader has not taken all of it in the given time.
  package func write(_ bytes: [UInt8], patience: Duration) throws(SystemError) {
    let end = ContinuousClock.now + patience
    var rest = bytes[...]
    while !rest.isEmpty {
      let wrote = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if wrote >= 0 {
        rest = rest.dropFirst(wrote)
        continue
      }
      if errno == EINTR { continue }
      guard errno == EAGAIN else { throw SystemError("write to", path) }
      let time = ContinuousClock.now.duration(to: end)
      guard time > .zero else { throw SystemError("write to", path, code: ETIMEDOUT) }
      var poll = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
      let ready = Glibc.poll(&poll, 1, Int32((time.inSeconds * 1000).rounded(.up)))
      if ready < 0 && errno != EINTR { throw SystemError("write to", path) }
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
