import TesseraTestSupport
import Testing

@testable import TesseraNet

/// Object stores, as far as no server is needed: names, URLs, verdicts, credentials, answers.
@Suite struct StoreTests {
  @Test(arguments: [
    ("s3://feed", "feed", ""), ("s3://feed/", "feed", ""), ("s3://feed/a/b/", "feed", "a/b"),
    ("s3://my.bucket-1_x/ü b+c", "my.bucket-1_x", "ü b+c"),
  ])
  func locationsAreBucketAndKey(_ text: String, _ bucket: String, _ key: String) {
    #expect(StoreLocation(text) == StoreLocation(bucket: bucket, key: key))
  }

  @Test(arguments: [
    "s3:/feed", "s3://", "s3:///a", "s3://a b/c", "S3://feed", "https://feed/a", "",
    "s3://feed/a/../b", "s3://feed/./b", "s3://feed/..",
  ])
  func otherTextsAreNoLocations(_ text: String) { #expect(StoreLocation(text) == nil) }

  /// What is signed is what is sent: every byte that is not unreserved is encoded, in upper case.
  @Test func urlsAreEncodedAndTheirQueryIsSorted() {
    let odd = StoreLocation(bucket: "feed", key: "a+b(c)/d=e:@&!* é~_-.")
    let minio = StoreSettings(endpoint: "http://127.0.0.1:9000/", environment: { _ in nil })
    #expect(
      minio.url(of: odd)
        == "http://127.0.0.1:9000/feed/a%2Bb%28c%29/d%3De%3A%40%26%21%2A%20%C3%A9~_-.")
    #expect(
      minio.url(
        of: StoreLocation(bucket: "feed", key: ""),
        query: [("prefix", "a b/"), ("list-type", "2"), ("delimiter", "/"), ("uploads", "")])
        == "http://127.0.0.1:9000/feed?delimiter=%2F&list-type=2&prefix=a%20b%2F&uploads=")
  }

  @Test func settingsFollowTheEnvironmentOfAWSTools() {
    func url(_ settings: StoreSettings, _ bucket: String = "feed") -> String {
      settings.url(of: StoreLocation(bucket: bucket, key: "a"))
    }
    let aws = StoreSettings(environment: { ["AWS_REGION": "eu-central-1"][$0] })
    #expect(url(aws) == "https://feed.s3.eu-central-1.amazonaws.com/a")
    // No certificate covers a name with dots.
    #expect(url(aws, "my.feed") == "https://s3.eu-central-1.amazonaws.com/my.feed/a")
    let own = StoreSettings(environment: {
      ["AWS_ENDPOINT_URL": "https://a", "AWS_ENDPOINT_URL_S3": "https://b/"][$0]
    })
    #expect(url(own) == "https://b/feed/a")
    #expect(own.region == "us-east-1")
    let named = StoreSettings(
      endpoint: "https://c", region: "x", usesPathStyle: false,
      environment: { _ in "https://other" })
    #expect(url(named) == "https://feed.c/a")
    #expect(named.region == "x")
  }

  @Test(
    arguments: [
      (200, "", nil), (206, "", nil), (204, "", nil),
      (404, "NoSuchKey", .missing), (404, "", .missing), (404, "NoSuchBucket", .rejected),
      (412, "PreconditionFailed", .condition), (304, "", .condition),
      (416, "InvalidRange", .behindEnd), (501, "NotImplemented", .unsupported),
      (403, "SignatureDoesNotMatch", .rejected), (403, "RequestTimeTooSkewed", .rejected),
      (403, "", .rejected), (401, "", .rejected), (301, "PermanentRedirect", .rejected),
      (400, "InvalidArgument", .rejected), (400, "ExpiredToken", .rejected),
    ] as [(Int, String, StoreError.Kind?)])
  func answersAreFinal(_ status: Int, _ code: String, _ kind: StoreError.Kind?) {
    switch StoreVerdict(status: status, code: code, message: "") {
    case .done: #expect(kind == nil)
    case .failed(let found, _): #expect(found == kind)
    case .again: Issue.record("\(status) is sent again")
    }
  }

  @Test(arguments: [
    (500, "InternalError"), (503, "SlowDown"), (503, ""), (429, ""), (400, "RequestTimeout"),
    (409, "ConditionalRequestConflict"), (502, ""), (504, ""),
  ])
  func answersThatMayPassAreTriedAgain(_ status: Int, _ code: String) {
    guard case .again = StoreVerdict(status: status, code: code, message: "") else {
      Issue.record("\(status) \(code)")
      return
    }
  }

  @Test func sectionsOfTheCredentialsFileAreRead() {
    let file = """
      # comment
      [default]
      aws_access_key_id = AKIA1
      aws_secret_access_key=a=b+c/d
      [ other ]
      aws_access_key_id=AKIA2
      aws_secret_access_key = s
      aws_session_token = t
      [half]
      aws_access_key_id = x
      """
    #expect(
      StoreCredentials(file: file, profile: "default")
        == StoreCredentials(key: "AKIA1", secret: "a=b+c/d", token: nil))
    #expect(
      StoreCredentials(file: file, profile: "other")
        == StoreCredentials(key: "AKIA2", secret: "s", token: "t"))
    #expect(StoreCredentials(file: file, profile: "half") == nil)
    #expect(StoreCredentials(file: file, profile: "none") == nil)
  }

  @Test func temporaryCredentialsAreReadAndEnd() {
    let answer = """
      <AssumeRoleWithWebIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/">
      <AssumeRoleWithWebIdentityResult><Credentials><SessionToken>a&amp;b</SessionToken>
      <SecretAccessKey>s/&#x2B;</SecretAccessKey><Expiration>2024-02-29T12:00:01.5Z</Expiration>
      <AccessKeyId>ASIA</AccessKeyId></Credentials></AssumeRoleWithWebIdentityResult>
      </AssumeRoleWithWebIdentityResponse>
      """
    #expect(
      StoreCredentials(assumedRole: answer)
        == StoreCredentials(key: "ASIA", secret: "s/+", token: "a&b", expires: 1_709_208_001))
    for (text, seconds) in [
      ("1970-01-01T00:00:00Z", 0), ("2000-03-01T00:00:00Z", 951_868_800),
      ("2026-11-23T04:40:00Z", 1_795_408_800),
    ] as [(String, Double)] {
      #expect(StoreCredentials.seconds(text) == seconds, "\(text)")
    }
    #expect(StoreCredentials.seconds("tomorrow") == nil)
  }

  /// The environment first, then a token of the platform, then the file, as AWS' own tools do.
  @Test func credentialsAreFoundInTheirOrder() throws {
    var variables = ["HOME": "/nowhere"]
    func find() throws(StoreProblem) -> StoreCredentials {
      let variables = variables
      return try StoreCredentialSource(environment: { variables[$0] }).credentials {
        role, token throws(StoreProblem) in
        StoreCredentials(key: role, secret: token)
      }
    }
    let missing = #expect(throws: StoreProblem.self) { try find() }
    #expect(
      missing?.text
        == "can't be reached without credentials; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or "
        + "write \"/nowhere/.aws/credentials\"")
    variables["AWS_ROLE_ARN"] = "role"
    variables["AWS_WEB_IDENTITY_TOKEN_FILE"] = "/etc/hostname"
    #expect(try find().key == "role")
    variables["AWS_ACCESS_KEY_ID"] = "k"
    variables["AWS_SECRET_ACCESS_KEY"] = "s"
    variables["AWS_SESSION_TOKEN"] = ""
    #expect(try find() == StoreCredentials(key: "k", secret: "s"))
  }

  @Test func elementsOfAnswersAreFound() {
    let text = """
      <?xml version="1.0"?><ListBucketResult xmlns="x"><Name>b</Name><KeyCount>2</KeyCount>
      <Contents><Key>a&lt;b&amp;&#39;&quot;</Key><Size>1</Size></Contents>
      <Contents><Key>c</Key><Size>2</Size></Contents><Message><![CDATA[a & b]]></Message><Broken>
      """
    #expect(StoreXML.texts(of: "Key", in: text[...]) == ["a<b&'\"", "c"])
    #expect(StoreXML.texts(of: "KeyCount", in: text[...]) == ["2"])
    #expect(StoreXML.texts(of: "Message", in: text[...]) == ["a & b"])
    #expect(StoreXML.elements("Contents", in: text[...]).count == 2)
    #expect(StoreXML.texts(of: "Broken", in: text[...]).isEmpty)
    #expect(StoreXML.texts(of: "Ke", in: text[...]).isEmpty)
  }

  /// A server, or a proxy, that ignores Range sends all of an object each time: each part is cut out of it.
  @Test func objectsAreReadInPartsFromServersThatIgnoreRange() throws {
    let text = "0123456789"
    let server = try FaultServer([
      "/feed/a": { _, connection in
        connection.respond("200 OK", ["ETag": "\"1\""], Array(text.utf8))
      }
    ])
    defer { server.stop() }
    let client = StoreClient(
      StoreSettings(endpoint: server.url(""), environment: { _ in nil }),
      environment: { ["AWS_ACCESS_KEY_ID": "k", "AWS_SECRET_ACCESS_KEY": "s"][$0] })
    for (offset, count, part) in [
      (0, 4, "0123"), (4, 4, "4567"), (8, 4, "89"), (10, 4, ""), (12, 4, ""), (0, 10, text),
      (9, 1, "9"),
    ] {
      let found = try client.get(StoreLocation(bucket: "feed", key: "a"), count, at: offset)
      #expect(String(decoding: found.bytes, as: UTF8.self) == part, "\(offset)")
      #expect(found.etag == "\"1\"")
    }
  }

  /// An error's text may be longer than the part that is requested: it is that error nevertheless.
  @Test func theErrorOfASmallPartIsRead() throws {
    let text =
      "<Error><Code>NoSuchKey</Code><Message>\(String(repeating: "x", count: 300))</Message></Error>"
    let server = try FaultServer([
      "/feed/a": { _, connection in connection.respond("404 Not Found", [:], Array(text.utf8)) }
    ])
    defer { server.stop() }
    let client = StoreClient(
      StoreSettings(endpoint: server.url(""), environment: { _ in nil }),
      environment: { ["AWS_ACCESS_KEY_ID": "k", "AWS_SECRET_ACCESS_KEY": "s"][$0] })
    let error = #expect(throws: StoreError.self) {
      try client.get(StoreLocation(bucket: "feed", key: "a"), 4, at: 0)
    }
    #expect(error?.kind == .missing, "\(String(describing: error))")
  }
}
