package import TesseraText

/// The hosts that have settings of their own, and which of them a URL is at.
///
/// A host is what libcurl connects to (``HostName``), however it is written. A host without a port means the default ports of http and https; one with the
/// port takes precedence over it. URLs of files, of data and of object stores are at none.
package struct HostRules: Sendable {
  private let all: [String: HostSettings]

  /// - Parameter hosts: each host once.
  package init(_ hosts: [HostSettings] = []) {
    all = Dictionary(hosts.map { (HostName.withPort($0.host), $0) }) { first, _ in first }
  }

  /// The hosts whose requests have a rate.
  package var rates: [String: RequestRate] { all.compactMapValues(\.rate) }

  /// The most requests at a time that any host may get; `.some(nil)` if a host decides.
  var mostPerHost: Int?? {
    let sizes = all.values.compactMap(\.perHost)
    return sizes.contains(nil) ? .some(nil) : sizes.compactMap(\.self).max().map { .some($0) }
  }

  /// The host of a URL, if its requests have a rate.
  package func pacedHost(at url: String) -> String? {
    name(at: url).flatMap { all[$0]?.rate == nil ? nil : $0 }
  }

  /// The settings of a host by its name here.
  subscript(name: String) -> HostSettings? { all[name] }

  /// The name here of the host of a URL; nil if it has no settings of its own.
  func name(at url: String) -> String? {
    // A URL is not read for nothing.
    all.isEmpty ? nil : Origin(url).names.first { all[$0] != nil }
  }

  /// The settings of the host of a URL; nil if it has none of its own.
  func settings(at url: String) -> HostSettings? { name(at: url).flatMap { all[$0] } }
}

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

/// Finds the second host among URLs, for settings that are meant for one host only.
package struct SingleHost: Sendable {
  package private(set) var first: String?

  package init() {}

  /// The host of the URL, with its port unless that is the scheme's default, if it differs from that
  /// of earlier URLs; nil if it is the same. Nothing is requested for a URL without a host.
  package mutating func other(in url: String) -> String? {
    let origin = Origin(url)
    guard !origin.host.isEmpty else { return nil }
    let host = origin.authority
    first = first ?? host
    return host == first ? nil : host
  }
}
