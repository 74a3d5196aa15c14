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
        { context, _, _, _, _ in
          guard let context else { return CURL_PREREQFUNC_ABORT }
          Transfer.from(context).requestIsSent()
          return CURL_PREREQFUNC_OK
        }, context))
  }

  private func requestIsSent() {
    requests += 1
    response.requestIsSent(now: .now)
    // A connection exists. If an address was rejected before, another address of the host was not.
    stop = nil
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
      // Servers send 8-bit text here, too: malformed UTF-8 is replaced, and is not an error.
      let line = String(decoding: bytes, as: UTF8.self)
      switch try response.add(line, minimumSpeed: settings.minimumSpeed, now: .now) {
      case .more: return bytes.count
      case .enough: return end(.enough)
      case .drain:
        // Whatever becomes of the body, the headers were enough.
        stop = .enough
        return bytes.count
      case .body(let extent):
        let stop = Stop(receiver.begin(extent, response.validators))
        return stop.map { end($0) } ?? bytes.count
      }
    } catch {
      return end(.error(error))
    }
  }

  /// Opens the socket for a connection if the policy permits its address. This is the only place
  /// that sees the address after name resolution.
  private func open(_ address: UnsafeMutablePointer<curl_sockaddr>) -> curl_socket_t {
    let peer = withUnsafePointer(to: &address.pointee.addr) { IPAddress($0) }
    // The user configured the proxy and the object store, so their addresses need no permission.
    guard let peer, isProxied || store != nil || settings.addresses.permits(peer) else {
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
