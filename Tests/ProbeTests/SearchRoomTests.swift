import Foundation
import Synchronization
import TesseraImageHeader
import TesseraTestSupport
import Testing

@testable import TesseraNet

/// The memory that header searches share.
@Suite struct SearchRoomTests {
  private static let allowance = SearchRoom.allowance

  @Test func aShareTakesWhatExceedsTheAllowance() {
    let room = SearchRoom(bytes: 100)
    let one = SearchShare(of: room)
    let other = SearchShare(of: room)
    // The bytes that a search keeps, and whether there is room for them: one search after the other.
    let table: [(Int, Bool, Int, Bool)] = [
      (0, true, Self.allowance, true),
      (Self.allowance + 60, true, Self.allowance + 40, true),
      // Nothing is left. A search that does not get more keeps what it has until it gives it up.
      (Self.allowance + 61, false, Self.allowance + 41, false),
      (Self.allowance + 10, true, Self.allowance + 90, true),
      (0, true, Self.allowance + 100, true),
      (Self.allowance, true, Self.allowance + 101, false),
    ]
    for (index, row) in table.enumerated() {
      // Outside the macro, which cannot take what cannot be copied.
      let (first, second) = (one.resize(for: row.0), other.resize(for: row.2))
      #expect([first, second] == [row.1, row.3], "case \(index)")
    }
    let before = one.resize(for: Self.allowance + 1)
    other.release()
    let after = one.resize(for: Self.allowance + 100)
    #expect([before, after] == [false, true])
  }

  @Test func aShareIsGivenBackAtItsEnd() {
    let room = SearchRoom(bytes: 100)
    for _ in 0..<3 {
      let share = SearchShare(of: room)
      let fits = share.resize(for: Self.allowance + 100)
      #expect(fits)
    }
  }

  /// A JPEG whose size follows after 200 kB.
  private static let late: [UInt8] = {
    let block = [0xFF, 0xE1, 0xC3, 0x50] + [UInt8](repeating: 0, count: 0xC350 - 2)
    let photo = CameraJPEG.bytes()
    return Array(photo[..<2]) + block + block + block + block + Array(photo[2...])
  }()

  private static func fetch(
    _ server: FaultServer, _ room: SearchRoom, retries: Int
  ) async throws -> HeaderFetch.Answer {
    let fetcher = try Fetcher(
      FetchSettings(timeout: .seconds(10), addresses: AddressPolicy(allow: ["loopback"])))
    defer { fetcher.close() }
    return try await HeaderFetch(
      fetcher: fetcher, policy: RetryPolicy(retries: retries, deadline: .seconds(60)),
      maximumBytes: 64_000_000,
      room: room, didRetry: {}
    ).fetch(server.url("/a"))
  }

  /// While others hold the room, a search fails without harm; a retry finds the size.
  @Test func aSearchWithoutRoomIsRetried() async throws {
    let room = SearchRoom(bytes: 1 << 20)
    let others = Mutex(SearchShare(of: room))
    #expect(others.withLock { $0.resize(for: Self.allowance + 1 << 20) })
    let server = try FaultServer()
    defer { server.stop() }
    server.route("/a") { request, connection in
      if request.before > 0 { others.withLock { $0.release() } }
      // It sends everything, whatever is requested.
      connection.respond("200 OK", [:], Self.late)
    }
    let answer = try await Self.fetch(server, room, retries: 2)
    guard case .told(.header(let header), _, _) = answer.outcome else {
      Issue.record("\(answer.outcome)")
      return
    }
    #expect("\(header.width)x\(header.height)" == "3000x4000")
    #expect(answer.requests == 2)
  }

  @Test func withoutRoomAnErrorSaysSo() async throws {
    let server = try FaultServer(["/a": { $1.respond("200 OK", [:], Self.late) }])
    defer { server.stop() }
    let answer = try await Self.fetch(server, SearchRoom(bytes: 0), retries: 0)
    guard case .failed(let error) = answer.outcome else {
      Issue.record("\(answer.outcome)")
      return
    }
    #expect(error == .noRoom)
    #expect(error.isRetryable)
    #expect(error.code.rawValue == "out-of-memory")
  }

  /// Images whose size is among the first bytes need no room at all.
  @Test func aSmallSearchNeedsNoRoom() async throws {
    let server = try FaultServer(["/a": { $1.respond("200 OK", [:], CameraJPEG.bytes()) }])
    defer { server.stop() }
    let answer = try await Self.fetch(server, SearchRoom(bytes: 0), retries: 0)
    guard case .told(.header, _, _) = answer.outcome else {
      Issue.record("\(answer.outcome)")
      return
    }
  }
}
