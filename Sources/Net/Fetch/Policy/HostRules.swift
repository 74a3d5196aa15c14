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
