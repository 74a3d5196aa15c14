import TesseraTestSupport
import Testing

@testable import TesseraNet

/// What answers, texts and settings of a store mean, in whole sentences.
@Suite struct StoreVerdictTests {
  private static let keys =
    "; check the credentials (AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN) and the "
    + "region"
  private static let rights = "; check the credentials and their rights, and this machine's clock"
  private static let region =
    "; check the region (AWS_REGION) and the endpoint (AWS_ENDPOINT_URL)"

  @Test(
    arguments: [
      (200, "", .done), (299, "NoSuchBucket", .done),
      (
        404, "NoSuchBucket",
        .failed(.rejected, "is in a bucket that does not exist; create it, or correct its name")
      ),
      (404, "", .failed(.missing, "is not there")), (404, "X", .failed(.missing, "is not there")),
      (409, "ConditionalRequestConflict", .again("409 ConditionalRequestConflict")),
      (409, "OperationAborted", .again("409 OperationAborted")),
      (409, "X", .failed(.rejected, "was rejected: the store answered 409 X (m)")),
      (412, "", .failed(.condition, "is another object by now")),
      (304, "", .failed(.condition, "is another object by now")),
      (416, "", .failed(.behindEnd, "is shorter than expected")),
      (501, "", .failed(.unsupported, "can't be changed like this: the store answered 501 (m)")),
      (
        400, "NotImplemented",
        .failed(
          .unsupported, "can't be changed like this: the store answered 400 NotImplemented (m)")
      ),
      (
        403, "RequestTimeTooSkewed",
        .failed(
          .rejected,
          "was rejected: the store answered 403 RequestTimeTooSkewed; set this machine's clock")
      ),
      (
        403, "SignatureDoesNotMatch",
        .failed(.rejected, "was rejected: the store answered 403 SignatureDoesNotMatch (m)" + keys)
      ),
      (
        403, "InvalidAccessKeyId",
        .failed(.rejected, "was rejected: the store answered 403 InvalidAccessKeyId (m)" + keys)
      ),
      (
        400, "ExpiredToken",
        .failed(.rejected, "was rejected: the store answered 400 ExpiredToken (m)" + keys)
      ),
      (
        400, "InvalidToken",
        .failed(.rejected, "was rejected: the store answered 400 InvalidToken (m)" + keys)
      ), (401, "", .failed(.rejected, "was rejected: the store answered 401 (m)" + keys)),
      (403, "X", .failed(.rejected, "was rejected: the store answered 403 X (m)" + rights)),
      (300, "", .failed(.rejected, "is elsewhere: the store answered 300" + region)),
      (399, "", .failed(.rejected, "is elsewhere: the store answered 399" + region)),
      (429, "", .again("the store answered 429 (m)")),
      (500, "", .again("the store answered 500 (m)")),
      (502, "", .again("the store answered 502 (m)")),
      (503, "", .again("the store answered 503 (m)")),
      (504, "", .again("the store answered 504 (m)")),
      (505, "", .failed(.rejected, "was rejected: the store answered 505 (m)")),
      (400, "RequestTimeout", .again("the store answered 400 RequestTimeout (m)")),
      (400, "SlowDown", .again("the store answered 400 SlowDown (m)")),
      (400, "", .failed(.rejected, "was rejected: the store answered 400 (m)")),
      (402, "", .failed(.rejected, "was rejected: the store answered 402 (m)")),
      (199, "", .failed(.rejected, "was rejected: the store answered 199 (m)")),
    ] as [(Int, String, StoreVerdict)])
  func eachAnswerHasAVerdict(_ status: Int, _ code: String, _ verdict: StoreVerdict) {
    #expect(StoreVerdict(status: status, code: code, message: "m") == verdict)
    if code == "", case .again = verdict {
      #expect(
        StoreVerdict(status: status, code: "", message: "")
          == .again("the store answered \(status)"))
    }
  }

  /// A service in front of the store that can't reach it.
  @Test(
    .faults(.n54),
    arguments: [
      (519, false), (520, true), (527, true), (528, false), (529, true), (530, true), (598, true),
    ])
  func gatewaysThatCannotReachTheStoreAreTriedAgain(_ status: Int, _ isAgain: Bool) {
    let again = StoreVerdict.again("the store answered \(status)")
    #expect((StoreVerdict(status: status, code: "", message: "") == again) == isAgain)
  }

  /// The element of an error says more than its status; an object may have any text.
  @Test func theBodyOfAnErrorIsRead() {
    var response = StoreResponse()
    response.body = Array("<Error><Code>SlowDown</Code><Message>m</Message></Error>".utf8)
    for (status, verdict) in [
      (200, .done), (400, .again("the store answered 400 SlowDown (m)")),
      (300, .failed(.rejected, "is elsewhere: the store answered 300 SlowDown" + Self.region)),
    ] as [(Int, StoreVerdict)] {
      response.headers.add("HTTP/1.1 \(status) X".utf8)
      #expect(StoreVerdict(response) == verdict)
    }
  }

  @Test(arguments: [
    ("<A>x</A>", ["x"]), ("<A></A><A>y</A>", ["", "y"]), ("<A b=\"c\">x</A>", ["x"]),
    ("<AB>x</AB><A>y</A>", ["y"]), ("<A>x", []), ("<A", []), ("<A b", []), ("<A/>", []), ("", []),
    ("<A>&lt;&gt;&quot;&apos;&amp;lt;</A>", ["<>\"'&lt;"]), ("<A>a&b&;c</A>", ["a&b&;c"]),
    ("<A>&#65;&#x42;&#x1F600;</A>", ["AB\u{1F600}"]),
    ("<A>&#x;&#;&#xD800;&#9</A>", ["&#x;&#;&#xD800;&#9"]),
    ("<A>&65;</A>", ["&65;"]), ("<A><![CDATA[a&amp;]]></A>", ["a&amp;"]),
    ("<A><![CDATA[a</A>", ["<![CDATA[a"]), ("<A>&lt;]]></A>", ["<]]>"]),
    ("<A>é&amp;ü</A>", ["é&ü"]),
  ])
  func textsOfElementsAreRead(_ text: String, _ texts: [String]) {
    #expect(StoreXML.texts(of: "A", in: text[...]) == texts)
  }

  @Test func bucketsHaveLimitedNames() {
    func isBucket(_ count: Int) -> Bool {
      StoreLocation("s3://\(String(repeating: "a", count: count))/k") != nil
    }
    expectLeast(1) { isBucket($0) }
    expectMost(255) { isBucket($0) }
    #expect(StoreLocation("s3://a~b/k") == nil)
    #expect(StoreLocation("s3://a//b//")?.key == "b")
    #expect(StoreLocation("s3://a/b/c")?.key == "b/c")
  }

  @Test func locationsAreWrittenAsTheyAreRead() {
    let (bucket, object) = (
      StoreLocation(bucket: "b", key: ""), StoreLocation(bucket: "b", key: "k/l")
    )
    #expect("\(bucket) \(object)" == "s3://b s3://b/k/l")
    #expect("\(bucket.appending("x/y")) \(object.appending("z"))" == "s3://b/x/y s3://b/k/l/z")
    for (key, hasDots) in [
      ("a/./b", true), ("..", true), (".", true), ("a/..", true), ("...", false), ("a.b/.c", false),
    ] {
      #expect(StoreLocation(bucket: "b", key: key).hasDotSegments == hasDots, "\(key)")
    }
  }

  @Test(
    arguments: [
      ([:], "https://b.s3.us-east-1.amazonaws.com/k", "us-east-1"),
      (
        ["AWS_DEFAULT_REGION": "x", "AWS_REGION": "", "AWS_ENDPOINT_URL": ""],
        "https://b.s3.x.amazonaws.com/k", "x"
      ), (["AWS_DEFAULT_REGION": "x", "AWS_REGION": "y"], "https://b.s3.y.amazonaws.com/k", "y"),
      (["AWS_ENDPOINT_URL": "http://h:1//"], "http://h:1/b/k", "us-east-1"),
      (["AWS_ENDPOINT_URL_S3": "h"], "h/b/k", "us-east-1"),
    ] as [([String: String], String, String)])
  func variablesOfAWSToolsAreSettings(
    _ variables: [String: String], _ url: String, _ region: String
  ) {
    let settings = StoreSettings(environment: { variables[$0] })
    #expect(settings.url(of: StoreLocation(bucket: "b", key: "k")) == url)
    #expect(settings.region == region)
    #expect((settings.concurrency, settings.attempts) == (32, 6))
  }

  @Test func bucketsAreInTheHostOrInThePath() {
    func url(_ isPath: Bool?, _ bucket: String, _ key: String, _ endpoint: String) -> String {
      StoreSettings(
        endpoint: endpoint, usesPathStyle: isPath, environment: { _ in nil }
      ).url(of: StoreLocation(bucket: bucket, key: key), query: [("b", "1"), ("a", "ü/")])
    }
    for (isPath, bucket, key, endpoint, expected) in [
      (true, "b", "k", "http://h", "http://h/b/k"), (true, "b", "", "http://h", "http://h/b"),
      (false, "b", "k", "http://h", "http://b.h/k"), (false, "b", "", "http://h", "http://b.h/"),
      (false, "b.c", "k", "http://h", "http://h/b.c/k"),
      (nil, "b", "k", "http://h", "http://h/b/k"),
      // Not a URL: nothing to put the bucket into.
      (false, "b", "k", "h", "h/k"),
    ] as [(Bool?, String, String, String, String)] {
      #expect(url(isPath, bucket, key, endpoint) == expected + "?a=%C3%BC%2F&b=1")
    }
  }
}
