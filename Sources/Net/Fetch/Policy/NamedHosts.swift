package import TesseraText

/// The hosts for which a pipeline has settings or headers, beside those that images are at. What is said of a host that no image
/// is at does nothing, and a rate or a header that a host expects is then missing.
package struct NamedHosts: Sendable {
  /// Those at which no URL was so far, and how the pipeline writes them.
  private var unused: [String: String]
  /// The first of all others.
  private var others: [String] = []

  private static let listed = 3

  package init(_ settings: [HostSettings], _ headers: [RequestHeader]) {
    unused = Self.names(settings, headers)
  }

  fileprivate static func names(
    _ settings: [HostSettings], _ headers: [RequestHeader]
  ) -> [String: String] {
    let written = settings.map(\.host) + headers.compactMap(\.host)
    return Dictionary(written.map { (HostName.withPort($0), $0) }) { first, _ in first }
  }

  /// - Parameter url: one that is requested.
  package mutating func add(_ url: String) {
    // A URL is not read for nothing.
    guard !unused.isEmpty else { return }
    let origin = Origin(url)
    guard !origin.host.isEmpty else { return }
    for name in origin.names { unused[name] = nil }
    if others.count < Self.listed, !others.contains(origin.authority) {
      others.append(origin.authority)
    }
  }

  /// A sentence on each host at which no URL was, without its full stop.
  package var warnings: [String] {
    unused.values.sorted().map { host in
      "no image is at \"\(host)\", which the pipeline has settings for (fetch.hosts, fetch.headers)"
        + Nearest.hint(for: host, among: others)
        + (others.isEmpty ? "" : "; there are images at \(others.joined(separator: ", "))")
        + "; leave it if redirects lead there"
    }
  }
}

extension HostTally {
  /// The hosts that got requests, and have the name of one of the pipeline's with another port: what is said of that host does
  /// not hold for them. A clause each.
  package func otherPorts(_ settings: [HostSettings], _ headers: [RequestHeader]) -> [String] {
    let named = NamedHosts.names(settings, headers).keys
    func name(_ host: String) -> Substring {
      guard let colon = host.lastIndex(of: ":"), !host.hasSuffix("]") else { return host[...] }
      return host[..<colon]
    }
    return names.filter { !named.contains($0) }.sorted().compactMap { host in
      named.sorted().first { name($0) == name(host) }.map {
        "requests went to \(host), and what the pipeline says of \($0) (fetch.hosts, fetch.headers) does not hold for another "
          + "port; name the host as \(host)"
      }
    }
  }
}
