/// By whose word a request may go to an address. It is checked at each connection that is opened, so that no packet is
/// sent to another address, and at each request, because an open connection may be one of another request.
///
/// Credentials need no right of their own: those of a server, of a store and of a proxy are a part of each request (Basic,
/// AWS Signature Version 4), and none belongs to its connection.
enum AccessRight {
  /// A manifest or a redirect named the host.
  case web
  /// The user named the proxy, or the object store.
  case proxy, store

  /// - Parameter address: of the connection; nil for something else than an IP address.
  func permits(_ address: IPAddress?, _ policy: AddressPolicy) -> Bool {
    switch self {
    case .web: address.map(policy.permits) ?? false
    case .proxy, .store: true
    }
  }
}
