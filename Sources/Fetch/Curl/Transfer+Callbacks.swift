internal import Glibc
private import TesseraCCurl
internal import TesseraCurl

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
      stop = .error(peer.map(refusal) ?? FetchError(.addressRefused, "the address is unknown"))
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
      if let peer { stop = .error(refusal(of: peer)) }
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
