internal import Glibc

/// Which proxy a URL goes through, by the environment, as curl reads it: `http_proxy` (in small letters alone, since
/// a web server would set the other from a request's header), `https_proxy`, `all_proxy` and `no_proxy`.
package struct ProxySettings: Sendable, Equatable {
  private var proxies: [String: String] = [:]
  /// Hosts that are asked directly: names with all names below them, addresses, blocks of addresses, or `*`.
  private var exceptions: [String] = []

  /// No proxies.
  package init() {}

  /// - Parameter environment: looks up a variable.
  package init(environment: (String) -> String?) {
    func value(_ names: String...) -> String? {
      names.lazy.compactMap(environment).first { !$0.isEmpty }
    }
    let all = value("all_proxy", "ALL_PROXY")
    proxies["http"] = value("http_proxy") ?? all
    proxies["https"] = value("https_proxy", "HTTPS_PROXY") ?? all
    exceptions = (value("no_proxy", "NO_PROXY") ?? "").split { $0 == "," || $0 == " " }
      .map { $0.lowercased() }
  }

  /// Nil where the host is asked directly.
  func proxy(for origin: Origin) -> String? {
    guard let proxy = proxies[origin.scheme] else { return nil }
    let host = origin.host.hasPrefix("[") ? String(origin.host.dropFirst().dropLast()) : origin.host
    let address = IPAddress(host)
    let isException = exceptions.contains { entry in
      if entry == "*" { return true }
      if let address {
        return AddressBlock(entry)?.contains(address) ?? (IPAddress(entry) == address)
      }
      let name = entry.hasPrefix(".") ? String(entry.dropFirst()) : entry
      return host == name || host.hasSuffix("." + name)
    }
    return isException ? nil : proxy
  }
}

extension Origin {
  /// The address that the host is spelled as, in whatever way the resolver reads one (2130706433, 0x7f.1);
  /// loopback for the names that stand for it; nil for all other names.
  ///
  /// What goes through a proxy is looked up and connected to there: this is all that can be checked here.
  var spelledAddress: IPAddress? {
    let name = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
    if name == "localhost" || name.hasSuffix(".localhost") { return IPAddress("127.0.0.1") }
    var hints = addrinfo()
    hints.ai_flags = AI_NUMERICHOST
    var list: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(name, nil, &hints, &list) == 0, let list else { return nil }
    defer { freeaddrinfo(list) }
    guard let address = list.pointee.ai_addr else { return nil }
    return IPAddress(address)
  }
}
