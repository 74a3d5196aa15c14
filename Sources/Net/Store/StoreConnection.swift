internal import TesseraBytes
private import TesseraCCurl
internal import TesseraSystem

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
