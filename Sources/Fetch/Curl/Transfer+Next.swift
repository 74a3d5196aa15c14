private import TesseraCCurl
internal import TesseraCurl
private import TesseraSystem

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
    if let error = refusalThroughProxy { throw error }
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
        wasSent: requests > redirects, wasAnswered: response.headers.status != 0,
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
