import TesseraSystem
import TesseraText
import Testing

@testable import TesseraNet

/// The values of requests and responses.
@Suite struct FetchValuesTests {
  @Test(arguments: [
    (Duration.seconds(15), 15_000, "15 s"), (.milliseconds(500), 500, "500 ms"),
    (.milliseconds(1_500), 1_500, "1500 ms"), (.zero, 0, "0 s"), (.microseconds(2_900), 2, "2 ms"),
    (.seconds(60), 60_000, "60 s"),
  ])
  func durationsInMessages(_ duration: Duration, _ milliseconds: Int, _ sentence: String) {
    #expect(duration.milliseconds == milliseconds)
    #expect(duration.sentence == sentence)
  }

  /// The catalog's codes.
  @Test func codesOfErrors() {
    let codes: [FetchError.Code] = [
      .badURL, .dns, .network, .tls, .timeout, .redirect, .addressRejected, .httpStatus, .tooLarge,
      .truncated, .badEncoding, .badResponse, .badRange, .notFound, .notReadable,
      .symlink, .local, .outOfMemory, .cancelled,
      .runDeadline,
    ]
    let names = """
      bad-url dns network tls timeout redirect address-rejected http-status too-large truncated \
      bad-encoding bad-response bad-range not-found not-readable symlink local out-of-memory cancelled runDeadline
      """.replacing("runDeadline", with: "run-deadline")
    #expect(codes.map(\.rawValue).joined(separator: " ") == names)
    #expect(FetchError.runDeadline.isRetryable && FetchError.noRoom.isRetryable)
    #expect(
      FetchError.runDeadline.message == "the run's deadline passed before this image was done")
    #expect(
      FetchError.noRoom.message
        == "too many images without a size in their first bytes arrived at the same time")
    let plain = FetchError(.dns, "x")
    #expect(!plain.isRetryable && !plain.isHostGivenUp)
    #expect(plain.status == 0 && plain.retryAfter == nil)
    #expect(plain != FetchError(.dns, "x", isRetryable: true))
  }

  @Test func defaultsOfSettings() {
    let settings = FetchSettings()
    #expect([settings.concurrency, settings.perHost, settings.redirects] == [16, 6, 5] as [Int])
    #expect([settings.minimumSpeed, settings.maximumBytes] == [1_000, 64_000_000] as [Int])
    #expect([settings.timeout, settings.patience] == [.seconds(15), .seconds(120)])
    #expect(settings.userAgent == "Tessera/0.1")
    #expect(settings.headers.isEmpty && settings.folders.isEmpty && settings.buckets.isEmpty)
    #expect(settings.proxies.isEmpty && settings.certificates == nil && settings.end == nil)
    #expect(
      settings.permissionHint("loopback") == "add allow: [loopback] to the pipeline's \"fetch\"")
    let other = FetchSettings(
      concurrency: 1, perHost: 2, timeout: .seconds(3), minimumSpeed: 4, maximumBytes: 5,
      redirects: 6, userAgent: "a", addresses: AddressPolicy(allow: ["loopback"]))
    #expect([other.concurrency, other.perHost, other.minimumSpeed] == [1, 2, 4] as [Int])
    #expect([other.maximumBytes, other.redirects] == [5, 6] as [Int])
    #expect(other.timeout == .seconds(3) && other.userAgent == "a")
    #expect(IPAddress("127.0.0.1").map(other.addresses.permits) == true)
  }

  @Test func theEnvironmentHasProxiesAndCertificates() {
    var settings = FetchSettings()
    settings.certificates = "old"
    settings.takeEnvironment()
    #expect(settings.proxies == ProxySettings(environment: Host.environment))
    let file = Host.environment("SSL_CERT_FILE")
    #expect(settings.certificates == (file?.isEmpty == true ? nil : file))
  }

  @Test func aPlaceIgnoresWhatDoesNotIdentifyASource() {
    var settings = FetchSettings()
    settings.ignoredQuery = ["v"]
    #expect(settings.place(of: "http://u@h/a?v=1&w=2&token=3#f") == "http://h/a?w=2")
  }

  @Test func validatorsBelongToTheirPlace() throws {
    let validators = try #require(Validators(etag: "\"1\"", lastModified: nil))
    #expect(Condition(nil, at: "http://h/a") == nil)
    #expect(Condition(validators, at: nil) == nil)
    let condition = try #require(Condition(validators, at: "http://h/a?w=2&v=1"))
    #expect(condition.place == "http://h/a?w=2&v=1")
    for (url, isKnown) in [
      ("http://h/a?w=2&v=1", true), ("http://h/a?w=2&v=9", true), ("http://h/a?w=2", true),
      ("http://h/a?w=2&token=1#x", true), ("http://h/a?w=3&v=1", false), ("http://i/a?w=2", false),
    ] {
      let found = condition.validators(at: url, ignoring: ["v"])
      #expect(found == (isKnown ? validators : nil), "\(url)")
    }
    #expect(Validators(etag: nil, lastModified: nil) == nil)
    #expect(Validators(etag: "\u{1}", lastModified: "\u{7F}") == nil)
    // A blank is not a control character.
    #expect(Validators(etag: "\" ~\"", lastModified: nil)?.etag == "\" ~\"")
    #expect(Validators(etag: nil, lastModified: "x")?.strong == nil)
  }

  @Test func statisticsAreTotals() {
    let response = FetchResponse(
      ending: .notModified, url: "u", place: "p", leftOrigin: false, bytes: 0)
    var complete = response
    complete.ending = .complete
    var counts = FetchStatistics()
    for (result, bytes, requests) in [
      (Result<FetchResponse, FetchError>.success(response), 0, 1), (.success(complete), 50, 3),
      (.failure(FetchError(.dns, "x")), 7, 2),
    ] {
      counts.count(
        FetchResult(result: result, begun: nil, bytes: bytes, requests: requests, time: .zero))
    }
    #expect(counts == FetchStatistics(requests: 6, notModified: 1, bytes: 57))
  }

  @Test func aJobReportsWhatArrived() {
    let response = FetchResponse(
      ending: .complete, url: "u", place: "p", leftOrigin: false, bytes: 3)
    func result(_ finish: (FetchJob) -> Void, started: ContinuousClock.Instant?) -> FetchResult? {
      let box = Box()
      finish(
        FetchJob(
          identifier: 1, request: FetchRequest(url: "u", deadline: .zero), host: "h",
          receiver: HeadersOnly(), finish: { box.value = $0 }, started: started))
      return box.value
    }
    let early = ContinuousClock.now.advanced(by: .seconds(-5))
    let local = result({ $0.finish(.success(response), bytes: 3) }, started: early)
    #expect(local?.begun?.url == "u")
    #expect(local?.bytes == 3 && local?.requests == 0)
    #expect((local?.time ?? .zero) >= .seconds(5))
    let failed = result({ $0.finish(.failure(FetchError(.dns, "x"))) }, started: nil)
    #expect(failed?.begun == nil && failed?.bytes == 0 && failed?.requests == 0)
    #expect(failed?.time == .zero)
  }

  /// `@unchecked Sendable`: used by one thread.
  private final class Box: @unchecked Sendable {
    var value: FetchResult?
  }

  /// A redirect keeps user and password within its origin.
  @Test(
    arguments: [
      ("/b", "http://u:p@h/a", "http://u:p@h/b"),
      ("http://h:80/b", "http://u:p@h/a", "http://u:p@h:80/b"),
      ("/b", "http://u@h/a", "http://u@h/b"), ("http://v@h/b", "http://u:p@h/a", "http://v@h/b"),
      ("//i/b", "http://u:p@h/a", "http://i/b"), ("https://h/b", "http://u:p@h/a", "https://h/b"),
      ("http://h:81/b", "http://u:p@h/a", "http://h:81/b"), ("b", "http://h/a?q", "http://h/b"),
      ("file:///b", "http://h/a", "file:///b"), ("http://h:x/", "http://h/a", nil),
      ("/b", "nonsense", nil), ("#f", "http://u:p@h/a?q", "http://u:p@h/a?q#f"),
    ] as [(String, String, String?)])
  func redirectsKeepCredentialsWithinTheirOrigin(
    _ location: String, _ base: String, _ expected: String?
  ) {
    #expect(URLReference.redirect(to: location, from: base) == expected)
  }

  /// A colon in the first segment is not a scheme; control characters are rejected.
  @Test(
    arguments: [
      ("a\u{1F}b", nil), ("a\u{7F}b", nil), ("a b", "http://h/x/a%20b"), ("1:b", "http://h/x/1:b"),
      ("1?a:b", "http://h/x/1?a:b"), ("1/a:b", "http://h/x/1/a:b"), ("1#a:b", "http://h/x/1#a:b"),
    ] as [(String, String?)])
  func referencesWithUnusualCharacters(_ reference: String, _ expected: String?) {
    #expect(URLReference.resolve(reference, against: "http://h/x/y") == expected)
  }

  @Test func theTrustedCertificatesAreChecked() throws {
    let folder = try TemporaryDirectory()
    let path = folder.path + "/ca.pem"
    // Shorter than the first line of a certificate.
    for (count, isAccepted) in [(26, false), (27, true)] {
      try File(path, .write).write([UInt8](repeating: 0x2D, count: count))
      var settings = FetchSettings()
      settings.certificates = path
      let fetcher = try? Fetcher(settings)
      fetcher?.close()
      #expect((fetcher != nil) == isAccepted)
    }
  }
}
