internal import TesseraText

/// Builds the tree of one YAML document, whose nodes have their positions.
///
/// It follows aliases within a budget of nodes: a file whose aliases expand exponentially ("billion
/// laughs") ends in an error instead of taking all memory.
struct YAMLParser: ~Copyable {
  /// In nodes, far above any real pipeline file.
  static let budget = 10_000
  /// In levels. Pipeline files need a few; without a limit, nesting could overflow the stack.
  static let maximumDepth = 32

  private var events: YAMLEvents
  /// Anchored nodes by name, with the number of nodes in each.
  private var anchors: [String: (node: YAMLNode, count: Int)] = [:]
  private var used = 0

  static func parse(_ bytes: [UInt8]) throws(Diagnostic) -> YAMLNode {
    var parser = YAMLParser(try YAMLEvents(bytes))
    return try parser.document()
  }

  private init(_ events: consuming YAMLEvents) { self.events = events }

  private mutating func document() throws(Diagnostic) -> YAMLNode {
    var root: YAMLNode?
    while true {
      let event = try events.next()
      switch event.kind {
      case .streamEnd:
        return root ?? YAMLNode(content: .mapping([]), mark: Mark(line: 1, column: 1))
      case .documentStart where root != nil:
        throw Diagnostic(event.mark, "a second document begins here; a pipeline file has one")
      case .other, .documentStart: continue
      default: root = try node(event, depth: 0)
      }
    }
  }

  private mutating func node(
    _ event: YAMLEvents.Event, depth: Int
  ) throws(Diagnostic) -> YAMLNode {
    guard depth < Self.maximumDepth else {
      throw Diagnostic(event.mark, "nested more than \(Self.maximumDepth) levels deep")
    }
    let before = used
    try spend(1, at: event.mark)
    let content: YAMLNode.Content
    switch event.kind {
    case .scalar(let text, let isQuoted): content = .scalar(text, isQuoted: isQuoted)
    case .alias(let name): return try anchored(name, at: event.mark)
    case .sequenceStart: content = .sequence(try sequence(depth: depth + 1))
    case .mappingStart: content = .mapping(try mapping(depth: depth + 1))
    default: throw Diagnostic(event.mark, "expected a value")
    }
    let node = YAMLNode(content: content, mark: event.mark)
    // After its content: an alias within its own anchor finds none, so that no cycle can arise. The
    // count makes an alias cost as much of the budget as what it stands for.
    if let anchor = event.anchor { anchors[anchor] = (node, used - before) }
    return node
  }

  private mutating func anchored(_ name: String, at mark: Mark) throws(Diagnostic) -> YAMLNode {
    guard let anchor = anchors[name] else {
      throw Diagnostic(mark, "the alias \"*\(name)\" has no anchor before it")
    }
    try spend(anchor.count, at: mark)
    return anchor.node
  }

  private mutating func sequence(depth: Int) throws(Diagnostic) -> [YAMLNode] {
    var nodes: [YAMLNode] = []
    while true {
      let item = try events.next()
      if case .sequenceEnd = item.kind { return nodes }
      nodes.append(try node(item, depth: depth))
    }
  }

  private mutating func mapping(depth: Int) throws(Diagnostic) -> [YAMLNode.Pair] {
    var pairs: [YAMLNode.Pair] = []
    while true {
      let item = try events.next()
      if case .mappingEnd = item.kind { return pairs }
      let key = try node(item, depth: depth)
      pairs.append(.init(key: key, value: try node(try events.next(), depth: depth)))
    }
  }

  private mutating func spend(_ count: Int, at mark: Mark) throws(Diagnostic) {
    used += count
    guard used <= Self.budget else {
      throw Diagnostic(mark, "the file expands to more than \(Self.budget) values")
    }
  }
}

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
