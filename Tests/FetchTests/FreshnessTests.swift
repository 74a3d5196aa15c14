import TesseraTestSupport
import Testing

@testable import TesseraNet

@Suite struct FreshnessTests {
  private func headers(_ lines: [String]) -> ResponseHeaders {
    var headers = ResponseHeaders()
    for line in ["HTTP/1.1 200 OK"] + lines {
      headers.add((line + "\r\n").utf8)
    }
    return headers
  }

  /// Header lines, and the seconds for which the response is fresh; nil if they do not say.
  @Test(
    .faults(.n31, .n53),
    arguments: [
      ([], nil),
      (["Cache-Control: max-age=60"], 60),
      (["Cache-Control: public, max-age = \"60\""], 60),
      (["Cache-Control: max-age=60", "Age: 20"], 40),
      (["Cache-Control: max-age=60", "Age: 90"], 0),
      (["Cache-Control: max-age=60", "Age: -5"], 60),
      // Of a list of ages the first counts (RFC 9111, section 5.1); a malformed one does not.
      (["Cache-Control: max-age=60", "Age: 20, 50"], 40),
      (["Cache-Control: max-age=60", "Age: 20", "Age: 50"], 40),
      (["Cache-Control: max-age=60", "Age: soon"], 60),
      (["Cache-Control: max-age=60", "Age: 99999999999999999999"], 0),
      (["Cache-Control: max-age=99999999999", "Age: 31536000"], 0),
      (["Cache-Control: max-age=0"], 0),
      (["Cache-Control: max-age"], 0),
      (["Cache-Control: max-age="], 0),
      (["Cache-Control: max-age=+5"], 0),
      (["Cache-Control: max-age=1.5"], 0),
      (["Cache-Control: MAX-AGE=60"], 60),
      // Of several the first counts (section 4.2.1).
      (["Cache-Control: max-age=60, max-age=600"], 60),
      (["Cache-Control: max-age=60", "Cache-Control: max-age=5"], 60),
      (["Cache-Control: max-age=soon, max-age=60"], 0),
      // A number that is too large counts as the largest (section 1.2.2).
      (["Cache-Control: max-age=99999999999999999999"], 31_536_000),
      (["Cache-Control: max-age=-1"], 0),
      (["Cache-Control: max-age=soon"], 0),
      (["Cache-Control: max-age=99999999999"], 31_536_000),
      (["Cache-Control: max-age=60, no-cache"], 0),
      (["Cache-Control: no-store"], 0),
      (["Cache-Control: No-Store, max-age=60"], 0),
      (["Cache-Control: no-cache=\"set-cookie\", max-age=60"], 0),
      (["Cache-Control: ,, max-age=60 ,"], 60),
      (["Cache-Control: x-max-age=60"], nil),
      (["Cache-Control: must-revalidate, immutable"], nil),
      (["Cache-Control: max-age=60, immutable, stale-while-revalidate=600"], 60),
      (["Cache-Control: s-maxage=600, max-age=60"], 60),
      (["Pragma: no-cache"], nil),
      (["Cache-Control: public"], nil),
      (["Cache-Control: s-maxage=60"], nil),
      // A repeated header is one list (RFC 9110, section 5.3).
      (["Cache-Control: public", "cache-control: max-age=7"], 7),
      (
        ["Date: Sun, 06 Nov 1994 08:49:37 GMT", "Expires: Sun, 06 Nov 1994 08:50:37 GMT"], 60
      ),
      (["Date: Sun, 06 Nov 1994 08:49:37 GMT", "Expires: Sun, 06 Nov 1994 08:00:00 GMT"], 0),
      (["Date: Sun, 06 Nov 1994 08:49:37 GMT", "Expires: 0"], 0),
      (["Expires: Sun, 06 Nov 2094 08:50:37 GMT"], 0),
      (["Date: soon", "Expires: Sun, 06 Nov 2094 08:50:37 GMT"], 0),
      (
        ["Date: Sun, 06 Nov 1994 08:49:37 GMT", "Expires: Sun, 06 Nov 2094 08:49:37 GMT"],
        31_536_000
      ),
      // Date and Expires in the forms that RFC 9110, section 5.6.7 calls obsolete.
      (["Date: Sunday, 06-Nov-94 08:49:37 GMT", "Expires: Sun Nov  6 08:50:37 1994"], 60),
      // The age counts for Expires as well (section 4.2.3).
      (
        [
          "Date: Sun, 06 Nov 1994 08:49:37 GMT", "Expires: Sun, 06 Nov 1994 08:50:37 GMT",
          "Age: 20",
        ], 40
      ),
      // A date is not a list: of different ones none counts, and equal ones are one.
      (
        [
          "Date: Sun, 06 Nov 1994 08:49:37 GMT", "Expires: Sun, 06 Nov 1994 08:50:37 GMT",
          "Expires: Sun, 06 Nov 1994 09:50:37 GMT",
        ], nil
      ),
      (
        [
          "Date: Sun, 06 Nov 1994 08:49:37 GMT", "Expires: Sun, 06 Nov 1994 08:50:37 GMT",
          "Expires: Sun, 06 Nov 1994 08:50:37 GMT",
        ], 60
      ),
      (
        [
          "Date: Sun, 06 Nov 1994 08:49:37 GMT", "Expires: Sun, 06 Nov 1994 08:50:37 GMT",
          "Cache-Control: max-age=5",
        ], 5
      ),
      (["Last-Modified: Sun, 06 Nov 1994 08:49:37 GMT"], nil),
    ] as [([String], Int?)])
  func lifetimes(_ lines: [String], _ seconds: Int?) {
    #expect(Freshness.lifetime(of: headers(lines)) == seconds.map { .seconds($0) })
  }

  /// Those of an interim response or of a redirect say nothing about the response after it.
  @Test func onlyTheHeadersOfTheLastResponseCount() {
    let lines = [
      "Cache-Control: no-store", "ETag: \"early\"", "", "HTTP/1.1 103 Early Hints",
      "Cache-Control: max-age=5", "", "HTTP/1.1 200 OK",
    ]
    #expect(Freshness.lifetime(of: headers(lines)) == nil)
    #expect(headers(lines)["etag"] == nil)
    #expect(Freshness.lifetime(of: headers(lines + ["Cache-Control: max-age=60"])) == .seconds(60))
  }

  /// Retry-After as seen at 784,111,777 (06 Nov 1994 08:49:37 GMT).
  @Test(
    arguments: [
      ([], nil), (["Retry-After: 7"], 7), (["Retry-After: 0"], 0), (["Retry-After: -1"], nil),
      (["Retry-After: soon"], nil), (["Retry-After: Sun, 06 Nov 1994 08:50:37 GMT"], 60),
      (["Retry-After: Sun, 06 Nov 1994 08:00:00 GMT"], 0),
    ] as [([String], Int?)])
  func retryAfter(_ lines: [String], _ seconds: Int?) {
    #expect(headers(lines).requestedPause(now: 784_111_777) == seconds.map { .seconds($0) })
  }
}
