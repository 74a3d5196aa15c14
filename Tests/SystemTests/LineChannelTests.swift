import Dispatch
import Glibc
import Synchronization
import TesseraTestSupport
import Testing

@testable import TesseraSystem

/// Lines over a socket.
@Suite struct LineChannelTests {
  /// Two connected sockets, which are closed with this object.
  private final class Pair {
    let ends: [Int32]

    init() throws {
      var ends: [Int32] = [-1, -1]
      guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0 else {
        throw SystemError("make", "sockets")
      }
      self.ends = ends
    }

    deinit { for end in ends { close(end) } }

    func send(_ text: String) {
      let bytes = Array(text.utf8)
      #expect(Glibc.send(ends[1], bytes, bytes.count, 0) == bytes.count)
    }

    func finish() { shutdown(ends[1], Int32(SHUT_WR)) }
  }

  private static var soon: ContinuousClock.Instant { .now.advanced(by: .seconds(60)) }

  @Test func linesArriveWithoutTheirLineFeeds() throws {
    let pair = try Pair()
    var channel = LineChannel(descriptor: pair.ends[0])
    pair.send("one\n\ntwo\nthr")
    #expect(channel.receive(maximumLength: 100) == Array("one".utf8))
    #expect(channel.receive(maximumLength: 100) == [])
    #expect(channel.receive(maximumLength: 100, until: Self.soon) == .line(Array("two".utf8)))
    #expect(
      channel.receive(maximumLength: 100, until: .now.advanced(by: .milliseconds(5))) == .timedOut)
    pair.send("ee\nfo")
    #expect(channel.receive(maximumLength: 100, until: Self.soon) == .line(Array("three".utf8)))
    pair.finish()
    #expect(channel.receive(maximumLength: 100, until: Self.soon) == .closed)
    #expect(channel.receive(maximumLength: 100) == nil)
  }

  /// They may have line feeds among them, and the next line begins behind them.
  @Test func bytesFollowALine() throws {
    let pair = try Pair()
    var channel = LineChannel(descriptor: pair.ends[0])
    pair.send("one\na\nb\nt")
    #expect(channel.receive(maximumLength: 100) == Array("one".utf8))
    #expect(channel.receive(bytes: 0, until: Self.soon) == .line([]))
    #expect(channel.receive(bytes: 4, until: nil) == .line(Array("a\nb\n".utf8)))
    #expect(channel.receive(bytes: 2, until: .now.advanced(by: .milliseconds(5))) == .timedOut)
    pair.send("wo\n")
    #expect(channel.receive(maximumLength: 100) == Array("two".utf8))
    pair.send("x")
    pair.finish()
    #expect(channel.receive(bytes: 2, until: Self.soon) == .closed)
  }

  /// What has arrived is a line, however late it is read.
  @Test func aLineThatHasArrivedIsNotLate() throws {
    let pair = try Pair()
    var channel = LineChannel(descriptor: pair.ends[0])
    pair.send("a\nb\n")
    #expect(channel.receive(maximumLength: 9, until: Self.soon) == .line([0x61]))
    #expect(
      channel.receive(maximumLength: 9, until: .now.advanced(by: .seconds(-1))) == .line([0x62]))
    #expect(channel.receive(maximumLength: 9, until: .now.advanced(by: .seconds(-1))) == .timedOut)
  }

  @Test func bytesWithoutALineFeedAreLimited() throws {
    try expectMost(1_000) { count in
      let pair = try Pair()
      var channel = LineChannel(descriptor: pair.ends[0])
      pair.send(String(repeating: "x", count: count))
      pair.finish()
      return channel.receive(maximumLength: 1_000, until: Self.soon) != .tooLong
    }
    let pair = try Pair()
    var channel = LineChannel(descriptor: pair.ends[0])
    pair.send(String(repeating: "x", count: 1_001))
    #expect(channel.receive(maximumLength: 1_000) == nil)
  }

  @Test func aLongLineIsSentInParts() throws {
    let pair = try Pair()
    let bytes = (0..<3_000_000).map { UInt8(0x20 + $0 % 90) }
    let descriptor = pair.ends[1]
    let sent = Sent()
    try BackgroundThread.start {
      let isSent = LineChannel(descriptor: descriptor).send(bytes + [0x0A], until: Self.soon)
      sent.result.withLock { $0 = isSent }
      sent.isOver.signal()
    }
    var channel = LineChannel(descriptor: pair.ends[0])
    let received = channel.receive(maximumLength: 4_000_000, until: Self.soon)
    sent.isOver.wait()
    #expect(received == .line(bytes))
    #expect(sent.result.withLock { $0 })
  }

  private final class Sent: Sendable {
    let result = Mutex(false)
    let isOver = DispatchSemaphore(value: 0)
  }

  @Test func aLineThatIsNotReadInTimeIsNotSent() throws {
    let pair = try Pair()
    let channel = LineChannel(descriptor: pair.ends[0])
    #expect(channel.send([0x0A], until: Self.soon))
    #expect(!channel.send([0x0A], until: .now.advanced(by: .seconds(-1))))
    let long = [UInt8](repeating: 0x61, count: 4_000_000)
    #expect(!channel.send(long, until: .now.advanced(by: .milliseconds(20))))
  }

  /// Without a signal: the process would end.
  @Test func nothingIsSentToAClosedSocket() throws {
    let pair = try Pair()
    shutdown(pair.ends[1], Int32(SHUT_RDWR))
    let channel = LineChannel(descriptor: pair.ends[0])
    #expect(!channel.send([0x61, 0x0A]))
    #expect(!channel.send([0x61, 0x0A], until: Self.soon))
    #expect(!channel.send([0x61, 0x0A], with: [pair.ends[0]]))
    #expect(channel.send([]))
  }

  @Test(arguments: [true, false])
  func descriptorsArriveWithALineIfTheyAreAccepted(_ isAccepted: Bool) throws {
    let pair = try Pair()
    let memory = [try SharedMemory(), try SharedMemory()]
    try memory[0].write([UInt8(7)].span.bytes)
    try memory[1].write([UInt8(8)].span.bytes)
    var channel = LineChannel(descriptor: pair.ends[0], acceptsDescriptors: isAccepted)
    let sender = LineChannel(descriptor: pair.ends[1])
    #expect(sender.send([0x61, 0x0A], with: memory.map(\.descriptor), until: Self.soon))
    #expect(channel.receive(maximumLength: 9, until: Self.soon) == .line([0x61]))
    let arrived = channel.takeDescriptors()
    #expect(channel.takeDescriptors() == [])
    #expect(arrived.count == (isAccepted ? 2 : 0))
    for (index, descriptor) in arrived.enumerated() {
      // A copy of the descriptor: closed here, still open there.
      #expect(descriptor != memory[index].descriptor)
      let file = File(path: "copy", descriptor: descriptor)
      #expect(try file.read(9, at: 0) == [UInt8(7 + index)])
    }
  }
}
