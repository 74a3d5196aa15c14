import Foundation
import Synchronization
import TesseraSystem
import TesseraTestSupport
import Testing

@testable import TesseraNet

/// Sources without a server are delivered as a server would.
@Suite struct LocalDeliveryTests {
  /// Notes what it receives, and answers as a test wants.
  private final class Receiver: BodyReceiving {
    struct State {
      var extent: BodyExtent?
      var validators: Validators?
      var parts: [[UInt8]] = []
    }

    let state = Mutex(State())
    private let verdict: @Sendable (_ parts: Int) -> BodyVerdict

    init(_ verdict: @escaping @Sendable (_ parts: Int) -> BodyVerdict = { _ in .more }) {
      self.verdict = verdict
    }

    func begin(_ extent: BodyExtent, _ validators: Validators?) -> BodyVerdict {
      state.withLock { ($0.extent, $0.validators) = (extent, validators) }
      return verdict(0)
    }

    func receive(_ bytes: RawSpan) -> BodyVerdict {
      let copy = bytes.withUnsafeBytes { Array($0) }
      return verdict(
        state.withLock { state in
          state.parts.append(copy)
          return state.parts.count
        })
    }

    var parts: [[UInt8]] { state.withLock { $0.parts } }
    var extent: BodyExtent? { state.withLock { $0.extent } }
  }

  private static let part = 256 * 1024
  private static let bytes = (0..<600_000).map { UInt8(truncatingIfNeeded: $0 >> 3) }

  private static func read(
    _ source: LocalSource, _ receiver: Receiver, maximum: Int = 1_000_000, folders: [String] = [],
    _ change: (inout FetchRequest) -> Void = { _ in }
  ) -> (result: Result<FetchResponse, FetchError>, bytes: Int) {
    var request = FetchRequest(url: "data:,x#y", deadline: .seconds(9))
    change(&request)
    var settings = FetchSettings(maximumBytes: maximum)
    settings.folders = folders
    return source.read(request, settings, into: receiver)
  }

  @Test func bytesArriveInParts() throws {
    let receiver = Receiver()
    let (result, count) = Self.read(.data(Self.bytes), receiver)
    let response = try result.get()
    #expect(receiver.extent == .whole(length: 600_000))
    #expect(receiver.parts.map(\.count) == [Self.part, Self.part, 600_000 - 2 * Self.part])
    #expect(receiver.parts.flatMap(\.self) == Self.bytes)
    #expect(count == 600_000)
    #expect(response.ending == .complete)
    #expect(response.bytes == 600_000)
    #expect(response.freshness == .seconds(365 * 24 * 3600))
    #expect(response.validators == nil)
    #expect((response.url, response.place) == ("data:,x#y", "data:,"))
    #expect(!response.leftOrigin)
  }

  @Test func aReceiverMayHaveEnough() throws {
    for (after, bytes) in [(0, 0), (1, Self.part), (2, 2 * Self.part)] {
      let receiver = Receiver { $0 == after ? .enough : .more }
      let (result, count) = Self.read(.data(Self.bytes), receiver)
      #expect(try result.get().ending == .stopped)
      #expect(try result.get().bytes == bytes)
      #expect(count == bytes)
      #expect(receiver.parts.count == after)
    }
    let full = Self.read(.data(Self.bytes), Receiver { _ in .noRoom }).result
    #expect(throws: FetchError.noRoom) { try full.get() }
    let (failed, count) = Self.read(
      .data(Self.bytes), Receiver { $0 == 1 ? .failed("disk full") : .more })
    #expect(throws: FetchError(.local, "disk full")) { try failed.get() }
    #expect(count == Self.part)
  }

  @Test func aLargeSourceMayBeReadInPart() throws {
    let tooLarge = FetchError(.tooLarge, "the file is larger than 300000 bytes (max-bytes)")
    expectMost(300_000) { count in
      let receiver = Receiver()
      let source = LocalSource.data(Array(Self.bytes[..<count]))
      let (result, _) = Self.read(source, receiver, maximum: 300_000)
      if count > 300_000 { #expect(throws: tooLarge) { try result.get() } }
      return (try? result.get()) != nil && receiver.parts.flatMap(\.self).count == count
    }
    // Nothing of it is received: its size is known before.
    let unread = Receiver()
    let (_, none) = Self.read(.data(Self.bytes), unread, maximum: 300_000)
    #expect(none == 0 && unread.extent == nil)
    // Its beginning may be all that is needed, and no more than the limit is read.
    let receiver = Receiver()
    let (result, count) = Self.read(.data(Self.bytes), receiver, maximum: 300_000) {
      $0.isForBeginning = true
    }
    #expect(throws: tooLarge) { try result.get() }
    #expect(count == 300_000)
    #expect(receiver.parts.flatMap(\.self) == Array(Self.bytes[..<300_000]))
    let enough = Self.read(.data(Self.bytes), Receiver { $0 > 0 ? .enough : .more }, maximum: 9) {
      $0.isForBeginning = true
    }
    #expect(try enough.result.get().bytes == 9)
  }

  @Test func aRangeIsClampedToTheSource() throws {
    let source = LocalSource.data(Array("0123456789".utf8))
    for (range, extent, text) in [
      (2..<5, BodyExtent.part(2..<5, of: 10), "234"), (8..<99, .part(8..<10, of: 10), "89"),
      (0..<10, .whole(length: 10), "0123456789"), (0..<99, .whole(length: 10), "0123456789"),
    ] {
      let receiver = Receiver()
      let (result, _) = Self.read(source, receiver) { $0.range = range }
      #expect(try result.get().ending == .complete)
      #expect(receiver.extent == extent)
      #expect(receiver.parts == [Array(text.utf8)])
    }
    let behind = Self.read(source, Receiver()) { $0.range = 10..<12 }.result
    #expect(throws: FetchError(.badRange, "the file ends before this range")) { try behind.get() }
    // It belongs to one version; this source has none.
    let receiver = Receiver()
    _ = Self.read(source, receiver) { ($0.range, $0.ifRange) = (2..<5, "\"1\"") }
    #expect(receiver.extent == .whole(length: 10))
    let nothing = Receiver()
    #expect(try Self.read(.data([]), nothing).result.get().ending == .complete)
    #expect(nothing.extent == .whole(length: 0))
    #expect(nothing.parts.isEmpty)
  }

  /// A file's version is its inode, size and last change, of its content and of its inode; it is revalidated each time.
  @Test func aFileHasAVersion() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write("0123456789", to: "a")
    var status = stat()
    #expect(stat(path, &status) == 0)
    let (time, inode) = (status.st_mtim, status.st_ctim)
    let changes = "\(time.tv_sec).\(time.tv_nsec)-\(inode.tv_sec).\(inode.tv_nsec)"
    let tag = "\"\(status.st_ino)-10-\(changes)\""
    let url = "file://" + path
    func read(_ receiver: Receiver, _ change: (inout FetchRequest) -> Void) throws -> FetchResponse
    {
      try Self.read(.file(path: path), receiver, folders: [folder.path("")]) {
        $0.url = url
        change(&$0)
      }.result.get()
    }
    let receiver = Receiver()
    let response = try read(receiver) { ($0.range, $0.ifRange) = (2..<5, tag) }
    #expect(response.validators == Validators(etag: tag, lastModified: nil))
    #expect(receiver.state.withLock { $0.validators } == response.validators)
    #expect(response.freshness == .zero)
    #expect(receiver.extent == .part(2..<5, of: 10))
    #expect(receiver.parts == [Array("234".utf8)])
    let unknown = Receiver()
    _ = try read(unknown) { ($0.range, $0.ifRange) = (2..<5, "\"other\"") }
    #expect(unknown.extent == .whole(length: 10))
    for (etag, place, ending) in [
      (tag, url, FetchResponse.Ending.notModified), ("\"other\"", url, .complete),
      (tag, "file:///elsewhere", .complete),
    ] {
      let found = try read(Receiver()) {
        $0.condition = Condition(Validators(etag: etag, lastModified: nil), at: place)
      }
      #expect(found.ending == ending)
      #expect(found.bytes == (ending == .complete ? 10 : 0))
    }
  }

  @Test func aSourceThatShrinksIsTruncated() throws {
    var delivery = LocalDelivery(
      request: FetchRequest(url: "file:///a", deadline: .seconds(9)), settings: FetchSettings(),
      receiver: Receiver())
    let truncated = FetchError(
      .truncated, "the file became shorter while it was read", isRetryable: true)
    #expect(throws: truncated) {
      try delivery.deliver(length: 9, version: nil, freshness: .zero) { _ in [1, 2] }
    }
    #expect(throws: FetchError(.notReadable, "the file cannot be read: Input/output error")) {
      try delivery.deliver(length: 9, version: nil, freshness: .zero) { _ throws(SystemError) in
        throw SystemError("read", "/a", code: EIO)
      }
    }
  }
}
