private import TesseraCYAML

/// Reads one YAML document through libyaml's events into nodes that know where they stand.
///
/// Aliases are followed, within a budget of nodes: the "billion laughs" file ends in an error, not
/// in all memory.
struct YAMLParser: ~Copyable {
  /// No pipeline file comes near this many nodes.
  static let budget = 10_000
  static let maximumDepth = 32

  private let parser: UnsafeMutablePointer<yaml_parser_t>
  private let text: UnsafeMutableBufferPointer<UInt8>
  private var anchors: [String: (node: YAMLNode, count: Int)] = [:]
  private var used = 0

  static func parse(_ bytes: [UInt8]) throws(Diagnostic) -> YAMLNode {
    var parser = try YAMLParser(bytes)
    return try parser.document()
  }

  private init(_ bytes: [UInt8]) throws(Diagnostic) {
    parser = .allocate(capacity: 1)
    text = .allocate(capacity: max(1, bytes.count))
    _ = text.update(fromContentsOf: bytes)
    guard yaml_parser_initialize(parser) == 1 else {
      parser.deallocate()
      text.deallocate()
      throw Diagnostic(Mark(line: 1, column: 1), "not enough memory to read the file")
    }
    // libyaml keeps the pointer, so the text lives as long as the parser does.
    yaml_parser_set_input_string(parser, text.baseAddress, bytes.count)
  }

  deinit {
    yaml_parser_delete(parser)
    parser.deallocate()
    text.deallocate()
  }

  private mutating func document() throws(Diagnostic) -> YAMLNode {
    var root: YAMLNode?
    while true {
      let event = try next()
      switch event.kind {
      case .streamEnd:
        return root ?? YAMLNode(content: .mapping([]), mark: Mark(line: 1, column: 1))
      case .documentStart where root != nil:
        throw Diagnostic(event.mark, "a second document begins here; a pipeline file holds one")
      case .other, .documentStart: continue
      default: root = try node(event, depth: 0)
      }
    }
  }

  private mutating func node(_ event: Event, depth: Int) throws(Diagnostic) -> YAMLNode {
    guard depth < Self.maximumDepth else {
      throw Diagnostic(event.mark, "nested more than \(Self.maximumDepth) levels deep")
    }
    let before = used
    try spend(1, at: event.mark)
    let content: YAMLNode.Content
    switch event.kind {
    case .scalar(let text, let isQuoted): content = .scalar(text, isQuoted: isQuoted)
    case .alias(let name):
      guard let anchor = anchors[name] else {
        throw Diagnostic(event.mark, "the alias *\(name)\" has no anchor above it")
      }
      try spend(anchor.count, at: event.mark)
      return anchor.node
    case .sequenceStart:
      var nodes: [YAMLNode] = []
      while true {
        let item = try next()
        if case .sequenceEnd = item.kind { break }
        nodes.append(try node(item, depth: depth + 1))
      }
      content = .sequence(nodes)
    case .mappingStart:
      var pairs: [YAMLNode.Pair] = []
      while true {
        let item = try next()
        if case .mappingEnd = item.kind { break }
        let key = try node(item, depth: depth + 1)
        pairs.append(.init(key: key, value: try node(try next(), depth: depth + 1)))
      }
      content = .mapping(pairs)
    default:
      throw Diagnostic(event.mark, "expected a value")
    }
    let node = YAMLNode(content: content, mark: event.mark)
    if let anchor = event.anchor { anchors[anchor] = (node, used - before) }
    return node
  }

  private mutating func spend(_ count: Int, at mark: Mark) throws(Diagnostic) {
    used += count
    guard used <= Self.budget else {
      throw Diagnostic(mark, "the file unfolds to more than \(Self.budget) values")
    }
  }

  private struct Event {
    enum Kind {
      case scalar(String, isQuoted: Bool)
      case alias(String)
      case sequenceStart, sequenceEnd, mappingStart, mappingEnd, documentStart, streamEnd, other
    }

    var kind: Kind
    var mark: Mark
    var anchor: String?
  }

  private mutating func next() throws(Diagnostic) -> Event {
    var event = yaml_event_t()
    guard yaml_parser_parse(parser, &event) == 1 else { throw syntaxError() }
    defer { yaml_event_delete(&event) }
    let start = event.start_mark
    var result = Event(
      kind: .other, mark: Mark(line: Int(start.line) + 1, column: Int(start.column) + 1))
    switch event.type {
    case YAML_SCALAR_EVENT:
      let scalar = event.data.scalar
      let bytes = UnsafeBufferPointer(start: scalar.value, count: scalar.length)
      result.kind = .scalar(
        String(decoding: bytes, as: UTF8.self), isQuoted: scalar.style != YAML_PLAIN_SCALAR_STYLE)
      result.anchor = scalar.anchor.map { String(cString: $0) }
    case YAML_ALIAS_EVENT:
      result.kind = .alias(event.data.alias.anchor.map { String(cString: $0) } ?? "")
    case YAML_SEQUENCE_START_EVENT:
      result.kind = .sequenceStart
      result.anchor = event.data.sequence_start.anchor.map { String(cString: $0) }
    case YAML_SEQUENCE_END_EVENT: result.kind = .sequenceEnd
    case YAML_MAPPING_START_EVENT:
      result.kind = .mappingStart
      result.anchor = event.data.mapping_start.anchor.map { String(cString: $0) }
    case YAML_MAPPING_END_EVENT: result.kind = .mappingEnd
    case YAML_DOCUMENT_START_EVENT: result.kind = .documentStart
    case YAML_STREAM_END_EVENT: result.kind = .streamEnd
    default: break
    }
    return result
  }

  /// libyaml's own words, at the place it stopped.
  private func syntaxError() -> Diagnostic {
    let at = parser.pointee.problem_mark
    var message = parser.pointee.problem.map { String(cString: $0) } ?? "not valid YAML"
    if let context = parser.pointee.context { message += " \(String(cString: context))" }
    // Faults of the encoding have an offset, but no line.
    if parser.pointee.error == YAML_READER_ERROR {
      let before = text.prefix(Int(parser.pointee.problem_offset))
      let line = before.count { $0 == UInt8(ascii: "\n") } + 1
      let start = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
      let column = String(decoding: before[start...], as: UTF8.self).unicodeScalars.count + 1
      return Diagnostic(Mark(line: line, column: column), message)
    }
    return Diagnostic(Mark(line: Int(at.line) + 1, column: Int(at.column) + 1), message)
  }
}
