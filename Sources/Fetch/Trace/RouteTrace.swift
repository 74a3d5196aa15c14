internal import TesseraSystem

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
