import TesseraSystem
import TesseraTestSupport
import Testing

@testable import TesseraNet

/// What is sent again, and what is done about answers that were lost.
@Suite struct StoreRetryTests {
  private typealias Answer = ScriptedStore.Answer
  private static let a = ScriptedStore.location
  private static let kind = StoreClient.Kind(type: "text/plain", caching: "no-store")
  private static let bytes = Array("hello".utf8)

  @Test func requestsAreSentAgainUntilTheyAreAnswered() throws {
    let store = try ScriptedStore([
      .error("503 Slow Down", "SlowDown"), .lost, Answer(headers: ["ETag": "\"1\""]),
    ])
    #expect(try store.client().put(Self.bytes, at: Self.a, Self.kind) == "\"1\"")
    #expect(store.sent.map(\.description) == Array(repeating: "PUT /feed/a hello", count: 3))
  }

  @Test(
    arguments: [
      (1, .lost, "could not be reached in 1 attempts: the connection failed: "),
      (
        3, .error("503 Slow Down", "SlowDown", "Less."),
        "could not be reached in 3 attempts: the store answered 503 SlowDown (Less.)"
      ),
      (2, Answer(status: "500 Odd"), "could not be reached in 2 attempts: the store answered 500"),
      (
        2, .error("409 Conflict", "OperationAborted", "x"),
        "could not be reached in 2 attempts: 409 OperationAborted"
      ),
    ] as [(Int, ScriptedStore.Answer, String)])
  func attemptsAreLimited(_ attempts: Int, _ answer: ScriptedStore.Answer, _ text: String) throws {
    let store = try ScriptedStore(Array(repeating: answer, count: 5))
    let error = #expect(throws: StoreError.self) {
      try store.client(attempts: attempts).object(Self.a)
    }
    #expect(store.sent.count == attempts)
    #expect(error?.kind == .unreachable)
    #expect(error?.location == Self.a)
    let finding = try #require(error?.finding)
    #expect(answer.isLost ? finding.hasPrefix(text) && finding != text : finding == text)
  }

  @Test func aFinalAnswerIsNotRequestedAgain() throws {
    let store = try ScriptedStore([
      Answer(status: "503 Odd"),
      Answer(status: "301 Moved Permanently", headers: ["Location": "/feed"]),
    ])
    let error = #expect(throws: StoreError.self) { try store.client().head(Self.a) }
    #expect(error?.kind == .rejected)
    #expect(
      error?.description
        == "\"s3://feed/a\" is elsewhere: the store answered 301; check the region (AWS_REGION) "
        + "and "
        + "the endpoint (AWS_ENDPOINT_URL)")
    #expect(store.sent.map(\.path) == ["/feed/a", "/feed/a"])
  }

  /// The first attempt was done and its answer lost: the second finds its own object in its way.
  @Test(arguments: ["412 Precondition Failed", "404 Not Found"])
  func anObjectThatIsThereAlreadyWasWritten(_ status: String) throws {
    let store = try ScriptedStore([
      .lost, Answer(status: status), Answer(headers: ["ETag": "\"1\""], body: "hello"),
    ])
    #expect(try store.client().put(Self.bytes, at: Self.a, Self.kind, if: .isNew) == "\"1\"")
    #expect(
      store.sent.map(\.description) == ["PUT /feed/a hello", "PUT /feed/a hello", "GET /feed/a"])
    // One byte more than it has: a longer object is another one.
    #expect(store.sent.last?.headers["range"] == "bytes=0-5")
  }

  @Test(
    arguments: [
      // Another object; nothing there; no condition.
      ([.lost, Answer(status: "412 No"), Answer(body: "hellO")], .isNew, 3),
      ([.lost, Answer(status: "412 No"), Answer(body: "hello!")], .isNew, 3),
      ([.lost, Answer(status: "412 No"), Answer(status: "404 No")], .isUnchanged(etag: "x"), 3),
      ([.lost, Answer(status: "412 No"), Answer(body: "hello")], nil, 2),
    ] as [([ScriptedStore.Answer], StoreClient.Condition?, Int)])
  func otherwiseTheConditionDidNotHold(
    _ answers: [ScriptedStore.Answer], _ condition: StoreClient.Condition?, _ count: Int
  ) throws {
    let store = try ScriptedStore(answers)
    let error = #expect(throws: StoreError.self) {
      try store.client().put(Self.bytes, at: Self.a, Self.kind, if: condition)
    }
    #expect(error?.kind == .condition)
    #expect(store.sent.count == count)
  }

  /// libcurl sends a request again by itself if a connection that was kept open ends before the answer: the first answer
  /// that is seen finds its own object in the way.
  @Test(.faults(.s4), arguments: ["412 Precondition Failed", "404 Not Found"])
  func aWriteThatLibcurlRepeatedIsOnesOwn(_ status: String) throws {
    let store = try ScriptedStore([
      Answer(status: status), Answer(headers: ["ETag": "\"1\""], body: "hello"),
    ])
    let condition = StoreClient.Condition.isUnchanged(etag: "\"0\"")
    #expect(try store.client().put(Self.bytes, at: Self.a, Self.kind, if: condition) == "\"1\"")
    #expect(store.sent.map(\.description) == ["PUT /feed/a hello", "GET /feed/a"])
  }

  /// A success without an ETag may be a gateway's, and the store have written nothing.
  @Test(.faults(.s4)) func aSuccessThatSaysNothingIsChecked() throws {
    let lie = Answer(body: "<Error><Code>X</Code></Error>")
    let written = try ScriptedStore([lie, Answer(headers: ["ETag": "\"1\""], body: "hello")])
    #expect(
      try written.client().put(Self.bytes, at: Self.a, Self.kind, if: .isNew) == "\"1\"")
    let unwritten = try ScriptedStore([lie, Answer(headers: ["ETag": "\"0\""], body: "before")])
    let error = #expect(throws: StoreError.self) {
      try unwritten.client().put(Self.bytes, at: Self.a, Self.kind, if: .isNew)
    }
    #expect(error?.finding.hasPrefix("is not what was written") == true)
  }

  /// A request that has a deadline is neither sent nor sent again after it.
  @Test(.faults(.s2)) func aRequestEndsAtItsDeadline() throws {
    let store = try ScriptedStore([.error("503 Slow Down", "SlowDown"), Answer()])
    func put(_ time: Duration) -> StoreError? {
      #expect(throws: StoreError.self) {
        var settings = store.client().settings
        settings.backoff = Backoff(base: .seconds(60), least: 1)
        try StoreClient(settings) { ScriptedStore.keys[$0] }.put(
          Self.bytes, at: Self.a, Self.kind, until: .now + time)
      }
    }
    #expect(put(.zero)?.kind == .late)
    #expect(store.sent.isEmpty)
    #expect(put(.seconds(5))?.description == "\"s3://feed/a\" was not written in time")
    #expect(store.sent.count == 1)
  }

  @Test func onlyWhatIsInTheWayMayHaveBeenDoneBefore() {
    for kind in [
      StoreError.Kind.missing, .condition, .behindEnd, .unsupported, .rejected, .unreachable,
      .late, .lost,
    ] {
      let error = StoreError(kind: kind, location: Self.a, finding: "is odd")
      #expect(error.isInTheWay == (kind == .missing || kind == .condition), "\(kind)")
      let system = error.asSystemError
      #expect("\(system)" == "\"s3://feed/a\" is odd")
      #expect(system.isMissingFile == (kind == .missing))
      #expect(system.isExistingFile == (kind == .condition))
      #expect(system.isUnsupported == (kind == .unsupported))
      #expect(system.isLost == (kind == .lost))
    }
  }

  /// More than was requested fills no memory; the text of an error may be longer than an object's
  /// part.
  @Test func longAnswersAreCutOff() throws {
    let store = try ScriptedStore([
      Answer(status: "206 Partial Content", body: "12345"),
      Answer(status: "206 Partial Content", body: "1234"),
      .error("403 Forbidden", "AccessDenied", String(repeating: "x", count: 1 << 10)),
      .error("403 Forbidden", "AccessDenied", String(repeating: "x", count: 64 << 10)),
    ])
    let client = store.client(attempts: 1)
    let long = #expect(throws: StoreError.self) { try client.get(Self.a, 4, at: 9) }
    #expect(long?.description == "\"s3://feed/a\" is larger than 4 bytes")
    #expect(try client.get(Self.a, 4, at: 9).bytes == Array("1234".utf8))
    let denied = #expect(throws: StoreError.self) { try client.get(Self.a, 4, at: 9) }
    #expect(
      denied?.finding.hasPrefix("was rejected: the store answered 403 AccessDenied (xx") == true)
    let longer = #expect(throws: StoreError.self) { try client.get(Self.a, 4, at: 9) }
    #expect(longer?.finding == "is larger than 4 bytes")
  }

  @Test func theProxyOfTheEnvironmentIsUsed() throws {
    let store = try ScriptedStore(
      [Answer(body: "1"), Answer(body: "2")],
      paths: ["http://store.invalid/feed/a", "/feed/a"])
    var environment = ScriptedStore.keys
    environment["http_proxy"] = store.url("")
    let client = store.client(attempts: 1, environment, endpoint: "http://store.invalid")
    #expect(try client.get(Self.a, 1, at: 0).bytes == Array("1".utf8))
    environment["no_proxy"] = "127.0.0.1"
    #expect(
      try store.client(attempts: 1, environment).get(Self.a, 1, at: 0).bytes == Array("2".utf8))
    #expect(store.sent.map(\.path) == ["http://store.invalid/feed/a", "/feed/a"])
  }
}
