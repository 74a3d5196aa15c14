/// A place in a YAML file. Lines and columns count characters from 1.
package struct Mark: Sendable, Equatable {
  package var line: Int
  package var column: Int

  package init(line: Int, column: Int) {
    self.line = line
    self.column = column
  }
}

/// A node of a YAML document, with the place it stands at.
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

  /// What kind of node it is, in words for people.
  var kind: String {
    switch content {
    case .scalar("", isQuoted: false): "nothing"
    case .scalar(let text, isQuoted: _): "\"\(text)\""
    case .sequence: "a list"
    case .mapping: "a group of keys"
    }
  }

  /// Whether nothing was written: `key:` without a value, or YAML's null.
  var isEmpty: Bool {
    guard case .scalar(let text, isQuoted: false) = content else { return false }
    return text.isEmpty || text == "~" || text == "null"
  }
}
