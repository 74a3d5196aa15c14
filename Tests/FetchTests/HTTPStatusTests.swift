import Testing

@testable import TesseraNet

/// What a response's status and headers mean.
@Suite struct HTTPStatusTests {
  /// RFC 9110, section 15, RFC 8470 (425) and RFC 6585 (429).
  private static let phrases = [
    204: "No Content", 206: "Partial Content", 304: "Not Modified", 400: "Bad Request",
    401: "Unauthorized", 403: "Forbidden", 404: "Not Found", 405: "Method Not Allowed",
    406: "Not Acceptable", 408: "Request Timeout", 410: "Gone", 425: "Too Early",
    429: "Too Many Requests", 451: "Unavailable For Legal Reasons", 500: "Internal Server Error",
    502: "Bad Gateway", 503: "Service Unavailable", 504: "Gateway Timeout",
  ]

  private static func progress(
    _ status: Int, _ lines: [String] = [], range: Range<Int>? = nil
  ) throws -> ResponseProgress {
    var progress = ResponseProgress(range: range)
    for line in ["HTTP/1.1 \(status) The server's own words"] + lines {
      _ = try progress.add((line + "\r\n").utf8, minimumSpeed: 0, now: .now)
    }
    return progress
  }

  @Test func everyStatusHasItsMeaning() throws {
    let now = 784_111_777.5
    for status in 100...599 {
      let error = try Self.progress(status, ["Retry-After: 7"]).statusError(now: now)
      let who = status == 407 ? "the proxy that the environment names" : "the server"
      let phrase = Self.phrases[status].map { " " + $0 } ?? ""
      let expected = FetchError(
        .httpStatus, "\(who) answered \(status)\(phrase)",
        isRetryable: [408, 425, 429, 500, 502, 503, 504, 529, 530, 598].contains(status)
          || 520...527 ~= status, status: status,
        retryAfter: .seconds(7))
      #expect(error == expected)
      #expect(HTTPStatus.status(inMessage: error.message) == status)
      let isRedirect = [301, 302, 303, 307, 308].contains(status)
      #expect(HTTPStatus.isRedirect(status) == isRedirect)
      #expect(try Self.progress(status).isRedirect == isRedirect)
      #expect(try Self.progress(status).isSuccess == [200, 203].contains(status))
      let isPart = [200, 203, 206].contains(status)
      #expect(try Self.progress(status, range: 0..<9).isSuccess == isPart)
    }
    let dated = try Self.progress(503, ["Retry-After: Sun, 06 Nov 1994 08:50:37 GMT"])
    #expect(dated.statusError(now: now).retryAfter == .seconds(60))
    #expect(try Self.progress(503).statusError(now: now).retryAfter == nil)
  }

  private enum Step: Equatable {
    case more, enough, drain, failed
    case body(BodyExtent)
  }

  /// What follows the end of the headers: of a success its body; other bodies are not needed, but
  /// short ones are read.
  @Test(
    arguments: [
      (200, [], .body(.whole(length: nil))), (203, ["Content-Length: 7"], .body(.whole(length: 7))),
      (206, ["Content-Range: bytes 5-6/9"], .body(.part(5..<7, of: 9))),
      (206, ["Content-Range: bytes 6-7/9"], .failed), (404, [], .enough),
      (404, ["Content-Length: 0"], .more), (404, ["Content-Length: 1"], .drain),
      (404, ["Content-Length: 16384"], .drain), (404, ["Content-Length: 16385"], .enough),
      (404, ["Content-Length: -1"], .enough), (404, ["Content-Length: x"], .enough),
      (204, [], .more), (304, ["Content-Length: 9"], .more), (302, ["Content-Length: 9"], .drain),
      (199, ["Content-Length: 9"], .more), (100, [], .more), (0, [], .more),
    ] as [(Int, [String], Step)])
  private func whatFollowsTheHeaders(_ status: Int, _ lines: [String], _ expected: Step) throws {
    let start = ContinuousClock.now
    var progress = try Self.progress(status, lines, range: 5..<7)
    #expect(progress.extent == nil)
    var step = Step.failed
    do {
      step =
        switch try progress.add("\r\n".utf8, minimumSpeed: 0, now: start) {
        case .more: .more
        case .enough: .enough
        case .drain: .drain
        case .body(let extent): .body(extent)
        }
    } catch {
      #expect(error == FetchError(.badRange, "the server sent a different range than requested"))
    }
    #expect(step == expected)
    if case .body(let extent) = step { #expect(progress.extent == extent) }
    // Half a second is enough for a few round trips.
    for (milliseconds, isOver) in [(0, false), (500, false), (501, true)] {
      let now = start.advanced(by: .milliseconds(milliseconds))
      #expect(progress.isDrainOver(now: now) == (isOver && step == .drain))
    }
  }

  /// Trailers follow the body, and a later status line is not one of this response.
  @Test func nothingBehindTheBodyIsUsed() throws {
    var progress = try Self.progress(200, ["ETag: \"1\"", ""])
    for line in ["ETag: \"2\"\r\n", "HTTP/1.1 404 Not Found\r\n", "\r\n"] {
      guard case .more = try progress.add(line.utf8, minimumSpeed: 0, now: .now) else {
        Issue.record("\(line)")
        return
      }
    }
    #expect(progress.headers.status == 200)
    #expect(progress.validators == Validators(etag: "\"1\"", lastModified: nil))
  }

  /// Once the headers are complete, bytes have to arrive at the minimum speed.
  @Test func aBodyMustNotStall() throws {
    let start = ContinuousClock.now
    func after(_ seconds: Int) -> ContinuousClock.Instant { start.advanced(by: .seconds(seconds)) }
    var progress = ResponseProgress(range: nil)
    progress.received(9)
    for line in ["HTTP/1.1 200 OK\r\n", "\r\n"] {
      _ = try progress.add(line.utf8, minimumSpeed: 100, now: start)
    }
    progress.received(1_000)
    #expect(progress.overdue(timeout: .seconds(15), minimumSpeed: 100, now: after(10)) == nil)
    progress.received(999)
    #expect(
      progress.overdue(timeout: .seconds(15), minimumSpeed: 100, now: after(20))
        == FetchError(
          .timeout, "the transfer stalled: fewer than 100 bytes a second over 10 s",
          isRetryable: true))
  }

  /// A part may name positions of up to 15 digits, so that no sum overflows.
  @Test func numbersOfRangesAreLimited() {
    let most = String(repeating: "9", count: 15)
    #expect(ContentRange("bytes 0-\(most)/*")?.range == 0..<1_000_000_000_000_000)
    #expect(ContentRange("bytes 0-9/\(most)")?.total == 999_999_999_999_999)
    #expect(ContentRange("bytes 0-1\(most)/*") == nil)
    #expect(ContentRange("bytes 0-9/1\(most)") == nil)
    for digit in ["/", ":"] { #expect(ContentRange("bytes 0-\(digit)/*") == nil) }
  }
}
