/// Settings that are for the requests to one host only. What is nil is as for all hosts.
package struct HostSettings: Sendable, Equatable {
  /// In lower case. Without a port it means the default port of http and https.
  package var host: String
  /// Requests at a time; `.some(nil)` leaves the number to the host.
  package var perHost: Int??
  /// Requests in a time, by this process.
  package var rate: RequestRate?
  /// To connect, and from the request to the first byte of the response.
  package var timeout: Duration?
  /// Bound to this host. They take the place of other headers of the same name.
  package var headers: [RequestHeader]
  /// Attempts after the first.
  package var retries: Int?

  package init(
    host: String, perHost: Int?? = nil, rate: RequestRate? = nil, timeout: Duration? = nil,
    headers: [RequestHeader] = [], retries: Int? = nil
  ) {
    self.host = host
    self.perHost = perHost
    self.rate = rate
    self.timeout = timeout
    self.headers = headers
    self.retries = retries
  }
}

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

/// How many requests are sent in a time, as people write it: `5/s`, `30/m`, `600/h`.
package struct RequestRate: Sendable, Equatable {
  package enum Unit: String, Sendable, CaseIterable {
    case second = "s"
    case minute = "m"
    case hour = "h"

    fileprivate var duration: Duration {
      switch self {
      case .second: .seconds(1)
      case .minute: .seconds(60)
      case .hour: .seconds(3_600)
      }
    }
  }

  package var requests: Int
  package var unit: Unit

  /// More than this is no limit for one process.
  package static let most = 999_999

  /// - Parameter requests: from 1 to ``most``.
  package init(requests: Int, unit: Unit) { (self.requests, self.unit) = (requests, unit) }

  /// Nil for other text, for zero, and for more than ``most``.
  package init?(_ text: String) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2, let unit = Unit(rawValue: String(parts[1])),
      parts[0].first != "0", parts[0].allSatisfy({ $0.isASCII && $0.isNumber }),
      let requests = Int(parts[0]), requests <= Self.most
    else { return nil }
    (self.requests, self.unit) = (requests, unit)
  }

  /// From one request to the next.
  package var interval: Duration { unit.duration / requests }

  /// As a pipeline file has it.
  package var text: String { "\(requests)/\(unit.rawValue)" }
}

/// The header User-Agent, which names the sender of requests to their servers.
package enum UserAgent {
  /// Without a contact, because only the user has one.
  package static let standard = "Tessera/0.1"

  /// What a text lacks for the owner of a server who wants to reach the sender.
  package enum Gap: String, Sendable, Encodable {
    /// It has no URL and no mail address.
    case missing
    /// Those that it has are at names for examples (RFC 2606).
    case example

    /// What is wrong, and what to do: a clause.
    package var clause: String {
      let fault =
        switch self {
        case .missing: "the requests name no contact"
        case .example: "the contact in \"user-agent\" is only an example"
        }
      return "\(fault); servers may block such requests: name yours in \"fetch\", such as "
        + "user-agent: \"\(UserAgent.standard) (+https://your.site/bot)\""
    }
  }

  /// Nil if the text has a contact.
  package static func gap(in text: String) -> Gap? {
    let hosts = text.matches(
      of: /(?:https?:\/\/|www\.|[^\s@(<+;,]@)([^\s\/:?#@)>;,]+\.[^\s\/:?#@)>;,]+)/
    )
    .map { String($0.output.1) }
    if hosts.isEmpty { return .missing }
    return hosts.allSatisfy(SourceURL.isReserved(host:)) ? .example : nil
  }
}

extension SourceURL {
  /// Whether a name is for documentation, tests or private networks (RFC 2606, 6761, 6762, and ICANN's .internal), so that no
  /// server on the internet has it. A name without a dot is such a name, too.
  package static func isReserved(host: String) -> Bool {
    let labels = host.lowercased().split(separator: ".")
    guard labels.count > 1, let last = labels.last else { return true }
    return ["test", "invalid", "localhost", "local", "internal"].contains(last)
      || isExample(host: host)
  }

  /// Whether a name is for documentation (RFC 2606, sections 2 and 3): a placeholder that was not replaced.
  package static func isExample(host: String) -> Bool {
    let labels = host.lowercased().split(separator: ".").suffix(2)
    return labels.last == "example"
      || labels.first == "example" && ["com", "net", "org"].contains(labels.last)
  }
}
