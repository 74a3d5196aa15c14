internal import TesseraText

/// A group of keys that is being decoded. ``finish()`` reports every key that no decoder read.
struct KeyGroup {
  let context: DecodingContext
  /// "" for the top level, "fetch." for the keys below `fetch`.
  let prefix: String
  let mark: Mark
  private var pairs: [String: YAMLNode.Pair] = [:]
  /// The keys that decoders read, whether or not the file has them.
  private var known: [String] = []

  init(_ node: YAMLNode, prefix: String, context: DecodingContext) {
    self.context = context
    self.prefix = prefix
    mark = node.mark
    // `fetch:` without keys is a group with all defaults.
    if node.isEmpty { return }
    guard case .mapping(let all) = node.content else {
      let name = prefix.isEmpty ? "a pipeline file" : "\"\(prefix.dropLast())\""
      context.report(node.mark, "\(name) must be a group of keys, found \(node.kind)")
      return
    }
    for pair in all {
      guard case .scalar(let key, isQuoted: _) = pair.key.content else {
        context.report(pair.key.mark, "a key must be a word, found \(pair.key.kind)")
        continue
      }
      if let first = pairs[key] {
        context.report(
          pair.key.mark,
          "duplicate key \"\(prefix)\(key)\"; line \(first.key.mark.line) has it already")
      } else {
        pairs[key] = pair
      }
    }
  }

  /// All keys of the file, in the order of their positions.
  var names: [(name: String, pair: YAMLNode.Pair)] {
    // A dictionary has no order, and headers keep that of the file.
    pairs.map { ($0.key, $0.value) }.sorted {
      ($0.1.key.mark.line, $0.1.key.mark.column) < ($1.1.key.mark.line, $1.1.key.mark.column)
    }
  }

  /// The node of a key; nil if the file lacks the key.
  mutating func node(_ key: String) -> YAMLNode? {
    known.append(key)
    return pairs[key]?.value
  }

  /// The node of a key that a decoder has read.
  func node(of key: String) -> YAMLNode? { pairs[key]?.value }

  mutating func group(_ key: String) -> KeyGroup? {
    node(key).map { KeyGroup($0, prefix: "\(prefix)\(key).", context: context) }
  }

  /// The items of a list. A single value counts as a list of one.
  mutating func list(_ key: String) -> [YAMLNode]? {
    guard let node = node(key) else { return nil }
    switch node.content {
    case .sequence(let nodes): return nodes
    case .scalar where !node.isEmpty: return [node]
    default:
      context.report(node.mark, "\"\(prefix)\(key)\" must be a list, found \(node.kind)")
      return nil
    }
  }

  /// Reports the keys of the file that no decoder read.
  func finish() {
    for (name, pair) in names where !known.contains(name) {
      let place = prefix.isEmpty ? "" : " in \"\(prefix.dropLast())\""
      let hint = Nearest.match(to: name, among: known).map { "did you mean \"\($0)\"?" }
      context.report(
        pair.key.mark,
        "unknown key \"\(name.excerpt)\"\(place); "
          + (hint ?? "the keys are \(known.sorted().joined(separator: ", "))"))
    }
  }
}
