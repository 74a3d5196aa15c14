internal import TesseraCCurl
internal import TesseraCurl

/// A transfer that is made by itself, on the calling thread, and reports each of its hops. Its options, the
/// policy of addresses and its way over redirects are those of every transfer.
enum TracedTransfer {
  /// What libcurl says while it connects.
  private final class Notes {
    var version: String?
    var distrust: String?
    /// The address that it connects to. Newer versions do not report that of a failed handshake otherwise.
    var tried: String?

    func add(_ line: String) {
      if let match = line.wholeMatch(of: /\s*Trying \[?([0-9a-fA-F:.]+?)\]?:[0-9]+\.\.\.\s*/) {
        tried = String(match.output.1)
      }
      if line.hasPrefix("SSL connection using ") {
        version = line.dropFirst("SSL connection using ".count).split(separator: " ").first.map(
          String.init)
      } else if let range = line.firstRange(of: "SSL certificate problem: ") {
        distrust = String(line[range.upperBound...].prefix { $0 != "\n" })
      }
    }
  }

  static func follow(_ url: String, _ settings: FetchSettings) -> RouteTrace {
    let origin = Origin(url)
    var trace = RouteTrace(host: origin.host.text, addresses: [], hops: [])
    var request = FetchRequest(url: url, deadline: settings.timeout * 2)
    request.isForBeginning = true
    guard CurlLibrary.isInitialized,
      let transfer = Transfer(0, request, settings: settings, receiver: HeadersOnly())
    else {
      trace.error = FetchError(.local, "libcurl can't be started")
      return trace
    }
    let notes = Notes()
    if let error = transfer.prepare() {
      trace.error = error
      return trace
    }
    // A proxy looks for the name itself.
    if !transfer.isProxied {
      trace.addresses = Resolver.addresses(of: origin.host.text).map { "\($0)" }
    }
    withExtendedLifetime((transfer, notes)) { perform(transfer, notes, &trace) }
    if trace.error?.code == .addressRefused {
      trace.permission = Resolver.addresses(of: Origin(transfer.url).host.text).first {
        !settings.addresses.permits($0)
      }.map { AddressPolicy.permission(for: $0) }
    }
    trace.distrust = notes.distrust
    return trace
  }

  private static func perform(_ transfer: Transfer, _ notes: Notes, _ trace: inout RouteTrace) {
    let pointer = transfer.handle.pointer
    transfer.handle.set(CURLOPT_CERTINFO, 1)
    transfer.handle.set(CURLOPT_VERBOSE, 1)
    transfer.handle.check(
      tessera_curl_set_debug(
        pointer,
        { _, kind, text, count, context in
          // The text only: headers may hold credentials.
          guard kind == CURLINFO_TEXT, let text, let context else { return 0 }
          let bytes = UnsafeRawBufferPointer(start: text, count: count)
          Unmanaged<Notes>.fromOpaque(context).takeUnretainedValue().add(
            String(decoding: bytes, as: UTF8.self))
          return 0
        }, Unmanaged.passUnretained(notes).toOpaque()))
    while true {
      (notes.version, notes.tried) = (nil, nil)
      let code = curl_easy_perform(pointer)
      trace.hops.append(hop(transfer, notes, isConnected: code != CURLE_COULDNT_CONNECT))
      switch transfer.next(rawCode: code.rawValue) {
      case .again: continue
      case .done(.success): return
      case .done(.failure(let error)):
        trace.error = error
        return
      }
    }
  }

  /// The hop that has just ended.
  private static func hop(
    _ transfer: Transfer, _ notes: Notes, isConnected: Bool
  ) -> RouteTrace.Hop {
    let pointer = transfer.handle.pointer
    var time: curl_off_t = 0
    _ = tessera_curl_get_offset(pointer, CURLINFO_TOTAL_TIME_T, &time)
    var address: UnsafeMutableRawPointer?
    _ = tessera_curl_get_pointer(pointer, CURLINFO_PRIMARY_IP, &address)
    let reported = address.map { String(cString: $0.assumingMemoryBound(to: CChar.self)) } ?? ""
    let peer = !reported.isEmpty ? reported : isConnected ? notes.tried : nil
    let headers = transfer.response.headers
    // A cache states the time at which its answer was made, and its age since.
    let age = headers["age"].flatMap { Int($0) } ?? 0
    return RouteTrace.Hop(
      // A redirect's target may hold a signature.
      url: transfer.settings.place(of: transfer.url),
      address: peer, obstacle: peer == nil ? transfer.handle.obstacle : nil,
      isProxied: transfer.isProxied,
      status: headers.status, seconds: Double(time) / 1e6,
      tls: notes.version.map { certificate(pointer, version: $0) },
      serverTime: headers["date"].flatMap(HTTPDate.seconds).map { $0 + age })
  }

  private static func certificate(
    _ pointer: UnsafeMutableRawPointer, version: String
  ) -> RouteTrace.TLS {
    var tls = RouteTrace.TLS(version: version, issuer: nil, end: nil)
    var found: UnsafeMutableRawPointer?
    guard tessera_curl_get_pointer(pointer, CURLINFO_CERTINFO, &found) == CURLE_OK,
      let chain = found?.assumingMemoryBound(to: curl_certinfo.self).pointee,
      chain.num_of_certs > 0
    else { return tls }
    // The first one is the server's own.
    var entry = chain.certinfo[0]
    while let line = entry {
      let text = String(cString: line.pointee.data)
      if text.hasPrefix("Issuer:") { tls.issuer = String(text.dropFirst("Issuer:".count)) }
      if text.hasPrefix("Expire date:") {
        tls.end = HTTPDate.seconds(String(text.dropFirst("Expire date:".count)))
      }
      entry = line.pointee.next
    }
    return tls
  }
}
