import TesseraImageHeader
import TesseraTestSupport
import Testing

@testable import TesseraNet

/// The parts of a source as they arrive, and what follows from them.
@Suite struct ReceiverStepTests {
  /// Its size follows after 20 kB.
  private static let image = CameraJPEG.bytes()

  private static func receiver(
    _ requested: Range<Int>? = 0..<3584, room: Int = 1 << 24, reach: Int = 1 << 24
  ) -> HeaderReceiver {
    let receiver = HeaderReceiver(reach: reach, room: SearchRoom(bytes: room))
    receiver.expect(requested)
    return receiver
  }

  private static func isMore(_ verdict: BodyVerdict) -> Bool {
    if case .more = verdict { true } else { false }
  }

  private static func isEnough(_ verdict: BodyVerdict) -> Bool {
    if case .enough = verdict { true } else { false }
  }

  private static func version(_ etag: String?, _ date: String? = nil) -> Validators? {
    Validators(etag: etag, lastModified: date)
  }

  @Test func partsLeadToTheNextRange() throws {
    let receiver = Self.receiver()
    #expect(
      Self.isMore(receiver.begin(.part(0..<3584, of: Self.image.count), Self.version("\"1\""))))
    #expect(receiver.length == Self.image.count)
    #expect(receiver.version == Self.version("\"1\""))
    for start in stride(from: 0, to: 3584, by: 512) {
      #expect(Self.isMore(receiver.receive(Array(Self.image[start..<start + 512]).span.bytes)))
      // A part is evaluated when it is complete.
      #expect(receiver.wanted?.lowerBound == 0)
    }
    guard case .wants(let range) = receiver.verdict(isWhole: false) else {
      Issue.record("nothing is wanted")
      return
    }
    #expect(receiver.wanted == range)
    #expect((20_000..<21_000).contains(range.lowerBound))
    let next = range.lowerBound..<range.lowerBound + 768
    receiver.expect(next)
    // A server may leave out what it has said before.
    #expect(Self.isMore(receiver.begin(.part(next, of: nil), nil)))
    #expect(Self.isMore(receiver.receive(Array(Self.image[next]).span.bytes)))
    guard case .found(.header(let header)) = receiver.verdict(isWhole: true) else {
      Issue.record("not found")
      return
    }
    #expect("\(header.width)x\(header.height)" == "3000x4000")
    #expect(receiver.version == Self.version("\"1\""))
  }

  /// A first part and a second one, of versions and lengths that may contradict each other.
  @Test(
    arguments: [
      ("\"1\"", nil, 100, "\"1\"", nil, 100, true), ("\"1\"", nil, 100, "\"2\"", nil, 100, false),
      ("\"1\"", nil, 100, nil, nil, nil, true), (nil, nil, nil, "\"1\"", nil, 100, true),
      ("\"1\"", nil, 100, "\"1\"", nil, 101, false), (nil, "then", nil, nil, "later", nil, false),
      (nil, "then", nil, nil, "then", nil, true),
      ("\"1\"", "then", 100, "\"1\"", "later", 100, false),
      ("\"1\"", nil, 100, nil, "then", 100, true),
    ] as [(String?, String?, Int?, String?, String?, Int?, Bool)])
  func partsAreOfOneVersion(
    _ etag: String?, _ date: String?, _ total: Int?, _ nextTag: String?, _ nextDate: String?,
    _ nextTotal: Int?, _ isOne: Bool
  ) {
    let receiver = Self.receiver(0..<10)
    #expect(Self.isMore(receiver.begin(.part(0..<10, of: total), Self.version(etag, date))))
    let verdict = receiver.begin(.part(0..<10, of: nextTotal), Self.version(nextTag, nextDate))
    #expect(Self.isMore(verdict) == isOne)
    #expect(Self.isEnough(verdict) == !isOne)
    if isOne {
      #expect(receiver.length == total ?? nextTotal)
    } else {
      #expect(receiver.verdict(isWhole: true) == .unusable)
    }
  }

  @Test func aPartThatWasNotRequestedIsUnusable() {
    let receiver = Self.receiver(nil)
    #expect(Self.isEnough(receiver.begin(.part(0..<10, of: 20), nil)))
    #expect(receiver.verdict(isWhole: true) == .unusable)
  }

  /// More than was requested has no known offset. A small rest is read, which
  /// keeps the connection.
  @Test func aPartThatIsTooLongIsCutOff() {
    expectMost(8_192) { rest in
      let receiver = Self.receiver()
      _ = receiver.begin(.part(0..<100_000, of: nil), nil)
      #expect(Self.isMore(receiver.receive(Array(Self.image[..<3584]).span.bytes)))
      let verdict = receiver.receive([UInt8](repeating: 0xFF, count: rest).span.bytes)
      guard case .wants(let range) = receiver.verdict(isWhole: true) else { return false }
      #expect(range.lowerBound > 20_000)
      return Self.isMore(verdict)
    }
  }

  /// The same request would be repeated forever.
  @Test func aPartWithoutTheRequestedBytesIsUnusable() {
    let receiver = Self.receiver()
    _ = receiver.begin(.part(0..<3584, of: Self.image.count), nil)
    _ = receiver.receive(Array(Self.image[..<3584]).span.bytes)
    guard case .wants(let range) = receiver.verdict(isWhole: true) else { return }
    receiver.expect(range)
    _ = receiver.begin(.part(range.lowerBound..<range.lowerBound + 1, of: nil), nil)
    #expect(receiver.verdict(isWhole: true) == .unusable)
  }

  /// Nothing that arrived before a whole body is combined with it.
  @Test func aWholeBodyBeginsAgain() throws {
    let png = try Places.bytes("grey.png")
    let receiver = Self.receiver()
    _ = receiver.begin(.part(0..<3584, of: Self.image.count), Self.version("\"1\""))
    _ = receiver.receive(Array(Self.image[..<3584]).span.bytes)
    receiver.expect(nil)
    #expect(Self.isMore(receiver.begin(.whole(length: png.count), Self.version("\"2\""))))
    #expect(receiver.version == Self.version("\"2\""))
    #expect(receiver.length == png.count)
    _ = receiver.receive(png.span.bytes)
    guard case .found(.header(let header)) = receiver.verdict(isWhole: true) else {
      Issue.record("not found")
      return
    }
    #expect("\(header.width)x\(header.height)" == "120x80")
  }

  /// What a body that ends early states: fully, or as far as it goes.
  @Test func aCutBodyMayStateTheSize() {
    let small = CameraJPEG.bytes(filler: 10)
    for (bytes, isExact) in [(Array(small[..<400]), true), (Array(Self.image[..<400]), false)] {
      let receiver = Self.receiver()
      _ = receiver.begin(.part(0..<3584, of: nil), nil)
      _ = receiver.receive(bytes.span.bytes)
      #expect((receiver.exact?.width == 3000) == isExact)
      #expect((receiver.settled?.width == 3000) == isExact)
      #expect(receiver.wanted?.lowerBound == 0)
    }
  }

  /// Beyond its reach a source is dropped, however little is left of it.
  @Test(arguments: [(21_000, 15_000), (1_000_000, 3_650)])
  func aSourceIsReadAsFarAsItsReach(_ length: Int, _ received: Int) {
    let receiver = Self.receiver(nil, reach: 3_000)
    _ = receiver.begin(.whole(length: length), nil)
    #expect(Self.isMore(receiver.receive(Array(Self.image[..<100]).span.bytes)))
    #expect(Self.isEnough(receiver.receive(Array(Self.image[100..<received]).span.bytes)))
    let rejection = HeaderRejection(.malformed, "an image without a size in its first 3000 bytes")
    #expect(receiver.verdict(isWhole: false) == .found(.rejected(rejection)))
  }

  /// Without room, all bytes are given up, and the source is unusable until it is sent again.
  @Test func withoutRoomEverythingIsGivenUp() {
    let late = CameraJPEG.segmented(4, of: 60_000, width: 80, height: 60)
    for isWhole in [true, false] {
      let receiver = Self.receiver(0..<late.count, room: 10)
      _ = receiver.begin(
        isWhole ? .whole(length: nil) : .part(0..<late.count, of: nil), Self.version("\"1\""))
      guard case .noRoom = receiver.receive(Array(late[..<100_000]).span.bytes) else {
        Issue.record("there was room")
        return
      }
      #expect(receiver.verdict(isWhole: false) == .unusable)
      #expect(receiver.version == nil && receiver.length == nil && receiver.settled == nil)
    }
  }

  /// A room's search reads a file from its start, and no further than is needed.
  @Test func aWholeSourceIsSearched() throws {
    let late = CameraJPEG.segmented(4, of: 60_000, width: 80, height: 60)
    var reads: [[Int]] = []
    let found = try SearchRoom(bytes: 0).search { count, offset in
      reads.append([count, offset])
      return Array(late[min(offset, late.count)..<min(offset + count, late.count)])
    }
    guard case .header(let header) = found else {
      Issue.record("not found")
      return
    }
    #expect("\(header.width)x\(header.height)" == "80x60")
    #expect(reads == (0..<4).map { [65_536, 65_536 * $0] })
    let cut = try SearchRoom(bytes: 0).search { count, offset in
      offset == 0 ? Array(late[..<9]) : []
    }
    guard case .header = cut else { return }
    Issue.record("nine bytes have no size")
  }
}
