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
