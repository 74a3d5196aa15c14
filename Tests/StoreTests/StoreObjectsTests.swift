import TesseraBytes
import TesseraTestSupport
import Testing

@testable import TesseraNet

/// Requests for objects as a server receives them, and what its answers mean.
@Suite struct StoreObjectsTests {
  private typealias Answer = ScriptedStore.Answer
  private static let a = ScriptedStore.location
  private static let kind = StoreClient.Kind(type: "text/plain", caching: "no-store")
  private static let bytes = Array("hello".utf8)

  @Test(
    arguments: [
      (nil, nil, nil), (.isNew, "*", nil), (.isUnchanged(etag: "\"1\""), nil, "\"1\""),
    ] as [(StoreClient.Condition?, String?, String?)])
  func aWriteSendsTypeCachingAndCondition(
    _ condition: StoreClient.Condition?, _ noneMatch: String?, _ match: String?
  ) throws {
    let store = try ScriptedStore([Answer(headers: ["ETag": "\"2\""]), Answer()])
    let client = store.client()
    #expect(try client.put(Self.bytes, at: Self.a, Self.kind, if: condition) == "\"2\"")
    // A server without ETags.
    #expect(try client.put([], at: Self.a, Self.kind) == "")
    #expect(store.sent.map(\.description) == ["PUT /feed/a hello", "PUT /feed/a"])
    let headers = store.sent[0].headers
    #expect(headers["content-type"] == "text/plain")
    #expect(headers["cache-control"] == "no-store")
    #expect(headers["if-none-match"] == noneMatch)
    #expect(headers["if-match"] == match)
    #expect(headers["content-length"] == "5")
    #expect(headers["range"] == nil)
  }

  /// AWS Signature Version 4, computed from the request that was received.
  @Test(arguments: [nil, "TOKEN"] as [String?])
  func requestsAreSigned(_ token: String?) throws {
    let store = try ScriptedStore([Answer()])
    var environment = ScriptedStore.keys
    environment["AWS_SESSION_TOKEN"] = token
    _ = try store.client(environment).put(Self.bytes, at: Self.a, Self.kind)
    let request = try #require(store.sent.first)
    #expect(request.headers["x-amz-content-sha256"] == SHA256.of("hello"))
    #expect(request.headers["x-amz-security-token"] == token)
    let authorization = try #require(request.headers["authorization"])
    let match = try #require(
      authorization.wholeMatch(
        of:
          /AWS4-HMAC-SHA256 Credential=KEY:1\/(\d{8})\/(.*), SignedHeaders=(.*), Signature=(.*)/))
    let (day, scope, names) = (String(match.1), String(match.2), match.3.split(separator: ";"))
    #expect(scope == "eu-north-1/s3/aws4_request")
    #expect(names.contains("x-amz-content-sha256") && names.contains("host"))
    #expect(names.contains("x-amz-security-token") == (token != nil))
    let lines = names.map { "\($0):\(request.headers[String($0)] ?? "")\n" }.joined()
    let canonical =
      "PUT\n/feed/a\n\n\(lines)\n\(names.joined(separator: ";"))\n\(SHA256.of("hello"))"
    let time = request.headers["x-amz-date"] ?? ""
    let text = "AWS4-HMAC-SHA256\n\(time)\n\(day)/\(scope)\n\(SHA256.of(canonical))"
    let key = [day, "eu-north-1", "s3", "aws4_request", text].reduce(Array("AWS4SECRET".utf8)) {
      MessageDigest.sha256.code(of: Array($1.utf8), key: $0)
    }
    #expect(key.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() == match.4)
  }

  @Test func partsAreRequestedByTheirRange() throws {
    let store = try ScriptedStore([
      Answer(status: "206 Partial Content", headers: ["ETag": "\"1\""], body: "ello"),
      Answer(status: "206 Partial Content", body: "lo"),
      .error("416 Range Not Satisfiable", "InvalidRange"),
      .error("416 Range Not Satisfiable", "InvalidRange"),
      Answer(headers: ["ETag": "\"3\""], body: "hello"),
      .error("412 Precondition Failed", "PreconditionFailed"),
    ])
    let client = store.client()
    let found = try client.get(Self.a, 4, at: 1)
    #expect((String(decoding: found.bytes, as: UTF8.self), found.etag) == ("ello", "\"1\""))
    let rest = try client.get(Self.a, 4, at: 3, if: "\"1\"")
    #expect((String(decoding: rest.bytes, as: UTF8.self), rest.etag) == ("lo", ""))
    // Behind the end.
    for etag in ["\"1\"", nil] {
      let none = try client.get(Self.a, 4, at: 5, if: etag)
      #expect((none.bytes, none.etag) == ([], etag ?? ""))
    }
    // No bytes can't be requested.
    let empty = try client.get(Self.a, 0, at: 3, if: "\"1\"")
    #expect((empty.bytes, empty.etag) == ([], "\"3\""))
    let error = #expect(throws: StoreError.self) { try client.get(Self.a, 1, at: 0, if: "\"1\"") }
    #expect(error?.kind == .condition)
    #expect(error?.description == "\"s3://feed/a\" is another object by now")
    #expect(store.sent.map(\.method) == ["GET", "GET", "GET", "GET", "HEAD", "GET"])
    #expect(
      store.sent.map { $0.headers["range"] } == [
        "bytes=1-4", "bytes=3-6", "bytes=5-8", "bytes=5-8", nil, "bytes=0-0",
      ])
    #expect(
      store.sent.map { $0.headers["if-match"] } == [nil, "\"1\"", "\"1\"", nil, nil, "\"1\""])
  }

  @Test(
    arguments: [
      // When it was written, the store's time, and the age.
      ("Thu, 01 Jan 2026 12:00:00 GMT", "Thu, 01 Jan 2026 12:02:03 GMT", 1_767_268_800, 123),
      ("Thu, 01 Jan 2026 12:00:00 GMT", "Thu, 01 Jan 2026 11:59:59 GMT", 1_767_268_800, 0),
      (nil, "Thu, 01 Jan 2026 12:02:03 GMT", nil, nil),
    ] as [(String?, String, Int?, Int?)])
  func agesAreDifferencesOfTheStoresTimes(
    _ written: String?, _ date: String, _ changed: Int?, _ age: Int?
  ) throws {
    var headers = ["ETag": "\"1\"", "Date": date]
    headers["Last-Modified"] = written
    let store = try ScriptedStore([
      Answer(headers: headers, body: "hello"), Answer(headers: headers, body: "hello"),
    ])
    let client = store.client()
    let (bytes, found) = try client.object(Self.a)
    #expect(bytes == Self.bytes)
    for head in [found, try client.head(Self.a)] {
      #expect((head.size, head.etag, head.changed) == (5, "\"1\"", changed))
      #expect(head.age == age.map { .seconds($0) })
    }
    #expect(store.sent.map(\.description) == ["GET /feed/a", "HEAD /feed/a"])
  }

  @Test func aMissingObjectIsDeletedAlready() throws {
    let store = try ScriptedStore([
      Answer(status: "204 No Content"), .error("404 Not Found", "NoSuchKey"),
      .error("403 Forbidden", "AccessDenied", "No."), .error("404 Not Found", "NoSuchBucket"),
    ])
    let client = store.client()
    for _ in 0..<2 { try client.delete(Self.a) }
    let error = #expect(throws: StoreError.self) { try client.delete(Self.a) }
    #expect(
      error?.description
        == "\"s3://feed/a\" was rejected: the store answered 403 AccessDenied (No.); check the "
        + "credentials and their rights, and this machine's clock")
    #expect(throws: StoreError.self) { try client.delete(Self.a) }
    #expect(Set(store.sent.map(\.description)) == ["DELETE /feed/a"])
  }

  private static func list(_ inside: String) -> Answer {
    Answer(body: "<?xml?><ListBucketResult xmlns=\"x\">\(inside)</ListBucketResult>")
  }

  @Test func aListingHasObjectsAndFolders() throws {
    let store = try ScriptedStore([
      Self.list(
        "<EncodingType>url</EncodingType><Contents><Key>p/a%2Bb+c</Key><Size>7</Size></Contents>"
          + "<Contents><Key>p/%zz</Key><Size>0</Size></Contents><Contents><Key>odd</Key></Contents>"
          + "<CommonPrefixes><Prefix>p/x+y/</Prefix></CommonPrefixes>"
          + "<CommonPrefixes><Prefix>p/z/</Prefix></CommonPrefixes>"
          + "<NextContinuationToken>a=</NextContinuationToken>"),
      Self.list("<Contents><Key>a%2Bb+c</Key><Size>7</Size></Contents>"), Answer(body: "<a></a>"),
    ])
    let client = store.client()
    let page = try client.list(StoreLocation(bucket: "feed", key: "p"))
    #expect(page.objects.map(\.key) == ["p/a+b c", "p/%zz"])
    #expect(page.objects.map(\.size) == [7, 0])
    #expect(page.folders == ["p/x y/", "p/z/"])
    #expect(page.next == "a=")
    // A server that ignores the encoding does not say that it uses it.
    let next = try client.list(
      StoreLocation(bucket: "feed", key: ""), isDeep: true, after: "a=", limit: 1)
    #expect(next.objects.map(\.key) == ["a%2Bb+c"])
    #expect(next.folders == [] && next.next == nil)
    let error = #expect(throws: StoreError.self) { try client.list(Self.a) }
    #expect(error?.description == "\"s3://feed/a\" can't be listed: the store sent no list")
    #expect(
      store.sent.prefix(2).map(\.description) == [
        "GET /feed?delimiter=%2F&encoding-type=url&list-type=2&max-keys=1000&prefix=p%2F",
        "GET /feed?continuation-token=a%3D&encoding-type=url&list-type=2&max-keys=1&prefix=",
      ])
  }

  @Test func allObjectsBelowALocationAreFound() throws {
    let store = try ScriptedStore([
      Self.list(
        "<Contents><Key>p/a</Key><Size>7</Size></Contents>"
          + "<NextContinuationToken>t</NextContinuationToken>"),
      Self.list("<Contents><Key>p/b/c</Key><Size>7</Size></Contents>"),
    ])
    #expect(
      try store.client().locations(below: StoreLocation(bucket: "feed", key: "p"))
        == ["p/a", "p/b/c"].map { StoreLocation(bucket: "feed", key: $0) })
    #expect(
      store.sent.map(\.path) == [
        "/feed?encoding-type=url&list-type=2&max-keys=1000&prefix=p%2F",
        "/feed?continuation-token=t&encoding-type=url&list-type=2&max-keys=1000&prefix=p%2F",
      ])
  }
}
