/// A header that the user adds to requests. It may hold a credential, so it is sent to the requested
/// host only, and never to another origin that a redirect leads to.
package struct RequestHeader: Sendable, Equatable {
  package var name: String
  package var value: String
  /// The host that receives it, in lower case. Without a port it means the default port of http and
  /// https. Nil is every host.
  package var host: String?

  package init(name: String, value: String, host: String? = nil) {
    self.name = name
    self.value = value
    self.host = host
  }

  /// Whether requests to the origin have the header. The origin is what libcurl connects to: another
  /// reading of the same URL could name another host.
  func isFor(_ origin: Origin) -> Bool {
    guard let host else { return true }
    // The port names https. A URL may say http all the same, which everyone on the way could read.
    if (origin.scheme, origin.port) == ("http", "443") { return false }
    return host == origin.authority || host == "\(origin.host):\(origin.port)"
  }
}
