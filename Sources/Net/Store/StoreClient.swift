internal import Glibc
internal import Synchronization
internal import TesseraBytes
private import TesseraCCurl
internal import TesseraSystem

/// Requests to an object store with the API of Amazon S3, signed by libcurl (AWS Signature Version 4).
///
/// Each call blocks its thread until it has an answer, which is requested several times if that may
/// help. Any number of threads may call.
package final class StoreClient: Sendable {
  package let settings: StoreSettings
  private let source: StoreCredentialSource
  private let environment: @Sendable (String) -> String?
  private let certificates: String?
  private let proxies: ProxySettings
  private let idle = Mutex<[StoreConnection]>([])

  package convenience init(_ settings: StoreSettings) {
    self.init(settings, environment: { Host.environment($0) })
  }

  init(
    _ settings: StoreSettings, environment: @escaping @Sendable (String) -> String?,
    clock: WallClock = .system
  ) {
    self.settings = settings
    self.environment = environment
    source = StoreCredentialSource(environment: environment, clock: clock)
    certificates = environment("SSL_CERT_FILE").flatMap { $0.isEmpty ? nil : $0 }
    proxies = ProxySettings(environment: environment)
    _ = CurlLibrary.isInitialized
  }

  /// The answer, if its status is a success.
  func perform(_ request: StoreRequest) throws(StoreError) -> StoreResponse {
    let url = settings.url(of: request.location, query: request.query)
    do throws(StoreProblem) {
      return try persist(until: request.deadline) { () throws(StoreProblem) in
        send(request, url: url, try credentials())
      }
    } catch {
      let isElsewhere = settings.endpoint == nil && [.rejected, .unreachable].contains(error.kind)
      throw StoreError(
        kind: error.kind, location: request.location,
        finding: error.text + (isElsewhere ? Self.otherStore : ""))
    }
  }

  /// What signs the next request. Temporary credentials may have to be requested first.
  package func credentials() throws(StoreProblem) -> StoreCredentials {
    try source.credentials { role, token throws(StoreProblem) in try assumedRole(role, token) }
  }

  /// What a command lacks that has no pipeline file, which may name another store.
  private static let otherStore =
    "; if it is not in AWS, say where: AWS_ENDPOINT_URL and AWS_REGION, which are \"store\" in the pipeline file"

  private typealias Outcome = (verdict: StoreVerdict, response: StoreResponse)

  /// Sends a request until its answer is final.
  private func persist(
    until deadline: ContinuousClock.Instant? = nil, _ send: () throws(StoreProblem) -> Outcome
  ) throws(StoreProblem) -> StoreResponse {
    var attempt = 1
    while true {
      // Checked right before it is sent: this process may have been stopped for any time.
      if let deadline, .now >= deadline { throw .late }
      let (verdict, response) = try send()
      switch verdict {
      case .done: return response
      case .failed(let kind, let text): throw StoreProblem(text, kind: kind)
      case .again(let text):
        guard attempt < settings.attempts else {
          throw StoreProblem(
            "could not be reached in \(attempt) attempts: \(text)", kind: .unreachable)
        }
      }
      let wanted = response.headers["retry-after"].flatMap { Int($0) }.map {
        Duration.seconds(min(max($0, 0), 60))
      }
      let pause = settings.backoff.pause(
        after: attempt, chance: .random(in: 0...1), wanted: wanted)
      if let deadline, .now + pause >= deadline { throw .late }
      usleep(UInt32(pause.inSeconds * 1_000_000))
      attempt += 1
    }
  }

  private func send(
    _ request: StoreRequest, url: String, _ credentials: StoreCredentials?
  ) -> Outcome {
    guard let connection = idle.withLock({ $0.popLast() }) ?? StoreConnection() else {
      return (.again("libcurl has no memory"), StoreResponse())
    }
    defer { idle.withLock { $0.append(connection) } }
    do throws(StoreConnection.Failure) {
      let response = try connection.perform(
        request, url: url, region: settings.region, credentials,
        certificates: certificates, proxy: proxies.proxy(for: Origin(url)))
      return (StoreVerdict(response), response)
    } catch {
      switch error {
      case .tooLarge:
        return (
          .failed(.rejected, "is larger than \(request.limit) bytes"), StoreResponse()
        )
      case .network(let text): return (.again("the connection failed: \(text)"), StoreResponse())
      }
    }
  }

  /// Temporary credentials for a role (AssumeRoleWithWebIdentity of AWS' security token service).
  private func assumedRole(
    _ role: String, _ token: String
  ) throws(StoreProblem) -> StoreCredentials {
    let host =
      environment("AWS_ENDPOINT_URL_STS") ?? environment("AWS_ENDPOINT_URL")
      ?? "https://sts.\(settings.region).amazonaws.com"
    let form = [
      "Action=AssumeRoleWithWebIdentity", "Version=2011-06-15", "RoleSessionName=tessera",
      "RoleArn=\(StoreLocation.encoded(role))", "WebIdentityToken=\(StoreLocation.encoded(token))",
    ]
    let request = StoreRequest(
      method: "POST", location: StoreLocation(bucket: "sts", key: ""),
      headers: [("content-type", "application/x-www-form-urlencoded")],
      body: Array(form.joined(separator: "&").utf8))
    let answer: StoreResponse
    do throws(StoreProblem) {
      answer = try persist { () throws(StoreProblem) in send(request, url: host + "/", nil) }
    } catch {
      throw StoreProblem(
        "can't be reached: the web identity token (AWS_WEB_IDENTITY_TOKEN_FILE) \(error.text)",
        kind: error.kind)
    }
    let text = String(decoding: answer.body, as: UTF8.self)
    guard let credentials = StoreCredentials(assumedRole: text) else {
      throw StoreProblem("can't be reached: \(host) sent no temporary credentials")
    }
    return credentials
  }
}

/// One connection to an object store, used by one thread at a time. Blocks while it works.
///
/// `@unchecked Sendable`: it is passed from thread to thread, and only one has it at a time.
final class StoreConnection: @unchecked Sendable {
  private var handle: EasyHandle
  private var response = StoreResponse()
  private var limit = 0
  private static let longestError = 64 << 10
  /// How many bytes before the wanted ones have come, from a server that ignores Range.
  private var skipped = 0
  private var range: Range<Int>?
  /// Whether the answer goes on behind the wanted bytes.
  private var isCut = false

  /// Nil if libcurl has no memory.
  init?() {
    guard let handle = EasyHandle() else { return nil }
    self.handle = handle
  }

  /// Why no whole answer came.
  enum Failure: Error {
    case tooLarge
    /// libcurl's text.
    case network(String)
  }

  /// Sends a request and waits for its answer.
  ///
  /// - Parameter credentials: what signs it; nil for a request that is not signed.
  func perform(
    _ request: StoreRequest, url: String, region: String, _ credentials: StoreCredentials?,
    certificates: String?, proxy: String?
  ) throws(Failure) -> StoreResponse {
    response = StoreResponse()
    limit = request.limit
    (range, isCut, skipped) = (request.range, false, 0)
    // Keeps the connection, and forgets the options of the request before.
    curl_easy_reset(handle.pointer)
    setConnection(url, certificates: certificates, proxy: proxy)
    if let deadline = request.deadline {
      let rest = ContinuousClock.now.duration(to: deadline)
      // 0 would be no limit.
      handle.set(CURLOPT_TIMEOUT_MS, max(1, Int(rest.inSeconds * 1_000)))
    }
    var lines = request.headers.map { "\($0.name): \($0.value)" }
    if let range { lines.append("range: bytes=\(range.lowerBound)-\(range.upperBound - 1)") }
    if let credentials {
      handle.set(CURLOPT_AWS_SIGV4, "aws:amz:\(region):s3")
      // Apart: libcurl cuts the form "name:secret" at the first colon.
      handle.set(CURLOPT_USERNAME, credentials.key)
      handle.set(CURLOPT_PASSWORD, credentials.secret)
      // Signed with the rest. Strict servers compare it with the body.
      lines.append("x-amz-content-sha256: \(SHA256.of(request.body))")
      if let token = credentials.token { lines.append("x-amz-security-token: \(token)") }
    }
    handle.setHeaders(lines)
    connectCallbacks()
    let code = request.body.withUnsafeBytes { body in
      setMethod(request.method, body)
      return handle.takeFailure() == nil ? curl_easy_perform(handle.pointer) : CURLE_FAILED_INIT
    }
    if code == CURLE_WRITE_ERROR, isCut { return response }
    if code == CURLE_WRITE_ERROR, response.body.count > limit { throw .tooLarge }
    guard code == CURLE_OK else { throw .network(String(cString: curl_easy_strerror(code))) }
    return response
  }

  private func setConnection(_ url: String, certificates: String?, proxy: String?) {
    handle.set(CURLOPT_URL, url)
    handle.set(CURLOPT_PROTOCOLS_STR, "http,https")
    handle.set(CURLOPT_FOLLOWLOCATION, 0)
    handle.set(CURLOPT_NOSIGNAL, 1)
    handle.set(CURLOPT_PROXY, proxy ?? "")
    handle.set(CURLOPT_CONNECTTIMEOUT_MS, 10_000)
    // Less than a byte a second for half a minute is a stall.
    handle.set(CURLOPT_LOW_SPEED_LIMIT, 1)
    handle.set(CURLOPT_LOW_SPEED_TIME, 30)
    if let certificates { handle.set(CURLOPT_CAINFO, certificates) }
  }

  private func setMethod(_ method: String, _ body: UnsafeRawBufferPointer) {
    switch method {
    case "GET": handle.set(CURLOPT_HTTPGET, 1)
    case "HEAD": handle.set(CURLOPT_NOBODY, 1)
    case "DELETE": handle.set(CURLOPT_CUSTOMREQUEST, "DELETE")
    default:
      // Sent from where it is, without a copy.
      handle.set(CURLOPT_POST, 1)
      handle.set(CURLOPT_CUSTOMREQUEST, method)
      handle.set(CURLOPT_POSTFIELDSIZE_LARGE, offset: body.count)
      handle.setBody(body.baseAddress)
    }
  }

  private func connectCallbacks() {
    let context = Unmanaged.passUnretained(self).toOpaque()
    handle.check(
      tessera_curl_set_write(
        handle.pointer,
        { data, size, count, context in
          guard let data, let context else { return 0 }
          return Unmanaged<StoreConnection>.fromOpaque(context).takeUnretainedValue()
            .body(UnsafeRawBufferPointer(start: data, count: size * count))
        }, context))
    handle.check(
      tessera_curl_set_header(
        handle.pointer,
        { data, size, count, context in
          guard let data, let context else { return 0 }
          let bytes = UnsafeRawBufferPointer(start: data, count: size * count)
          Unmanaged<StoreConnection>.fromOpaque(context).takeUnretainedValue()
            .response.headers.add(bytes)
          return bytes.count
        }, context))
  }

  private func body(_ bytes: UnsafeRawBufferPointer) -> Int {
    // Some servers and proxies ignore the header Range, and send all of the object.
    if let range, response.status == 200 {
      let before = min(bytes.count, range.lowerBound - skipped)
      skipped += before
      let wanted = bytes[before...].prefix(limit - response.body.count)
      response.body += wanted
      isCut = before + wanted.count < bytes.count
      return isCut ? 0 : bytes.count
    }
    response.body += bytes
    // An error has a text of its own, however few bytes of the object are wanted.
    if response.status >= 300 { limit = max(limit, Self.longestError) }
    return response.body.count <= limit ? bytes.count : 0
  }
}
