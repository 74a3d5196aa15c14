internal import Glibc
internal import TesseraCCurl
internal import TesseraSystem

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
    if trace.error?.code == .addressRejected {
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

/// The system's resolution of names, which libcurl uses, too.
enum Resolver {
  /// The addresses of a host, or the one that it spells; empty if there are none. Blocks its thread.
  static func addresses(of host: String) -> [IPAddress] {
    let name = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
    if let address = IPAddress(name) { return [address] }
    var hints = addrinfo()
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var list: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(name, nil, &hints, &list) == 0 else { return [] }
    defer { freeaddrinfo(list) }
    var found: [IPAddress] = []
    var entry = list
    while let current = entry {
      if let address = current.pointee.ai_addr.flatMap({ IPAddress($0) }) { found.append(address) }
      entry = current.pointee.ai_next
    }
    return found
  }
}

/// How a URL is reached, hop by hop: what a run's request for it would do, without its body.
package struct RouteTrace: Sendable {
  /// One request, and what answered it.
  package struct Hop: Sendable {
    /// Without secrets.
    package var url: String
    /// The address of the connection; nil if there was none.
    package var address: String?
    /// Why there is no connection, in the system's words; nil if there is one, or it gave no reason.
    package var obstacle: String?
    package var isProxied: Bool
    /// 0 if nothing answered.
    package var status: Int
    package var seconds: Double
    /// Nil if the hop used a connection of an earlier one, or none with TLS.
    package var tls: TLS?
    /// The server's time at its answer, in seconds since 1970; nil if it stated none.
    package var serverTime: Int?

    package init(
      url: String, address: String?, obstacle: String? = nil, isProxied: Bool = false, status: Int,
      seconds: Double,
      tls: TLS? = nil, serverTime: Int? = nil
    ) {
      (self.url, self.address, self.obstacle) = (url, address, obstacle)
      self.isProxied = isProxied
      (self.status, self.seconds) = (status, seconds)
      (self.tls, self.serverTime) = (tls, serverTime)
    }
  }

  package struct TLS: Sendable, Equatable {
    /// As the library of TLS names it: `TLSv1.3`.
    package var version: String
    /// Of the server's certificate.
    package var issuer: String?
    /// When the certificate ends, in seconds since 1970.
    package var end: Int?

    package init(version: String, issuer: String?, end: Int?) {
      (self.version, self.issuer, self.end) = (version, issuer, end)
    }
  }

  package var host: String
  /// The addresses that the name of the URL's host has here; empty if it has none, or a proxy looks for them.
  package var addresses: [String]
  package var hops: [Hop]
  /// Why the last hop failed; nil if the whole way could be gone.
  package var error: FetchError?
  /// What the library of TLS says of a certificate that is not trusted: `self-signed certificate`.
  package var distrust: String?
  /// The entry of `allow` without which the last hop is rejected.
  package var permission: String?

  package init(
    host: String, addresses: [String], hops: [Hop], error: FetchError? = nil,
    distrust: String? = nil, permission: String? = nil
  ) {
    (self.host, self.addresses, self.hops, self.error) = (host, addresses, hops, error)
    (self.distrust, self.permission) = (distrust, permission)
  }

  /// Requests a URL. All hops together take at most twice the settings' timeout, and as long as the name takes.
  package static func follow(_ url: String, _ settings: FetchSettings) async -> RouteTrace {
    await BlockingPool(limit: 1).run { TracedTransfer.follow(url, settings) }
  }
}

/// Receives no body.
final class HeadersOnly: BodyReceiving {
  func begin(_ extent: BodyExtent, _ validators: Validators?) -> BodyVerdict { .enough }
  func receive(_ bytes: RawSpan) -> BodyVerdict { .enough }
}
