private import TesseraCCurl
internal import TesseraCurl
internal import TesseraStore
internal import TesseraText

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
    if let error = refusalThroughProxy { return error }
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
  var refusalThroughProxy: FetchError? {
    guard isProxied, let address = Origin(url).host.address,
      !settings.addresses.permits(address)
    else { return nil }
    return refusal(of: address)
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
