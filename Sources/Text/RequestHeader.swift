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
}
