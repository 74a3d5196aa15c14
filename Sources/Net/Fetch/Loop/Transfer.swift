internal import Glibc
private import TesseraCCurl
private import TesseraSystem
internal import TesseraText

/// One request in flight: its handle, its current hop and what has arrived so far.
///
/// It lives on the fetch loop's thread from start to end, and no other thread uses it. Its
/// extensions set the options, receive libcurl's callbacks and follow redirects.
final class Transfer {
  let identifier: Int
  let request: FetchRequest
  let settings: FetchSettings
  let receiver: any BodyReceiving
  var handle: EasyHandle

  /// The response to the current hop.
  var response: ResponseProgress
  /// The bytes of bodies so far, and the requests sent.
  var received = 0
  var requests = 0
  /// The bytes of error pages, which are read for the sake of the connection.
  var drained = 0
  /// The bytes of the headers of all hops so far, interim responses (1xx) and trailers included.
  var headerBytes = 0
  /// How long each redirect so far stays fresh; nil if it does not say.
  var redirectFreshness: [Duration?] = []
  /// The URL of the current hop, and the number of redirects that led to it.
  var url: String
  var redirects = 0
  var leftOrigin: Bool
  /// How the source is requested, if it is in an object store.
  var store: StoreSource?
  /// Whether the connection goes to a proxy and not to the source's host.
  var isProxied = false
  /// Whether libcurl decodes the body.
  var decodes = true
  /// For the current hop's host: to connect, and for the first byte.
  var timeout = Duration.zero
  /// When the last hop must have ended.
  var deadline = ContinuousClock.Instant.now
  /// Why this side ended the transfer; nil if it did not.
  var stop: Stop?

  /// At most this many bytes of headers, for the whole exchange: libcurl 7.88 limits a line and not
  /// their number, and keeps all of them. The number is Chromium's, for one response
  /// (`HttpStreamParser::kMaxHeaderBufSize`); later versions of libcurl stop at 300 kB.
  static let maximumHeaderBytes = 256 * 1024

  enum Stop: Equatable {
    case enough
    /// The body has a coding that libcurl does not know.
    case undecodable
    case error(FetchError)

    /// Nil if the receiver wants more.
    init?(_ verdict: BodyVerdict) {
      switch verdict {
      case .more: return nil
      case .enough: self = .enough
      case .failed(let message): self = .error(FetchError(.local, message))
      case .noRoom: self = .error(.noRoom)
      }
    }
  }

  init?(
    _ identifier: Int, _ request: FetchRequest, settings: FetchSettings,
    receiver: any BodyReceiving
  ) {
    guard let handle = EasyHandle() else { return nil }
    self.identifier = identifier
    self.request = request
    self.settings = settings
    self.receiver = receiver
    self.handle = handle
    url = request.url
    leftOrigin = request.leftOrigin
    response = ResponseProgress(range: request.range)
  }

  /// The transfer behind a handle that the multi handle reports.
  static func behind(_ pointer: UnsafeMutableRawPointer) -> Transfer? {
    EasyHandle.context(of: pointer).map(from)
  }

  /// The transfer behind a callback's context.
  static func from(_ context: UnsafeMutableRawPointer) -> Transfer {
    Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue()
  }

  var isRedirected: Bool { redirects > 0 }

  /// By whose word the current hop's request is sent.
  var right: AccessRight { store != nil ? .store : isProxied ? .proxy : .web }

  /// Host and port of the last request; empty if it was not answered.
  var answeredBy: String { response.headers.status == 0 ? "" : SourceHost.name(of: url) }

  /// What a result says about how much the host bears that the request was queued for; nil if nothing.
  func answer(_ result: Result<FetchResponse, FetchError>) -> HostWindow.Answer? {
    isRedirected ? .good(nil) : HostWindow.Answer(result, after: response.latency)
  }

  /// Makes the request to the current hop conditional; nil if it is not.
  var validators: Validators? {
    request.condition?.validators(at: url, ignoring: settings.ignoredQuery)
  }

  /// An error if the response is late or has stalled.
  func overdue(now: ContinuousClock.Instant) -> FetchError? {
    response.overdue(timeout: timeout, minimumSpeed: settings.minimumSpeed, now: now)
  }

  /// Whether it waits for a body that is not needed, for too long.
  func isDrainOver(now: ContinuousClock.Instant) -> Bool { response.isDrainOver(now: now) }

  /// What the headers of a successful response said; nil before they are complete.
  var begun: FetchResponse? { response.extent == nil ? nil : fetchResponse(.stopped) }

  func fetchResponse(_ ending: FetchResponse.Ending) -> FetchResponse {
    FetchResponse(
      ending: ending, url: url, place: settings.place(of: url), leftOrigin: leftOrigin,
      validators: response.validators, freshness: Freshness.lifetime(of: response.headers),
      redirectFreshness: redirectFreshness, bytes: received,
      // 500 characters: the catalog repeats it, and real values are a few words.
      robots: response.headers["x-robots-tag"].map { String($0.prefix(500)) })
  }

  /// The error for an address that the policy rejects. It does not name the address, because the
  /// catalog is public and the address may belong to a private network.
  func rejection(of peer: IPAddress) -> FetchError {
    let host = Origin(url).host.text
    return settings.rejection(
      of: peer, at: redirects == 0 ? host : "a redirect led to \(host), which")
  }
}

extension Transfer {
  enum Next {
    case done(Result<FetchResponse, FetchError>)
    /// The handle is ready for another request: that of the next hop, or the same in another way.
    case again
  }

  /// Decides what follows when libcurl has ended a hop with this CURLcode.
  func next(rawCode: UInt32) -> Next {
    do throws(FetchError) {
      if stop == .undecodable {
        decodes = false
        try prepareRequest()
      } else if wasAnswered(rawCode: rawCode), response.isRedirect {
        try follow(try redirectTarget())
      } else {
        return .done(result(rawCode: rawCode))
      }
      return .again
    } catch {
      return .done(.failure(error))
    }
  }

  /// Whether the last request got the head of a response.
  var isAnswered: Bool { response.headers.status != 0 }

  /// Whether the response counts. If this side had enough of it, libcurl reports a failed write.
  private func wasAnswered(rawCode: UInt32) -> Bool {
    if case .error = stop { return false }
    return rawCode == 0 || stop != nil
  }

  private func redirectTarget() throws(FetchError) -> String {
    // Its target would get the signature.
    guard store == nil else {
      throw FetchError(
        .redirect,
        "the object store answered \(response.headers.status); check the region "
          + "(AWS_REGION) and the endpoint (AWS_ENDPOINT_URL)")
    }
    guard !response.headers.isContradictory("location") else {
      throw FetchError(
        .redirect, "the server answered \(response.headers.status) with different Locations")
    }
    guard
      let target = response.headers["location"].flatMap({
        URLReference.redirect(to: $0, from: url)
      })
    else {
      throw FetchError(
        .redirect, "the server answered \(response.headers.status) without a valid Location")
    }
    guard redirects < settings.redirects else {
      throw FetchError(.redirect, "more than \(settings.redirects) redirects")
    }
    return target
  }

  /// Prepares the handle for the next hop.
  private func follow(_ target: String) throws(FetchError) {
    let before = Origin(url)
    redirectFreshness.append(Freshness.lifetime(of: response.headers))
    url = target
    redirects += 1
    decodes = true
    if Origin(url) != before {
      // Never unset, even if a later hop returns to the first origin: the other one chose its URL.
      leftOrigin = true
      // Cookies of a redirect are for its own origin. libcurl would send them to all of its domain.
      handle.set(CURLOPT_COOKIELIST, "ALL")
    }
    try prepareRequest()
  }

  /// Prepares the handle for another request of the exchange.
  private func prepareRequest() throws(FetchError) {
    // All of them share one deadline.
    let left = ContinuousClock.now.duration(to: deadline)
    guard left > .zero else {
      throw FetchError(
        .timeout, "the time limit was reached while following redirects", isRetryable: true)
    }
    response = ResponseProgress(range: request.range)
    stop = nil
    try setURL()
    setProxy()
    setTimeout()
    setDeadline(left)
    handle.set(CURLOPT_HTTP_CONTENT_DECODING, decodes ? 1 : 0)
    // On each hop: a redirect may name a private address that the proxy can reach.
    if let error = rejectionThroughProxy { throw error }
    setRequestHeaders()
    guard handle.takeFailure() == nil else {
      throw FetchError(.redirect, "the redirect does not lead to an http(s) URL")
    }
  }

  /// The result, when libcurl has ended the transfer with this CURLcode.
  private func result(rawCode: UInt32) -> Result<FetchResponse, FetchError> {
    let code = CURLcode(rawValue: rawCode)
    if case .error(let error) = stop, code != CURLE_OK { return .failure(error) }
    let wasStopped = if case .enough = stop { true } else { false }
    guard code == CURLE_OK || wasStopped else {
      // Each redirect took at least one request, so one more means that this hop's was sent, too.
      let hop = CurlFailure.Hop(
        host: Origin(url).host.text, isRedirected: isRedirected, isProxied: isProxied,
        wasSent: requests > redirects, wasAnswered: isAnswered,
        obstacle: handle.obstacle)
      return .failure(
        CurlFailure.error(rawCode: rawCode, hop: hop, maximumBytes: settings.maximumBytes))
    }
    // A 304 is a success only if this hop's request was conditional.
    if response.headers.status == 304, validators != nil {
      return .success(fetchResponse(.notModified))
    }
    guard response.isSuccess else {
      return .failure(response.statusError(now: settings.clock.now()))
    }
    return .success(fetchResponse(wasStopped ? .stopped : .complete))
  }
}

extension Transfer {
  /// Sets every option for the first hop.
  ///
  /// The transfer must outlive its registration with the multi handle: the callbacks hold an
  /// unretained pointer to it.
  func prepare() -> FetchError? {
    deadline = ContinuousClock.now.advanced(by: request.deadline)
    do throws(FetchError) {
      store = try StoreSource(request.url, settings.buckets, in: settings.store)
      try setURL()
    } catch {
      return error
    }
    setProtocol()
    if let store { sign(store) }
    setProxy()
    setTimeout()
    setLimits()
    setEncoding()
    handle.set(CURLOPT_USERAGENT, settings.userAgent)
    if let file = settings.certificates { handle.set(CURLOPT_CAINFO, file) }
    setRequestHeaders()
    connectCallbacks()
    if let error = rejectionThroughProxy { return error }
    return handle.takeFailure().map { FetchError(.local, "libcurl rejected an option: \($0)") }
  }

  /// Sets the URL of the current hop, with the host by which all else judges it.
  func setURL() throws(FetchError) {
    guard let requested = store?.url ?? CurlURL.requested(url) else {
      throw FetchError(
        isRedirected ? .redirect : .badURL, "the URL's host is not a name that can be requested")
    }
    handle.set(CURLOPT_URL, requested)
  }

  private func setProtocol() {
    handle.set(CURLOPT_PROTOCOLS_STR, "http,https")
    // Without this, libcurl guesses the scheme of a URL that has none.
    handle.set(CURLOPT_DEFAULT_PROTOCOL, "none")
    // libcurl would send the configured headers to every origin, so redirects are followed here.
    handle.set(CURLOPT_FOLLOWLOCATION, 0)
    // Signals would interrupt other threads; name resolution has its own thread instead.
    handle.set(CURLOPT_NOSIGNAL, 1)
    // Otherwise a name server that does not respond blocks the loop when its transfer ends.
    handle.set(CURLOPT_QUICK_EXIT, 1)
    // Some servers redirect until a cookie comes back. In memory, and for this exchange only.
    if store == nil { handle.set(CURLOPT_COOKIEFILE, "") }
  }

  private func sign(_ store: StoreSource) {
    handle.set(CURLOPT_AWS_SIGV4, "aws:amz:\(store.region):s3")
    handle.set(CURLOPT_USERNAME, store.credentials.key)
    handle.set(CURLOPT_PASSWORD, store.credentials.secret)
  }

  /// Sets the proxy for the current hop, or none. Always set, because libcurl would read the
  /// environment otherwise.
  func setProxy() {
    let proxy =
      settings.proxies.isEmpty ? nil : settings.proxies.proxy(for: Origin(store?.url ?? url))
    isProxied = proxy != nil
    handle.set(CURLOPT_PROXY, proxy ?? "")
    // A proxy's response to CONNECT is not the source's.
    handle.set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
  }

  /// An error if a proxy would receive a request for an address that the policy rejects. Names are
  /// resolved by the proxy and cannot be checked here.
  var rejectionThroughProxy: FetchError? {
    guard isProxied, let address = Origin(url).host.address,
      !settings.addresses.permits(address)
    else { return nil }
    return rejection(of: address)
  }

  /// Sets the time limits of the current hop's host.
  func setTimeout() {
    timeout = settings.hosts.settings(at: url)?.timeout ?? settings.timeout
    // Zero would mean libcurl's default or no limit at all.
    handle.set(CURLOPT_CONNECTTIMEOUT_MS, max(1, timeout.milliseconds))
  }

  private func setLimits() {
    setDeadline(request.deadline)
    // 0 is no limit: the beginning of a source may be read, however large the whole is.
    handle.set(
      CURLOPT_MAXFILESIZE_LARGE, offset: request.isForBeginning ? 0 : settings.maximumBytes)
  }

  func setDeadline(_ left: Duration) {
    handle.set(CURLOPT_TIMEOUT_MS, max(1, left.milliseconds))
  }

  private func setEncoding() {
    // "" offers every encoding that this libcurl can decode.
    // A range of compressed bytes is useless, so none is offered with a range. A server that
    // compresses all the same is understood.
    let needsIdentity = request.isForBeginning || request.range != nil
    handle.set(CURLOPT_ACCEPT_ENCODING, needsIdentity ? "identity" : "")
  }

  /// The headers that the user configured for the first hop's host: its own in the place of others of the same name.
  /// Another origin must not receive them.
  var configuredHeaders: [String] {
    if leftOrigin { return [] }
    let own = settings.hosts.settings(at: request.url)?.headers ?? []
    if settings.headers.isEmpty && own.isEmpty { return [] }
    let origin = Origin(request.url)
    let names = Set(own.map { $0.name.lowercased() })
    let others = settings.headers.filter {
      $0.isFor(origin) && !names.contains($0.name.lowercased())
    }
    return (others + own).map { "\($0.name): \($0.value)" }
  }

  /// Sets the headers of the request to the current hop.
  func setRequestHeaders() {
    var lines =
      store.map { $0.headers.map { "\($0.name): \($0.value)" } } ?? configuredHeaders
    if let range = request.range {
      lines.append("Range: bytes=\(range.lowerBound)-\(range.upperBound - 1)")
      if let version = request.ifRange { lines.append("If-Range: \(version)") }
    }
    let validators = validators
    if let etag = validators?.etag { lines.append("If-None-Match: \(etag)") }
    if let date = validators?.lastModified { lines.append("If-Modified-Since: \(date)") }
    handle.setHeaders(lines)
  }
}

extension Transfer {
  /// Registers the callbacks. A C function pointer cannot capture, so each gets the transfer as its
  /// context.
  func connectCallbacks() {
    let context = Unmanaged.passUnretained(self).toOpaque()
    let pointer = handle.pointer
    handle.setContext(context)
    handle.check(
      tessera_curl_set_write(
        pointer,
        { data, size, count, context in
          guard let data, let context else { return 0 }
          return Transfer.from(context).body(
            UnsafeRawBufferPointer(start: data, count: size * count))
        }, context))
    handle.check(
      tessera_curl_set_header(
        pointer,
        { data, size, count, context in
          guard let data, let context else { return 0 }
          return Transfer.from(context).header(
            UnsafeRawBufferPointer(start: data, count: size * count))
        }, context))
    handle.check(
      tessera_curl_set_open_socket(
        pointer,
        { context, _, address in
          guard let context, let address else { return -1 }
          return Transfer.from(context).open(address)
        }, context))
    handle.check(
      tessera_curl_set_before_request(
        pointer,
        { context, address, _, _, _ in
          guard let context, let address else { return CURL_PREREQFUNC_ABORT }
          let peer = IPAddress(String(cString: address))
          return Transfer.from(context).mayBeSent(to: peer)
            ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
        }, context))
  }

  /// Whether the request may be sent to this address. Here and not only in ``open(_:)``, because libcurl may take a
  /// connection that another request has opened.
  private func mayBeSent(to peer: IPAddress?) -> Bool {
    guard right.permits(peer, settings.addresses) else {
      stop = .error(peer.map(rejection) ?? FetchError(.addressRejected, "the address is unknown"))
      return false
    }
    requests += 1
    response.requestIsSent(now: .now)
    // A connection exists. If an address was rejected before, another address of the host was not.
    stop = nil
    return true
  }

  private func body(_ bytes: UnsafeRawBufferPointer) -> Int {
    // The body of an error page is not needed, but a short one is read to its end.
    guard response.isSuccess else {
      drained += bytes.count
      return drained <= ResponseProgress.drainedBytes ? bytes.count : end(.enough)
    }
    response.received(bytes.count)
    received += bytes.count
    // CURLOPT_MAXFILESIZE checks Content-Length only; a body without one is counted here.
    guard received <= settings.maximumBytes else {
      return end(.error(.tooLarge(settings.maximumBytes)))
    }
    return Stop(receiver.receive(bytes.bytes)).map { end($0) } ?? bytes.count
  }

  private func header(_ bytes: UnsafeRawBufferPointer) -> Int {
    headerBytes += bytes.count
    guard headerBytes <= Self.maximumHeaderBytes else {
      return end(.error(.headersTooLarge(Self.maximumHeaderBytes)))
    }
    do throws(FetchError) {
      switch try response.add(bytes, minimumSpeed: settings.minimumSpeed, now: .now) {
      case .more: return bytes.count
      case .enough: return end(.enough)
      case .drain:
        // Whatever becomes of the body, the headers were enough.
        stop = .enough
        return bytes.count
      case .body(let extent):
        // libcurl would end the transfer with an error.
        if decodes, response.headers.hasUnknownCoding { return end(.undecodable) }
        if !decodes, response.headers.isCompressed {
          return end(
            .error(
              FetchError(
                .badEncoding, "the server changed its Content-Encoding", isRetryable: true)))
        }
        let stop = Stop(receiver.begin(extent, response.validators))
        return stop.map { end($0) } ?? bytes.count
      }
    } catch {
      return end(.error(error))
    }
  }

  /// Opens the socket for a connection if the policy permits its address.
  private func open(_ address: UnsafeMutablePointer<curl_sockaddr>) -> curl_socket_t {
    let peer = withUnsafePointer(to: &address.pointee.addr) { IPAddress($0) }
    guard let peer, right.permits(peer, settings.addresses) else {
      // -1 is CURL_SOCKET_BAD. libcurl then attempts the host's next address; the reason is kept in
      // case there is none.
      if let peer { stop = .error(rejection(of: peer)) }
      return -1
    }
    // SOCK_CLOEXEC: workers must not inherit connections.
    return socket(
      address.pointee.family, address.pointee.socktype | Int32(SOCK_CLOEXEC.rawValue),
      address.pointee.protocol)
  }

  /// Ends the transfer from a callback.
  private func end(_ stop: Stop) -> Int {
    self.stop = stop
    return 0  // Any number but that of the bytes passed makes libcurl end the transfer.
  }
}

/// Translates libcurl's result codes into errors: a code, a sentence, and whether a retry may
/// succeed.
enum CurlFailure {
  /// The state of the last hop before it failed.
  struct Hop {
    var host: String
    var isRedirected: Bool
    var isProxied: Bool
    var wasSent: Bool
    var wasAnswered: Bool
    /// Why the system could not connect: "Connection refused"; nil if it did, or gave no reason.
    var obstacle: String?
  }

  static func error(rawCode: UInt32, hop: Hop, maximumBytes: Int) -> FetchError {
    let code = CURLcode(rawValue: rawCode)
    let sentence = String(cString: curl_easy_strerror(code))
    switch code {
    // HTTP/0.9, which libcurl disables, or no HTTP at all.
    case CURLE_UNSUPPORTED_PROTOCOL where hop.wasSent && !hop.wasAnswered:
      return FetchError(.badResponse, "the response is not valid HTTP")
    case CURLE_COULDNT_RESOLVE_HOST where hop.host.isEmpty:
      return FetchError(.badURL, "the URL names no host")
    case CURLE_URL_MALFORMAT, CURLE_UNSUPPORTED_PROTOCOL:
      return hop.isRedirected
        ? FetchError(.redirect, "the redirect does not lead to an http(s) URL")
        : FetchError(.badURL, "not an http(s) URL: \(sentence)")
    case CURLE_COULDNT_RESOLVE_HOST:
      return FetchError(
        .dns, "the name \(hop.host) could not be resolved", isRetryable: true)
    case CURLE_OPERATION_TIMEDOUT:
      return FetchError(.timeout, "the time limit was reached: \(sentence)", isRetryable: true)
    case CURLE_FILESIZE_EXCEEDED: return .tooLarge(maximumBytes)
    case CURLE_PARTIAL_FILE:
      return FetchError(.truncated, "the body ended early: \(sentence)", isRetryable: true)
    case CURLE_BAD_CONTENT_ENCODING:
      return FetchError(.badEncoding, "the body could not be decompressed: \(sentence)")
    case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER,
      CURLE_SSL_CACERT_BADFILE, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_INVALIDCERTSTATUS:
      return FetchError(.tls, "the TLS connection is not trusted: \(sentence)")
    case CURLE_SSL_CONNECT_ERROR:
      // Also if the server closes the connection during the handshake, which may pass.
      return FetchError(.tls, "the TLS handshake failed: \(sentence)", isRetryable: true)
    case CURLE_HTTP2, CURLE_HTTP2_STREAM:
      return hop.wasAnswered
        ? FetchError(.truncated, "the body ended early: \(sentence)", isRetryable: true)
        : FetchError(.network, "the connection failed: \(sentence)", isRetryable: true)
    case CURLE_WEIRD_SERVER_REPLY:
      return FetchError(.badResponse, "the response is not valid HTTP: \(sentence)")
    case CURLE_COULDNT_RESOLVE_PROXY:
      return FetchError(
        .network,
        "the name of the proxy (http_proxy, https_proxy, all_proxy) could not be resolved",
        isRetryable: true)
    default:
      let way =
        hop.isProxied
        ? " through the proxy that the environment names (http_proxy, https_proxy)" : ""
      let reason = code == CURLE_COULDNT_CONNECT ? hop.obstacle ?? sentence : sentence
      return FetchError(.network, "the connection\(way) failed: \(reason)", isRetryable: true)
    }
  }
}

/// Resolves URL references: those of a manifest with a base, and those in Location headers.
package enum URLReference {
  /// The URL that a reference means relative to a base (RFC 3986, section 5.2).
  ///
  /// libcurl resolves it, and normalizes the result: it removes `.` and `..`, percent-encodes what
  /// is not ASCII, and adds the path "/" if there is none.
  ///
  /// - Parameters:
  ///   - reference: an absolute URL, which is returned unchanged, or a relative reference:
  ///     `p1.jpg`, `../p1.jpg`, `/p1.jpg`, `//other.example.com/p1.jpg`, `?id=1`.
  ///   - base: an absolute http(s) URL.
  /// - Returns: nil if libcurl cannot resolve it.
  package static func resolve(_ reference: String, against base: String) -> String? {
    if SourceURL.scheme(of: reference) != nil { return reference }
    // Later versions of libcurl encode what earlier ones reject.
    guard reference.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F }) else {
      return nil
    }
    guard let url = CurlURL(base) else { return nil }
    // "1:2.jpg" is a path, but libcurl would read a scheme (section 4.2).
    let firstSegment = reference.prefix { !"/?#".contains($0) }
    let isAmbiguous = firstSegment.contains(":")
    guard url.resolve(isAmbiguous ? "./" + reference : reference) else { return nil }
    return url[.url]
  }

  /// The URL to which the header Location redirects (RFC 9110, section 10.2.2); nil if it is
  /// malformed.
  ///
  /// It is read as browsers do: a backslash is a slash, and what a URL can't have is percent-encoded.
  /// Within an origin, the user and password of `base` are kept. (CURLINFO_REDIRECT_URL is set only
  /// after the whole body was read, and a redirect's body is dropped here.)
  static func redirect(to location: String, from base: String) -> String? {
    guard let url = CurlURL(base) else { return nil }
    let (user, password) = (url[.user], url[.password])
    guard url.resolve(SourceURL.encoded(location)), let target = url[.url] else { return nil }
    guard let user, url[.user] == nil, Origin(target) == Origin(base) else { return target }
    guard url.set(.user, to: user), password == nil || url.set(.password, to: password) else {
      return nil
    }
    return url[.url]
  }
}
