import TesseraSystem
import TesseraTestSupport
import Testing

@testable import TesseraStore

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
      #expect(error?.reason.contains("was refused: the store answered 403") == true)
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
  @Test func aCompletedUploadIsNotMissed() throws {
    let gone = Answer.error("404 Not Found", "NoSuchUpload")
    let stored = Answer(headers: ["ETag": Self.whole], body: "hello world")
    let (error, sent) = try Self.upload(Self.begun + [.lost, gone, stored])
    #expect(error == nil)
    #expect(sent.map(\.description) == Self.requests + [Self.requests[3], Self.head])
    // Another object is there, or none; or the answer was not lost.
    for answers in [
      [.lost, gone, Answer(headers: ["ETag": Self.etags[0]], body: "hello world"), Answer()],
      [.lost, gone, gone, Answer()], [gone, Answer()],
    ] {
      let (error, sent) = try Self.upload(Self.begun + answers)
      #expect(error?.isMissingFile == true)
      #expect(sent.last?.description == Self.abort)
      #expect(sent.count == answers.count + 3)
    }
  }
}
