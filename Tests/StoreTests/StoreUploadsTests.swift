import TesseraSystem
import TesseraTestSupport
import Testing

@testable import TesseraNet

/// Objects that are written in parts.
@Suite struct StoreUploadsTests {
  private typealias Answer = ScriptedStore.Answer
  private static let kind = StoreClient.Kind(type: "text/plain", caching: "no-store")

  // The MD5 of "hello " and "world", and of both digests together.
  private static let etags = [
    "\"f814893777bcc2295fff05f00e508da6\"", "\"7d793037a0760186574b0282f2f435e7\"",
  ]
  private static let whole = "\"e09e4fd6265b36115fe3db32df945d84-2\""

  private static let begun = [
    Answer(body: "<InitiateMultipartUploadResult><UploadId>u/1</UploadId></X>"),
    Answer(headers: ["ETag": etags[0]]), Answer(headers: ["ETag": etags[1]]),
  ]
  private static let requests = [
    "POST /feed/a?uploads=", "PUT /feed/a?partNumber=1&uploadId=u%2F1 hello ",
    "PUT /feed/a?partNumber=2&uploadId=u%2F1 world",
    "POST /feed/a?uploadId=u%2F1 <CompleteMultipartUpload>"
      + "<Part><PartNumber>1</PartNumber><ETag>\(etags[0])</ETag></Part>"
      + "<Part><PartNumber>2</PartNumber><ETag>\(etags[1])</ETag></Part>"
      + "</CompleteMultipartUpload>",
  ]
  private static let head = "HEAD /feed/a"
  private static let abort = "DELETE /feed/a?uploadId=u%2F1"

  /// Writes two parts. Returns the error.
  private static func upload(
    _ answers: [Answer], _ parts: [String] = ["hello ", "world"],
    if condition: StoreClient.Condition? = nil
  ) throws -> (error: SystemError?, sent: [ScriptedStore.Request]) {
    let store = try ScriptedStore(answers)
    var rest = parts[...]
    do throws(SystemError) {
      try store.client(attempts: 2).put(
        parts: { Array((rest.popFirst() ?? "").utf8) }, at: ScriptedStore.location, kind,
        if: condition)
      return (nil, store.sent)
    } catch {
      return (error, store.sent)
    }
  }

  @Test(
    arguments: [
      (nil, nil, nil), (.isNew, "*", nil), (.isUnchanged(etag: "\"1\""), nil, "\"1\""),
    ] as [(StoreClient.Condition?, String?, String?)])
  func partsArePutTogetherInTheirOrder(
    _ condition: StoreClient.Condition?, _ noneMatch: String?, _ match: String?
  ) throws {
    let done = [Answer(body: "<CompleteMultipartUploadResult/>"), Answer(body: "hello world")]
    let (error, sent) = try Self.upload(Self.begun + done, if: condition)
    #expect(error == nil)
    #expect(sent.map(\.description) == Self.requests + [Self.head])
    try #require(sent.count == 5)
    #expect(sent[0].headers["content-type"] == "text/plain")
    #expect(sent[0].headers["cache-control"] == "no-store")
    #expect(sent[1].headers["content-type"] == "application/octet-stream")
    #expect(sent[3].headers["content-type"] == "application/xml")
    #expect(sent[3].headers["if-none-match"] == noneMatch)
    #expect(sent[3].headers["if-match"] == match)
    #expect(sent[0].headers["if-match"] == nil && sent[0].headers["if-none-match"] == nil)
  }

  @Test func anUploadThatDoesNotBeginIsNotEnded() throws {
    let (error, sent) = try Self.upload([Answer(body: "<a></a>")])
    #expect(
      error?.description == "\"s3://feed/a\" can't be written: the store sent no UploadId")
    #expect(sent.map(\.description) == [Self.requests[0]])
  }

  /// Parts that are never put together are paid for.
  @Test func aFailedUploadIsAborted() throws {
    let denied = Answer.error("403 Forbidden", "AccessDenied")
    for (answers, requests) in [
      ([Self.begun[0], denied, Answer()], Array(Self.requests.prefix(2)) + [Self.abort]),
      (Self.begun + [denied, Answer()], Self.requests + [Self.abort]),
      (Self.begun + [Answer(), denied, Answer()], Self.requests + [Self.head, Self.abort]),
    ] {
      let (error, sent) = try Self.upload(answers)
      #expect(error?.reason.contains("was rejected: the store answered 403") == true)
      #expect(sent.map(\.description) == requests)
    }
  }

  /// The status comes before the parts are put together.
  @Test func anErrorBehindASuccessIsAnError() throws {
    let (error, sent) = try Self.upload(
      Self.begun + [.error("200 OK", "InternalError"), Answer()])
    #expect(error?.description == "\"s3://feed/a\" could not be written: InternalError")
    #expect(sent.last?.description == Self.abort)
  }

  @Test func anObjectOfAnotherSizeIsAnError() throws {
    let (error, sent) = try Self.upload(
      Self.begun + [Answer(), Answer(body: "hello worl"), Answer()])
    #expect(
      error?.description == "\"s3://feed/a\" was stored with 10 bytes instead of 11")
    #expect(sent.map(\.description) == Self.requests + [Self.head, Self.abort])
  }

  /// After a lost answer the upload is gone, because its parts are together: the object has their
  /// ETag.
  @Test(.faults(.s4)) func aCompletedUploadIsNotMissed() throws {
    let gone = Answer.error("404 Not Found", "NoSuchUpload")
    let stored = Answer(headers: ["ETag": Self.whole], body: "hello world")
    let (error, sent) = try Self.upload(Self.begun + [.lost, gone, stored])
    #expect(error == nil)
    #expect(sent.map(\.description) == Self.requests + [Self.requests[3], Self.head])
    // libcurl has sent it again by itself.
    #expect(try Self.upload(Self.begun + [gone, stored]).error == nil)
    // Another object is there, or none.
    for answers in [
      [.lost, gone, Answer(headers: ["ETag": Self.etags[0]], body: "hello world"), Answer()],
      [.lost, gone, gone, Answer()], [gone, gone, Answer()],
    ] {
      let (error, sent) = try Self.upload(Self.begun + answers)
      #expect(error?.isMissingFile == true)
      #expect(sent.last?.description == Self.abort)
      #expect(sent.count == answers.count + 3)
    }
  }

  // MARK: Interrupted ones

  private static func list(_ uploads: [(String, String)], next: (String, String)? = nil) -> Answer {
    let entries = uploads.map { "<Upload><Key>\($0)</Key><UploadId>\($1)</UploadId></Upload>" }
    let end = next.map {
      "<IsTruncated>true</IsTruncated><NextKeyMarker>\($0)</NextKeyMarker>"
        + "<NextUploadIdMarker>\($1)</NextUploadIdMarker>"
    }
    return Answer(
      body: "<ListMultipartUploadsResult><EncodingType>url</EncodingType>"
        + entries.joined() + (end ?? "") + "</ListMultipartUploadsResult>")
  }

  @Test(.faults(.s5)) func interruptedUploadsAreListedAndAborted() throws {
    let store = try ScriptedStore(
      [
        Self.list([("out/a+b", "1")], next: ("out/a+b", "1")), Self.list([("out/c%2Bd", "2")]),
        Answer(status: "204 No Content"), .error("404 Not Found", "NoSuchUpload"),
      ], paths: ["/feed", "/feed/out/a%20b", "/feed/out/c%2Bd"])
    let client = store.client()
    let found = try client.uploads(below: StoreLocation(bucket: "feed", key: "out"))
    #expect(found.map(\.location.key) == ["out/a b", "out/c+d"])
    // One that has ended meanwhile is not an error.
    for upload in found { try client.abort(upload) }
    #expect(
      store.sent.map(\.description) == [
        "GET /feed?encoding-type=url&prefix=out%2F&uploads=",
        "GET /feed?encoding-type=url&key-marker=out%2Fa%20b&prefix=out%2F&upload-id-marker=1"
          + "&uploads=",
        "DELETE /feed/out/a%20b?uploadId=1", "DELETE /feed/out/c%2Bd?uploadId=2",
      ])
  }

  @Test func aListThatDoesNotMoveOnEnds() throws {
    let page = Self.list([("out/a", "1")], next: ("out/a", "1"))
    let store = try ScriptedStore([page, page, page, page])
    #expect(try store.client().uploads(below: ScriptedStore.location).count == 2)
    let none = try ScriptedStore([Answer(body: "<ListBucketResult/>")])
    let error = #expect(throws: StoreError.self) {
      try none.client().uploads(below: ScriptedStore.location)
    }
    #expect(error?.kind == .unsupported)
  }
}
