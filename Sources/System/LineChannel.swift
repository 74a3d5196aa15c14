internal import Glibc

/// Lines over a socket, for two processes that trust each other as little as they can.
///
/// Every receive has a limit of length, and where the caller asks, of time.
package struct LineChannel {
  private let descriptor: Int32
  private var buffer: [UInt8] = []
  /// So much of the buffer is known to hold no line's end.
  private var searched = 0

  /// - Parameter descriptor: a connected socket; the caller goes on owning it.
  package init(descriptor: Int32) { self.descriptor = descriptor }

  /// Sends all of a line. Returns false where the other end is gone, or does not take it in time.
  package func send(_ line: [UInt8], until end: ContinuousClock.Instant? = nil) -> Bool {
    var rest = line[...]
    while !rest.isEmpty {
      if let end {
        guard ContinuousClock.now < end else { return false }
        var poll = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        if Glibc.poll(&poll, 1, 200) <= 0 { continue }
      }
      let sent = rest.withUnsafeBytes {
        Glibc.send(
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

  /// The next line without its end, however long it takes. Nil where the other end is closed or
  /// sends more than `maximumLength` bytes without a line's end.
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

  /// The next line, or why there is none by the given moment.
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
      guard buffer.count <= maximumLength else { return .tooLong }
      if let end {
        let left = ContinuousClock.Instant.now.duration(to: end)
        guard left > .zero else { return .timedOut }
        var poll = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        let milliseconds =
          left.components.seconds * 1000 + left.components.attoseconds / 1_000_000_000_000_000
        let ready = Glibc.poll(&poll, 1, Int32(min(milliseconds + 1, 60_000)))
        if ready == 0 || (ready < 0 && errno == EINTR) { continue }
      }
      var chunk = [UInt8](repeating: 0, count: 65_536)
      let count = recv(descriptor, &chunk, chunk.count, 0)
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { return .closed }
      buffer.append(contentsOf: chunk[..<count])
    }
  }
}
