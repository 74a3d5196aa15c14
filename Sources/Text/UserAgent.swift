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
