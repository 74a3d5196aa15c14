internal import Glibc
internal import TesseraJSON
internal import TesseraText

/// `fetch.rate` and `fetch.hosts`: how many requests are sent in a time, and settings for one host each.

extension KeyType where Value == RequestRate {
  static var requestRate: KeyType {
    scalar(
      "a number of requests in a second, a minute or an hour, such as 5/s, 30/m or 600/h",
      schema: ["type": "string", "pattern": "^[1-9][0-9]{0,5}/[smh]$"],
      json: { .string($0.text) }, parse: RequestRate.init)
  }
}

extension KeyType where Value == [HostSettings] {
  static var hosts: KeyType {
    KeyType(
      expected: "a list",
      schema: { _ in
        [
          "type": "array",
          "items": HostSettings.group.schema(HostSettings(host: "")).with([
            .init("minProperties", 2)
          ]),
        ]
      },
      read: { node, place, _ in
        guard case .sequence(let nodes) = node.content else {
          place.report(node.mark, "must be a list, found \(node.kind)")
          return nil
        }
        var hosts: [HostSettings] = []
        for node in nodes {
          let initial = HostSettings(host: "")
          guard let host = HostSettings.group.read(node, place, initial) else { continue }
          if hosts.contains(where: { $0.host == host.host }) {
            place.report(
              node.mark,
              "names the host \"\(host.host)\" twice; put all that is for it into one entry")
          } else {
            hosts.append(host)
          }
        }
        return hosts
      },
      // Only headers decide about what a server sends: the rest is in no fingerprint.
      json: { hosts in
        .array(
          hosts.filter { !$0.headers.isEmpty }.map { host in
            .array(
              [.string(host.host)] + host.headers.map { [.string($0.name), .string($0.value)] })
          })
      })
  }
}

extension HostSettings {
  fileprivate static let group = KeyType<Self>.group(
    [
      Key(
        "host", HeaderDecoding.hostType, \.host, isRequired: true,
        "The host, with its port if that is not the default."),
      Key(
        "per-host", .optional(.optional(.int(1...1024), word: "auto", initial: 1), initial: 1),
        \.perHost, "At most this many transfers at a time from it; auto as above."),
      Key(
        "rate", .optional(.requestRate, initial: RequestRate.example), \.rate,
        "At most this many requests to it in a second, a minute or an hour, by this process."),
      Key(
        "timeout", .optional(.duration, initial: .seconds(15)), \.timeout,
        "Time limit to connect to it, and for the first byte."),
      Key(
        "headers", .hostHeaders, \.headers,
        "Request headers for it, in the place of others of the same name."),
      Key(
        "retries", .optional(.int(0...20), initial: 0), \.retries,
        "Attempts after the first one, for transient errors."),
    ], isOptional: false,
    check: { settings, group in
      if group.names.count == 1 {
        group.context.report(
          group.mark, "\"fetch.hosts\" has no settings for the host \"\(settings.host)\"")
      }
      var settings = settings
      for index in settings.headers.indices { settings.headers[index].host = settings.host }
      return settings
    })
}

extension RequestRate {
  /// For a schema, which does not depend on it.
  static let example = RequestRate(requests: 5, unit: .second)
}

/// The syntax of address blocks (CIDR; RFC 4632 and RFC 4291). The fetcher applies them.
enum AddressBlock {
  static func isValid(_ text: String) -> Bool {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2, let bits = UInt8(parts[1]), parts[1].first != "+" else { return false }
    var address = in6_addr()  // large enough for an IPv4 address, too
    if inet_pton(AF_INET, String(parts[0]), &address) == 1 { return bits <= 32 }
    return inet_pton(AF_INET6, String(parts[0]), &address) == 1 && bits <= 128
  }
}

extension KeyType where Value == [RequestHeader] {
  static var headers: KeyType {
    KeyType(
      expected: "a group of headers, or a list of groups that are bound to a host each",
      schema: { _ in HeaderDecoding.schema },
      read: { node, place, _ in HeaderDecoding.headers(node, place) },
      json: { headers in
        .array(headers.map { [.string($0.host ?? ""), .string($0.name), .string($0.value)] })
      })
  }

  /// A group of headers, whose host is known from elsewhere.
  static var hostHeaders: KeyType {
    KeyType(
      expected: "a group of headers", schema: { _ in HeaderDecoding.groupSchema },
      read: { node, place, _ in HeaderDecoding.headers(in: KeyGroup(node, at: place), host: nil) },
      json: { _ in nil })
  }
}

/// Decodes `fetch.headers`: a group of headers, or a list of groups that are bound to a host each.
enum HeaderDecoding {
  /// Headers that libcurl or the fetcher sets; another value would break the transfer or the cache.
  private static let reserved = [
    "accept-encoding", "connection", "content-length", "host", "if-modified-since",
    "if-none-match", "if-range", "range", "transfer-encoding",
  ]
  private static let hostKey = "host"

  static func headers(_ node: YAMLNode, _ place: KeyPlace) -> [RequestHeader] {
    guard case .sequence(let nodes) = node.content else {
      return headers(in: KeyGroup(node, at: place), host: nil)
    }
    return nodes.flatMap { bound($0, place) }
  }

  /// Header names are tokens (RFC 9110, section 5.6.2), and some can't be set.
  private static func names(_ reserved: [String]) -> JSONValue {
    [
      "pattern": "^[A-Za-z0-9!#$%&'*+.^_`|~-]+$",
      "not": ["pattern": .string("^(\(reserved.joined(separator: "|")))$")],
    ]
  }

  private static let plain = reserved.map { name in
    name.map { $0.isLetter ? "[\($0.uppercased())\($0)]" : "\($0)" }.joined()
  }

  private static let value: JSONValue = ["type": ["string", "number"], "minLength": 1]

  /// Of a group of headers.
  static var groupSchema: JSONValue {
    ["type": ["object", "null"], "propertyNames": names(plain), "additionalProperties": value]
  }

  static var hostType: KeyType<String> {
    .scalar(
      "a host such as images.example.com or images.example.com:8443",
      schema: [
        "type": "string",
        "pattern": "^(\\[[0-9A-Fa-f:.]+\\]|[^\\s/:@?#*%\\[\\]\\\\]+)(:[0-9]{1,5})?$",
      ], json: JSONValue.string, parse: host)
  }

  static var schema: JSONValue {
    // In an entry of a list, `host` names the host, and only in lower case.
    let inList = plain.map {
      $0 == "[Hh][Oo][Ss][Tt]" ? "H[Oo][Ss][Tt]|h(O[Ss][Tt]|o(S[Tt]|sT))" : $0
    }
    return [
      "anyOf": [
        groupSchema,
        [
          "type": "array",
          "items": [
            "type": "object", "required": ["host"], "minProperties": 2,
            "properties": ["host": hostType.schema("")], "propertyNames": names(inList),
            "additionalProperties": value,
          ],
        ],
      ]
    ]
  }

  private static func bound(
    _ node: YAMLNode, _ place: KeyPlace
  ) -> [RequestHeader] {
    let (keys, context) = (KeyGroup(node, at: place), place.context)
    let type = hostType
    guard let named = keys.node(hostKey) else {
      if case .mapping = node.content {
        context.report(
          node.mark, "each entry of \"fetch.headers\" needs \"host\", \(type.expected)")
      }
      return []
    }
    guard let host = type.read(named, KeyPlace("\(place.name).host", context), "") else {
      return []
    }
    if keys.names.count == 1 {
      context.report(node.mark, "\"fetch.headers\" has no header for the host \"\(host)\"")
    }
    return headers(in: keys, host: host)
  }

  static func headers(in keys: KeyGroup, host: String?) -> [RequestHeader] {
    keys.names.compactMap { name, pair in
      if host != nil, name == hostKey { return nil }
      // A token (RFC 9110, section 5.6.2).
      let isToken = name.unicodeScalars.allSatisfy {
        $0.isASCII
          && ($0.properties.isAlphabetic || "0123456789!#$%&'*+-.^_`|~".contains($0.description))
      }
      guard isToken, !name.isEmpty else {
        keys.context.report(pair.key.mark, "\"\(name)\" is not a valid header name")
        return nil
      }
      guard !reserved.contains(name.lowercased()) else {
        keys.context.report(pair.key.mark, "tessera sets the header \"\(name)\" itself; remove it")
        return nil
      }
      let place = KeyPlace("\(keys.prefix)\(name)", keys.context)
      return KeyType<String>.line.read(pair.value, place, "").map {
        .init(name: name, value: $0, host: host)
      }
    }
  }

  /// A host with or without a port, in lower case. Not a URL and not a pattern: a header goes to
  /// exactly the host that is named.
  private static func host(_ text: String) -> String? {
    let isAddress = text.hasPrefix("[")
    let end = isAddress ? text.firstIndex(of: "]").map { text.index(after: $0) } : nil
    let name = text[..<(end ?? text.firstIndex(of: ":") ?? text.endIndex)]
    let isName = name.allSatisfy { !$0.isWhitespace && !"/:@?#*%[]\\".contains($0) }
    let isLiteral =
      end != nil && name.count > 2
      && name.dropFirst().dropLast().allSatisfy { $0.isHexDigit || $0 == ":" || $0 == "." }
    guard !name.isEmpty, isAddress ? isLiteral : isName else { return nil }
    let port = text[name.endIndex...]
    let isPort =
      port.isEmpty
      || (port.first == ":" && 2...6 ~= port.count
        && port.dropFirst().allSatisfy { $0.isASCII && $0.isNumber })
    return isPort ? text.lowercased() : nil
  }
}
