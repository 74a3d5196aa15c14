import Testing

@testable import TesseraNet

/// How long a server may be silent, and what identifies the version that it sends.
@Suite struct ResponseProgressTests {
  private let start = ContinuousClock.now

  private func after(_ seconds: Double) -> ContinuousClock.Instant {
    start.advanced(by: .seconds(seconds))
  }

  /// Any line ends the wait, one of an interim response too.
  @Test(arguments: ["HTTP/1.1 200 OK\r\n", "HTTP/1.1 103 Early Hints\r\n"])
  func aServerMustRespondWithinTheTimeout(_ line: String) throws {
    var progress = ResponseProgress(range: nil)
    func overdue(_ seconds: Double) -> FetchError? {
      progress.overdue(timeout: .seconds(5), minimumSpeed: 1_000, now: after(seconds))
    }
    #expect(overdue(60) == nil, "nothing is sent yet")
    progress.requestIsSent(now: start)
    #expect(overdue(5) == nil)
    #expect(
      overdue(5.1)
        == FetchError(.timeout, "the server did not respond within 5 s", isRetryable: true))
    _ = try progress.add(line.utf8, minimumSpeed: 0, now: after(4))
    #expect(overdue(60) == nil)
  }

  /// Only a validator that changes with every byte may join two parts (RFC 9110, section 13.1.5).
  @Test(
    arguments: [
      ("\"1\"", "\"1\""), ("W/\"1\"", nil), ("1", nil), ("w/\"1\"", nil),
    ] as [(String, String?)])
  func onlyAStrongETagJoinsParts(_ etag: String, _ strong: String?) {
    let validators = Validators(etag: etag, lastModified: "Sun, 06 Nov 1994 08:49:37 GMT")
    #expect(validators?.etag == etag)
    #expect(validators?.strong == strong)
  }
}
