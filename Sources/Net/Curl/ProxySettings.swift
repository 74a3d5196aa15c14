/// The proxy for each URL, from the environment as curl reads it: `http_proxy`, `https_proxy`,
/// `all_proxy` and `no_proxy`.
///
/// `HTTP_PROXY` in capitals is ignored: a CGI server sets it from the request header `Proxy`, which
/// an attacker controls (CVE-2016-5385, "httpoxy").
package struct ProxySettings: Sendable, Equatable {
  private var proxies: [String: String] = [:]
  /// The hosts that need no proxy: names with their subdomains, addresses, blocks of addresses, or
  /// `*`.
  private var exceptions: [String] = []

  /// No proxies.
  package init() {}

  /// - Parameter environment: returns the value of a variable.
  package init(environment: (String) -> String?) {
    func value(_ names: String...) -> String? {
      names.lazy.compactMap(environment).first { !$0.isEmpty }
    }
    let all = value("all_proxy", "ALL_PROXY")
    proxies["http"] = value("http_proxy") ?? all
    proxies["https"] = value("https_proxy", "HTTPS_PROXY") ?? all
    // curl accepts both separators.
    exceptions = (value("no_proxy", "NO_PROXY") ?? "").split { $0 == "," || $0 == " " }
      .map { $0.lowercased() }
  }

  package var isEmpty: Bool { proxies.isEmpty }

  /// Nil if the host needs no proxy.
  package func proxy(for origin: Origin) -> String? {
    guard let proxy = proxies[origin.scheme] else { return nil }
    let host = origin.host.text
    let address = origin.host.literal
    let isException = exceptions.contains { entry in
      if entry == "*" { return true }
      if let address {
        return AddressBlock(entry)?.contains(address) ?? (IPAddress(entry) == address)
      }
      // As in curl, ".example.com" and "example.com" mean the same.
      let name = HostName(entry.hasPrefix(".") ? String(entry.dropFirst()) : entry).text
      return !name.isEmpty && (host == name || host.hasSuffix("." + name))
    }
    return isException ? nil : proxy
  }
}

/// Statuses that are in no standard: the answers of a service in front of a server that can't reach it or that finds it
/// overloaded (Cloudflare's 520 to 527 and 530; 529; 598 of other proxies). All of them may pass.
package enum GatewayStatus {
  package static func contains(_ status: Int) -> Bool {
    520...527 ~= status || [529, 530, 598].contains(status)
  }
}
