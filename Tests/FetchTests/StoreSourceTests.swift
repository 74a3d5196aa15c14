import Synchronization
import TesseraTestSupport
import TesseraText
import Testing

@testable import TesseraNet

/// Sources in an object store.
@Suite struct StoreSourceTests {
  private static let keys = ["AWS_ACCESS_KEY_ID": "key", "AWS_SECRET_ACCESS_KEY": "secret"]

  private static func client(
    _ endpoint: String, _ environment: [String: String] = keys
  ) -> StoreClient {
    StoreClient(
      StoreSettings(endpoint: endpoint, region: "eu-1", environment: { _ in nil }),
      environment: { environment[$0] })
  }

  private static func source(
    _ url: String, _ buckets: [String] = ["b"], _ environment: [String: String] = keys
  ) throws(FetchError) -> StoreSource? {
    try StoreSource(url, buckets, in: client("http://store.example", environment))
  }

  @Test(arguments: [
    ("s3://b/k", "http://store.example/b/k"), ("s3://b/a/c.jpg", "http://store.example/b/a/c.jpg"),
    ("s3://b/a%20c%3F", "http://store.example/b/a%20c%3F"),
    ("s3://b/k#part", "http://store.example/b/k"), ("s3://b/k%23", "http://store.example/b/k%23"),
    ("s3://b/%C3%A9", "http://store.example/b/%C3%A9"),
    ("s3://b/a+c", "http://store.example/b/a%2Bc"),
  ])
  func aSourceHasTheURLOfItsObject(_ text: String, _ url: String) throws {
    let source = try #require(try Self.source(text))
    #expect(source.url == url)
    #expect(source.region == "eu-1")
    #expect(source.credentials == StoreCredentials(key: "key", secret: "secret", token: nil))
    #expect(source.headers.map(\.name) == ["x-amz-content-sha256"])
    #expect(source.headers.map(\.value) == [Self.nothing])
  }

  /// SHA-256 of no bytes.
  private static let nothing = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

  @Test func temporaryCredentialsHaveAToken() throws {
    let token = Self.keys.merging(["AWS_SESSION_TOKEN": "t"]) { $1 }
    let source = try #require(try Self.source("s3://b/k", ["a", "b"], token))
    #expect(source.headers.map(\.name) == ["x-amz-content-sha256", "x-amz-security-token"])
    #expect(source.headers.map(\.value) == [Self.nothing, "t"])
    #expect(source.credentials.token == "t")
  }

  @Test(arguments: ["https://b/k", "S3://b/k", "file:///b/k", "s3:b", ""])
  func otherURLsAreNotOfAStore(_ url: String) throws { #expect(try Self.source(url) == nil) }

  @Test(arguments: [
    "s3://b", "s3://b/", "s3:///k", "s3://b/#k", "s3://b/k?x=1", "s3://b/%4", "s3://b/%FF",
    "s3://b/a/../c", "s3://b/%2E%2E/c", "s3://b/.", "s3://b c/k",
  ])
  func malformedURLsAreRejected(_ url: String) {
    let expected = FetchError(
      .badURL,
      "an s3: URL is like s3://bucket/key, with %3F for a question mark in the key, and without "
        + "parts that are . or ..")
    #expect(throws: expected) { try Self.source(url) }
  }

  @Test(arguments: [[], ["a"], ["bb"], ["B"]])
  func onlyNamedBucketsAreRead(_ buckets: [String]) {
    let expected = FetchError(
      .addressRejected,
      "the bucket b may not be read; if that is meant, add allow: [s3:b] to the pipeline's "
        + "\"fetch\"")
    #expect(throws: expected) { try Self.source("s3://b/k", buckets) }
  }

  /// Without credentials another attempt does not help; if their server is away, it may.
  @Test func anErrorOfCredentialsIsRetriedIfTheirServerIsAway() async throws {
    let folder = try TemporaryFolder()
    let file = folder.path("none")
    let expected = FetchError(
      .network,
      "the store can't be reached without credentials; set AWS_ACCESS_KEY_ID and "
        + "AWS_SECRET_ACCESS_KEY, or write \"\(file)\"")
    #expect(throws: expected) {
      try Self.source("s3://b/k", ["b"], ["AWS_SHARED_CREDENTIALS_FILE": file])
    }
    let server = try FaultServer(["/": { $1.respond("503 Service Unavailable") }])
    defer { server.stop() }
    var settings = StoreSettings(endpoint: server.url(""), environment: { _ in nil })
    settings.attempts = 1
    let variables = [
      "AWS_WEB_IDENTITY_TOKEN_FILE": try folder.write("t", to: "token"), "AWS_ROLE_ARN": "role",
      "AWS_ENDPOINT_URL_STS": server.url(""),
    ]
    let client = StoreClient(settings, environment: { variables[$0] })
    do {
      _ = try StoreSource("s3://b/k", ["b"], in: client)
      Issue.record("no error")
    } catch {
      #expect(error.code == .network)
      #expect(error.isRetryable)
      #expect(error.message.hasPrefix("the store can't be reached: the web identity token"))
    }
  }

  private final class Sink: BodyReceiving {
    let bytes = Mutex<[UInt8]>([])
    func receive(_ more: RawSpan) -> BodyVerdict {
      let copy = more.withUnsafeBytes { Array($0) }
      bytes.withLock { $0 += copy }
      return .more
    }
  }

  private static func fetch(
    _ url: String, _ server: FaultServer, _ environment: [String: String] = keys
  ) async throws -> (FetchResult, String) {
    // Its address needs no permission: the user named the store.
    var settings = FetchSettings(timeout: .seconds(10))
    settings.buckets = ["b"]
    settings.headers = [.init(name: "X-Key", value: "k")]
    settings.store = client(server.url(""), environment)
    let fetcher = try Fetcher(settings)
    defer { fetcher.close() }
    let sink = Sink()
    var request = FetchRequest(url: url, deadline: .seconds(20))
    request.range = 2..<5
    request.ifRange = "\"1\""
    let result = await fetcher.fetch(request, host: "b", into: sink)
    return (result, String(decoding: sink.bytes.withLock(\.self), as: UTF8.self))
  }

  /// Its requests are signed (AWS Signature Version 4), and have no configured headers.
  @Test func requestsAreSigned() async throws {
    let seen = Mutex<[String: String]>([:])
    let server = try FaultServer([
      "/b/k%20l": { request, connection in
        seen.withLock { $0 = request.headers }
        connection.file(Array("0123456789".utf8), for: request, etag: "\"1\"")
      }
    ])
    defer { server.stop() }
    let token = Self.keys.merging(["AWS_SESSION_TOKEN": "t"]) { $1 }
    let (result, text) = try await Self.fetch("s3://b/k%20l", server, token)
    #expect(text == "234")
    #expect(try result.result.get().url == "s3://b/k%20l")
    let headers = seen.withLock { $0 }
    let signature = try #require(headers["authorization"])
    #expect(signature.hasPrefix("AWS4-HMAC-SHA256 Credential=key/"))
    #expect(signature.contains("/eu-1/s3/aws4_request, SignedHeaders="))
    #expect(signature.contains("x-amz-security-token"))
    #expect(headers["x-amz-content-sha256"] == Self.nothing)
    #expect(headers["x-amz-security-token"] == "t")
    #expect(headers["range"] == "bytes=2-4")
    #expect(headers["if-range"] == "\"1\"")
    #expect(headers["x-key"] == nil)
  }

  /// The redirect's target would get the signature.
  @Test func redirectsOfAStoreAreNotFollowed() async throws {
    let server = try FaultServer([
      "/b/k": { $1.respond("307 Temporary Redirect", ["Location": "/b/l"]) }
    ])
    defer { server.stop() }
    let (result, _) = try await Self.fetch("s3://b/k", server)
    let expected = FetchError(
      .redirect,
      "the object store answered 307; check the region (AWS_REGION) and the endpoint "
        + "(AWS_ENDPOINT_URL)")
    #expect(throws: expected) { try result.result.get() }
    #expect(server.count("/b/l") == 0)
  }
}
