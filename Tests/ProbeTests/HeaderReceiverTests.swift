import TesseraTestSupport
import Testing

@testable import TesseraNet

@Suite struct HeaderReceiverTests {
  /// Once the header is found, a small rest is read, so that the connection can be used again. A
  /// large one is not, and neither is one of unknown length.
  @Test(
    arguments: [
      (0, true), (8_192, true), (8_193, false), (1_000_000, false), (nil, false),
    ] as [(Int?, Bool)])
  func onlyASmallRestIsRead(_ rest: Int?, _ isRead: Bool) throws {
    let bytes = try Places.bytes("plain.jpg")
    let receiver = HeaderReceiver(reach: 1_000_000, room: SearchRoom(bytes: 1_000_000))
    _ = receiver.begin(.whole(length: rest.map { bytes.count + $0 }), nil)
    let verdict = receiver.receive(bytes.span.bytes)
    switch verdict {
    case .more: #expect(isRead)
    case .enough: #expect(!isRead)
    case .failed, .noRoom: Issue.record("\(verdict)")
    }
  }
}
