internal import Glibc
private import TesseraCCurl
internal import TesseraSystem

/// One request on its way: owns libcurl's easy handle and hears its callbacks.
///
/// Lives on the fetch loop's thread from start to end; nothing else touches it.
final class Transfer {
  let identifier: Int
  let request: FetchRequest
  let host: String
  private let settings: FetchSettings
  private let receiver: any BodyReceiving
  private let handle: UnsafeMutableRawPointer
  private var headerList: UnsafeMutablePointer<curl_slist>?

  /// To the present hop.
  private var answer: Answer
  /// The body's bytes so far, and requests sent.
  private(set) var received = 0
  private(set) var requests = 0
  /// The URL of the present hop, and how many redirects led to it.
  private var url: String
  private var redirects = 0
  private var leftOrigin = false
  /// Whether a proxy is connected to, and not the source's host.
  private var isProxied = false
  private var end = ContinuousClock.Instant.now
  /// Why the transfer was ended from our side.
  private var verdict: Verdict?

  init?(
    _ identifier: Int, _ request: FetchRequest, host: String, settings: FetchSettings,
    receiver: any BodyReceiving
  ) {
    guard let handle = curl_easy_init() else { return nil }
    self.identifier = identifier
    self.request = request
    self.host = host
    self.settings = settings
    self.receiver = receiver
    self.handle = handle
    url = request.url
    answer = Answer(range: request.range)
  }

  deinit {
    curl_easy_cleanup(handle)
    curl_slist_free_all(headerList)
  }

  /// libcurl's handle, for the multi handle that runs it.
  var easyHandle: UnsafeMutableRawPointer { handle }

  /// The transfer behind a handle of libcurl's.
  static func behind(_ handle: UnsafeMutableRawPointer) -> Transfer? {
    var context: UnsafeMutableRawPointer?
    guard tessera_curl_get_pointer(handle, CURLINFO_PRIVATE, &context) == CURLE_OK, let context
    else { return nil }
    return from(context)
  }

  private static func from(_ context: UnsafeMutableRawPointer) -> Transfer {
    Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue()
  }

  var isRedirected: Bool { redirects > 0 }

  /// Sets every option. The transfer must outlive its registration with the multi handle: the
  /// callbacks hold an unretained pointer to it.
  func prepare() -> FetchError? {
    let context = Unmanaged.passUnretained(self).toOpaque()
    var codes = [
      tessera_curl_set_pointer(handle, CURLOPT_PRIVATE, context),
      tessera_curl_set_string(handle, CURLOPT_URL, request.url),
      tessera_curl_set_string(handle, CURLOPT_PROTOCOLS_STR, "http,https"),
      // A URL without a scheme is none; libcurl would guess one.
      tessera_curl_set_string(handle, CURLOPT_DEFAULT_PROTOCOL, "none"),
      setProxy(),
      tessera_curl_set_long(handle, CURLOPT_NOSIGNAL, 1),
      // What a proxy says to CONNECT is not the source's answer.
      tessera_curl_set_long(handle, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1),
      // Redirects are followed by us: libcurl would send the configured headers along.
      tessera_curl_set_long(handle, CURLOPT_FOLLOWLOCATION, 0),
      // A name server that does not answer must not hold up the loop when its transfer ends.
      tessera_curl_set_long(handle, CURLOPT_QUICK_EXIT, 1),
      tessera_curl_set_long(
        handle, CURLOPT_CONNECTTIMEOUT_MS, max(1, settings.timeout.milliseconds)),
      tessera_curl_set_long(handle, CURLOPT_TIMEOUT_MS, max(1, request.deadline.milliseconds)),
      tessera_curl_set_offset(
        handle, CURLOPT_MAXFILESIZE_LARGE,
        request.isForBeginning ? 0 : curl_off_t(settings.maximumBytes)),
      // Every encoding that this libcurl can undo; what it can't is an error. Of compressed bytes no
      // range can be asked for; what is sent compressed all the same is undone, too.
      tessera_curl_set_string(
        handle, CURLOPT_ACCEPT_ENCODING,
        request.isForBeginning || request.range != nil ? "identity" : ""),
      tessera_curl_set_string(handle, CURLOPT_USERAGENT, settings.userAgent),
      tessera_curl_set_write(
        handle,
        { data, size, count, context in
          guard let data, let context else { return 0 }
          return Transfer.from(context).body(
            UnsafeRawBufferPointer(start: data, count: size * count))
        }, context),
      tessera_curl_set_header(
        handle,
        { data, size, count, context in
          guard let data, let context else { return 0 }
          return Transfer.from(context).header(
            UnsafeRawBufferPointer(start: data, count: size * count))
        }, context),
      tessera_curl_set_open_socket(
        handle,
        { context, _, address in
          guard let context, let address else { return -1 }
          return Transfer.from(context).open(address)
        }, context),
      tessera_curl_set_before_request(
        handle,
        { context, _, _, _, _ in
          guard let context else { return CURL_PREREQFUNC_ABORT }
          Transfer.from(context).requestIsSent()
          return CURL_PREREQFUNC_OK
        }, context),
    ]
    if let error = refusalThroughProxy { return error }
    if let file = settings.certificates {
      codes.append(tessera_curl_set_string(handle, CURLOPT_CAINFO, file))
    }
    end = ContinuousClock.now.advanced(by: request.deadline)
    var lines = request.headers.map { "\($0.name): \($0.value)" }
    lines += ownLines
    codes.append(setHeaders(lines))
    guard let code = codes.first(where: { $0 != CURLE_OK }) else { return nil }
    return FetchError(.local, "libcurl refused an option: \(Self.sentence(code))")
  }

  /// Sets the proxy for the present hop, or none; the environment is not libcurl's to read.
  private func setProxy() -> CURLcode {
    let proxy = settings.proxies.proxy(for: Origin(url))
    isProxied = proxy != nil
    return tessera_curl_set_string(handle, CURLOPT_PROXY, proxy ?? "")
  }

  /// An error where a proxy would be asked for an address that is not allowed. What a name stands for is the
  /// proxy's to know.
  private var refusalThroughProxy: FetchError? {
    guard isProxied, let address = Origin(url).spelledAddress,
      !settings.addresses.permits(address)
    else { return nil }
    return refusal(of: address)
  }

  /// Headers that are ours, and go to every origin.
  private var ownLines: [String] {
    var lines: [String] = []
    if let range = request.range {
      lines.append("Range: bytes=\(range.lowerBound)-\(range.upperBound - 1)")
      if let version = request.ifRange { lines.append("If-Range: \(version)") }
    }
    if let etag = request.validators?.etag { lines.append("If-None-Match: \(etag)") }
    if let date = request.validators?.lastModified { lines.append("If-Modified-Since: \(date)") }
    return lines
  }

  private func setHeaders(_ lines: [String]) -> CURLcode {
    var list: UnsafeMutablePointer<curl_slist>?
    for line in lines {
      guard let longer = curl_slist_append(list, line) else {
        curl_slist_free_all(list)
        return CURLE_OUT_OF_MEMORY
      }
      list = longer
    }
    let code = tessera_curl_set_list(handle, CURLOPT_HTTPHEADER, list)
    curl_slist_free_all(headerList)
    headerList = list
    return code
  }

  // MARK: Redirects

  enum Next {
    case done(Result<FetchResponse, FetchError>)
    /// The handle is ready for its next hop.
    case redirect
  }

  /// What comes next, when libcurl is done with this CURLcode.
  func next(rawCode: UInt32) -> Next {
    let wasAnswered: Bool
    if case .error = verdict {
      wasAnswered = false
    } else {
      wasAnswered = rawCode == 0 || verdict != nil
    }
    guard wasAnswered, answer.isRedirect else {
      return .done(result(rawCode: rawCode))
    }
    guard let target = answer.headers["location"].flatMap({ Redirect.url(from: url, to: $0) })
    else {
      let status = answer.headers.status
      return .done(
        .failure(FetchError(.redirect, "the server answered \(status), and not where to go")))
    }
    guard redirects < settings.redirects else {
      return .done(.failure(FetchError(.redirect, "more than \(settings.redirects) redirects")))
    }
    let left = ContinuousClock.now.duration(to: end)
    guard left > .zero else {
      return .done(
        .failure(FetchError(.timeout, "the time was up: redirects took it", isRetryable: true)))
    }
    let before = Origin(url)
    url = target
    redirects += 1
    answer = Answer(range: request.range)
    verdict = nil
    var codes = [
      tessera_curl_set_string(handle, CURLOPT_URL, url), setProxy(),
      tessera_curl_set_long(handle, CURLOPT_TIMEOUT_MS, max(1, left.milliseconds)),
    ]
    if let error = refusalThroughProxy { return .done(.failure(error)) }
    // Once another origin was asked, the configured headers are gone for good.
    if Origin(url) != before {
      leftOrigin = true
      codes.append(setHeaders(ownLines))
    }
    guard codes.allSatisfy({ $0 == CURLE_OK }) else {
      return .done(.failure(FetchError(.redirect, "the redirect leads to no http(s) URL")))
    }
    return .redirect
  }

  // MARK: What libcurl calls

  private func requestIsSent() {
    requests += 1
    answer.requestIsSent(now: .now)
    // A connection stands: an address that was refused before it was one of several.
    verdict = nil
  }

  private func body(_ bytes: UnsafeRawBufferPointer) -> Int {
    // An answer that is no picture need not be read.
    guard answer.isGood else { return stop(.enough) }
    answer.received(bytes.count)
    received += bytes.count
    // libcurl's own limit goes by Content-Length; a body without one is counted here.
    guard received <= settings.maximumBytes else {
      return stop(.error(CurlFailure.tooLarge(settings.maximumBytes)))
    }
    return Verdict(receiver.receive(bytes.bytes)).map { stop($0) } ?? bytes.count
  }

  private func header(_ bytes: UnsafeRawBufferPointer) -> Int {
    do throws(FetchError) {
      let line = String(decoding: bytes, as: UTF8.self)
      switch try answer.take(line, minimumSpeed: settings.minimumSpeed, now: .now) {
      case .goOn: return bytes.count
      case .redirect: return stop(.enough)
      case .body(let extent):
        let verdict = Verdict(receiver.begin(extent, answer.validators))
        return verdict.map { stop($0) } ?? bytes.count
      }
    } catch {
      return stop(.error(error))
    }
  }

  private func open(_ address: UnsafeMutablePointer<curl_sockaddr>) -> curl_socket_t {
    let peer = withUnsafePointer(to: &address.pointee.addr) { IPAddress($0) }
    // The proxy is the user's own choice, wherever it is.
    guard let peer, isProxied || settings.addresses.permits(peer) else {
      if let peer {
        verdict = .error(refusal(of: peer))
      }
      return -1
    }
    return socket(
      address.pointee.family, address.pointee.socktype | Int32(SOCK_CLOEXEC.rawValue),
      address.pointee.protocol)
  }

  /// Does not tell the address: the sentence goes into the catalog, which strangers read.
  private func refusal(of peer: IPAddress) -> FetchError {
    let place =
      redirects == 0 ? "\(Origin(url).host)" : "a redirect led to \(Origin(url).host), which"
    let permission = settings.permissionHint(AddressPolicy.permission(for: peer))
    return FetchError(
      .addressRefused, "\(place) is not on the public internet; if that is meant, \(permission)")
  }

  private func stop(_ verdict: Verdict) -> Int {
    self.verdict = verdict
    return 0  // anything but the number of bytes given ends the transfer
  }

  // MARK: What the loop asks

  /// An error where the transfer has waited, or dripped, for too long.
  func overdue(now: ContinuousClock.Instant) -> FetchError? {
    answer.overdue(settings, now: now)
  }

  /// The result, when libcurl is done with this CURLcode.
  func result(rawCode: UInt32) -> Result<FetchResponse, FetchError> {
    let code = CURLcode(rawValue: rawCode)
    if case .error(let error) = verdict, code != CURLE_OK { return .failure(error) }
    let wasStopped = if case .enough = verdict { true } else { false }
    guard code == CURLE_OK || wasStopped else {
      let hop = CurlFailure.Hop(
        host: Origin(url).host, isRedirected: redirects > 0, isProxied: isProxied,
        wasSent: requests > redirects, wasAnswered: answer.headers.status != 0)
      return .failure(
        CurlFailure.error(rawCode: rawCode, hop: hop, maximumBytes: settings.maximumBytes))
    }
    if answer.headers.status == 304, request.validators != nil {
      return .success(response(.notModified))
    }
    guard answer.isGood else { return .failure(answer.statusError) }
    return .success(response(wasStopped ? .stopped : .complete))
  }

  /// What a good answer's headers said.
  var begun: FetchResponse? { answer.extent == nil ? nil : response(.stopped) }

  private func response(_ ending: FetchResponse.Ending) -> FetchResponse {
    FetchResponse(
      ending: ending, url: url, leftOrigin: leftOrigin, validators: answer.validators,
      freshness: Freshness.lifetime(of: answer.headers), bytes: received,
      robots: answer.headers["x-robots-tag"].map { String($0.prefix(500)) })
  }

  private static func sentence(_ code: CURLcode) -> String {
    String(cString: curl_easy_strerror(code))
  }
}
