internal import Glibc
internal import TesseraCProcess

/// Exchanges lines, and bytes behind them, over a socket with a process that is not trusted.
///
/// Every receive limits the length of a line, and its time if the caller requests it. Descriptors can
/// be sent with a line. Those that arrive are only accepted by a channel that is made for it.
package struct LineChannel {
  private let descriptor: Int32
  private let acceptsDescriptors: Bool
  /// Descriptors that have arrived and are not taken yet.
  private var descriptors: [Int32] = []
  private var buffer: [UInt8] = []
  /// The first bytes of the buffer, up to this index, hold no line feed: they are not searched
  /// again.
  private var searched = 0

  /// - Parameter descriptor: a connected socket. The caller keeps it open, and closes it.
  package init(descriptor: Int32, acceptsDescriptors: Bool = false) {
    self.descriptor = descriptor
    self.acceptsDescriptors = acceptsDescriptors
  }

  /// Sends a whole line. Returns false if the other process has closed the socket, or does not read
  /// the line in time.
  ///
  /// - Parameter descriptors: at most 8; the other process gets copies of them.
  package func send(
    _ line: [UInt8], with descriptors: [Int32] = [], until end: ContinuousClock.Instant? = nil
  ) -> Bool {
    var rest = line[...]
    var descriptors = descriptors
    var isFull = false
    while !rest.isEmpty {
      if let end {
        guard ContinuousClock.now < end else { return false }
        var poll = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        // At most 200 ms at a time, so that the time limit is checked in between.
        if isFull, Glibc.poll(&poll, 1, 200) <= 0 { continue }
      }
      // With a time limit the call must not block: the socket may accept less than the whole line.
      let sent = rest.withUnsafeBytes {
        let flags = end == nil ? 0 : Int32(MSG_DONTWAIT)
        // MSG_NOSIGNAL: a closed socket is a return value here, not a SIGPIPE.
        return descriptors.isEmpty
          ? Glibc.send(descriptor, $0.baseAddress, $0.count, flags | Int32(MSG_NOSIGNAL))
          : tessera_send(
            descriptor, $0.baseAddress, $0.count, descriptors, Int32(descriptors.count), flags)
      }
      if sent < 0 {
        guard errno == EINTR || errno == EAGAIN else { return false }
        isFull = errno == EAGAIN
        continue
      }
      // They went with the first bytes.
      descriptors = []
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
    /// Or the bytes behind one.
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
      if let failure = receiveMore(until: end) { return failure }
    }
  }

  /// Waits for the bytes that follow a line, until the given time.
  package mutating func receive(bytes count: Int, until end: ContinuousClock.Instant?) -> Received {
    while buffer.count < count {
      if let failure = receiveMore(until: end) { return failure }
    }
    let bytes = Array(buffer[..<count])
    buffer.removeSubrange(..<count)
    return .line(bytes)
  }

  /// Waits until there is more in the buffer. Returns why there is not.
  private mutating func receiveMore(until end: ContinuousClock.Instant?) -> Received? {
    while true {
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
      // Most lines are shorter; a larger one is zeroed for nothing.
      var chunk = [UInt8](repeating: 0, count: 16_384)
      let count = receive(into: &chunk)
      if count < 0 && errno == EINTR { continue }
      // An error such as ECONNRESET means the same as the end: the other process is gone.
      guard count > 0 else { return .closed }
      buffer.append(contentsOf: chunk[..<count])
      return nil
    }
  }

  private mutating func receive(into chunk: inout [UInt8]) -> Int {
    guard acceptsDescriptors else { return recv(descriptor, &chunk, chunk.count, 0) }
    var (arrived, number) = ([Int32](repeating: -1, count: 8), Int32(0))
    let count = tessera_receive(descriptor, &chunk, chunk.count, &arrived, &number)
    descriptors += arrived[..<Int(number)]
    return count
  }

  /// The descriptors that came with the line that was received last. The caller closes them.
  package mutating func takeDescriptors() -> [Int32] {
    defer { descriptors = [] }
    return descriptors
  }
}
