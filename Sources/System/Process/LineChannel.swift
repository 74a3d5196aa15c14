internal import Glibc

/// Exchanges lines over a socket with a process that is not trusted.
///
/// Every receive limits the length of a line, and its time if the caller requests it.
package struct LineChannel {
  private let descriptor: Int32
  private var buffer: [UInt8] = []
  /// The first bytes of the buffer, up to this index, hold no line feed: they are not searched
  /// again.
  private var searched = 0

  /// - Parameter descriptor: a connected socket. The caller keeps it open, and closes it.
  package init(descriptor: Int32) { self.descriptor = descriptor }

  /// Sends a whole line. Returns false if the other process has closed the socket, or does not read
  /// the line in time.
  package func send(_ line: [UInt8], until end: ContinuousClock.Instant? = nil) -> Bool {
    var rest = line[...]
    while !rest.isEmpty {
      if let end {
        guard ContinuousClock.now < end else { return false }
        var poll = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        // At most 200 ms at a time, so that the time limit is checked in between.
        if Glibc.poll(&poll, 1, 200) <= 0 { continue }
      }
      // With a time limit the call must not block: after a successful poll the socket may still
      // accept less than the whole line.
      let sent = rest.withUnsafeBytes {
        Glibc.send(
          // MSG_NOSIGNAL: a closed socket is a return value here, not a SIGPIPE.
          descriptor, $0.baseAddress, $0.count,
          Int32(MSG_NOSIGNAL) | (end == nil ? 0 : Int32(MSG_DONTWAIT)))
      }
      if sent < 0 {
        if errno == EINTR || errno == EAGAIN { continue }
        return false
      }
      rest = rest.dropFirst(sent)
    }
    return true
  }

  /// Waits for the next line, without a time limit, and returns it without its line feed. Nil if
  /// the socket is closed, or after more than `maximumLength` bytes without a line feed.
  package mutating func receive(maximumLength: Int) -> [UInt8]? {
    guard case .line(let line) = receive(maximumLength: maximumLength, until: nil) else {
      return nil
    }
    return line
  }

  package enum Received: Equatable {
    case line([UInt8])
    case closed
    case tooLong
    case timedOut
  }

  /// Waits for the next line until the given time. Returns it without its line feed, or why there
  /// is none.
  package mutating func receive(
    maximumLength: Int, until end: ContinuousClock.Instant?
  ) -> Received {
    while true {
      if let index = buffer[searched...].firstIndex(of: UInt8(ascii: "\n")) {
        let line = Array(buffer[..<index])
        buffer.removeSubrange(...index)
        searched = 0
        return .line(line)
      }
      searched = buffer.count
      // A worker that sends without a line feed must not fill this process's memory.
      guard buffer.count <= maximumLength else { return .tooLong }
      if let end {
        let left = ContinuousClock.Instant.now.duration(to: end)
        guard left > .zero else { return .timedOut }
        var poll = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        let milliseconds =
          left.components.seconds * 1000 + left.components.attoseconds / 1_000_000_000_000_000
        // Rounded up, so that the last millisecond is not spent in a loop; limited to fit an Int32.
        let ready = Glibc.poll(&poll, 1, Int32(min(milliseconds + 1, 60_000)))
        if ready == 0 || (ready < 0 && errno == EINTR) { continue }
      }
      var chunk = [UInt8](repeating: 0, count: 65_536)
      let count = recv(descriptor, &chunk, chunk.count, 0)
      if count < 0 && errno == EINTR { continue }
      // An error such as ECONNRESET means the same as the end: the other process is gone.
      guard count > 0 else { return .closed }
      buffer.append(contentsOf: chunk[..<count])
    }
  }
}
