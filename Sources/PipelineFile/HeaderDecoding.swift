/// Decodes `fetch.headers`: a group of headers, or a list of groups that are bound to a host each.
enum HeaderDecoding {
  /// Headers that libcurl or the fetcher sets; another value would break the transfer or the cache.
  private static let reserved = [
    "accept-encoding", "connection", "content-length", "host", "if-modified-since",
    "if-none-match", "if-range", "range", "transfer-encoding",
  ]
  private static let hostKey = "host"

  static func headers(_ group: inout KeyGroup) -> [PipelineFile.Header] {
    guard let node = group.node("headers") else { return [] }
    let prefix = "\(group.prefix)headers."
    guard case .sequence(let nodes) = node.content else {
      return headers(in: KeyGroup(node, prefix: prefix, context: group.context), host: nil)
    }
    return nodes.flatMap { bound($0, prefix, group.context) }
  }

  private static func bound(
    _ node: YAMLNode, _ prefix: String, _ context: DecodingContext
  ) -> [PipelineFile.Header] {
    var keys = KeyGroup(node, prefix: prefix, context: context)
    let expected = "a host such as images.example.com or images.example.com:8443"
    guard keys.names.contains(where: { $0.name == hostKey }) else {
      if case .mapping = node.content {
        context.report(node.mark, "each entry of \"fetch.headers\" needs \"host\", \(expected)")
      }
      return []
    }
    guard let host = keys.value(hostKey, expected: expected, host) else { return [] }
    if keys.names.count == 1 {
      context.report(node.mark, "\"fetch.headers\" has no header for the host \"\(host)\"")
    }
    return headers(in: keys, host: host)
  }

  private static func headers(in keys: KeyGroup, host: String?) -> [PipelineFile.Header] {
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
      return keys.value(of: pair.value, name, expected: "a line of text") { text in
        FetchDecoding.isLine(text) ? .init(name: name, value: text, host: host) : nil
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
