internal import TesseraText

/// A node of a YAML document, with its position.
struct YAMLNode: Sendable {
  indirect enum Content: Sendable {
    /// Quoted scalars are always text; plain ones may be numbers.
    case scalar(String, isQuoted: Bool)
    case sequence([YAMLNode])
    case mapping([Pair])
  }

  struct Pair: Sendable {
    var key: YAMLNode
    var value: YAMLNode
  }

  var content: Content
  var mark: Mark

  /// The kind of the node, in the words of messages: `found a list`.
  var kind: String {
    switch content {
    case .scalar("", isQuoted: false): "nothing"
    case .scalar(let text, isQuoted: _): "\"\(text.excerpt)\""
    case .sequence: "a list"
    case .mapping: "a group of keys"
    }
  }

  /// Whether the value is missing: `key:` alone, or YAML's null (YAML 1.2, section 10.2.1).
  var isEmpty: Bool {
    guard case .scalar(let text, isQuoted: false) = content else { return false }
    return text.isEmpty || text == "~" || text == "null"
  }
}
