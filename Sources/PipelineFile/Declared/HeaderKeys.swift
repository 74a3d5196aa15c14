internal import TesseraJSON
internal import TesseraText

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
