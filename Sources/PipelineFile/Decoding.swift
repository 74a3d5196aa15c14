internal import TesseraText

/// Collects what is wrong with a file while its values are read: one pass finds all mistakes.
final class DecodingContext {
  private(set) var diagnostics: [Diagnostic] = []
  private let environment: (String) -> String?

  init(environment: @escaping (String) -> String?) { self.environment = environment }

  func report(_ mark: Mark, _ message: String) {
    // An alias puts one mistake into several places of the tree, but it is one.
    let diagnostic = Diagnostic(mark, message)
    if !diagnostics.contains(diagnostic) { diagnostics.append(diagnostic) }
  }

  /// The scalar's text with `${NAME}` taken from the environment.
  func text(_ node: YAMLNode, _ key: String, expected: String) -> String? {
    guard case .scalar(let raw, isQuoted: _) = node.content, !node.isEmpty else {
      report(node.mark, "\(key) must be \(expected), found \(node.kind)")
      return nil
    }
    var text = ""
    var rest = raw[...]
    while let start = rest.firstRange(of: "${") {
      text += rest[..<start.lowerBound]
      rest = rest[start.upperBound...]
      guard let end = rest.firstIndex(of: "}") else {
        report(node.mark, "\(key): \"${\" without its \"}\"")
        return nil
      }
      let name = String(rest[..<end])
      guard let value = environment(name) else {
        report(
          node.mark,
          "\(key): the environment variable \"\(name)\" is not set; set it, or remove ${\(name)}")
        return nil
      }
      text += value
      rest = rest[rest.index(after: end)...]
    }
    return text + rest
  }
}

/// A group of keys that is being read. Keys that nobody asked for are unknown: ``finish()`` says so.
struct KeyGroup {
  let context: DecodingContext
  /// "" for the top level, "fetch." for the keys below `fetch`.
  let prefix: String
  let mark: Mark
  private var pairs: [String: YAMLNode.Pair] = [:]
  private var known: [String] = []

  init(_ node: YAMLNode, prefix: String, context: DecodingContext) {
    self.context = context
    self.prefix = prefix
    mark = node.mark
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
      if pairs[key] != nil {
        context.report(pair.key.mark, "the key \"\(prefix)\(key)\" stands twice")
      } else {
        pairs[key] = pair
      }
    }
  }

  /// All keys that stand in the file, in the order of their places.
  var names: [(name: String, pair: YAMLNode.Pair)] {
    pairs.map { ($0.key, $0.value) }.sorted {
      ($0.1.key.mark.line, $0.1.key.mark.column) < ($1.1.key.mark.line, $1.1.key.mark.column)
    }
  }

  /// The node of a key, or nil where the key is absent.
  mutating func node(_ key: String) -> YAMLNode? {
    known.append(key)
    return pairs[key]?.value
  }

  mutating func group(_ key: String) -> KeyGroup? {
    node(key).map { KeyGroup($0, prefix: "\(prefix)\(key).", context: context) }
  }

  /// A value that `parse` makes of the key's text. `expected` completes "must be …".
  mutating func value<Value>(
    _ key: String, expected: String, _ parse: (String) -> Value?
  ) -> Value? {
    guard let node = node(key) else { return nil }
    return value(of: node, key, expected: expected, parse)
  }

  func value<Value>(
    of node: YAMLNode, _ key: String, expected: String, _ parse: (String) -> Value?
  ) -> Value? {
    let name = "\"\(prefix)\(key)\""
    guard let text = context.text(node, name, expected: expected) else { return nil }
    guard let value = parse(text) else {
      context.report(node.mark, "\(name) must be \(expected), found \(node.kind)")
      return nil
    }
    return value
  }

  mutating func int(_ key: String, _ range: ClosedRange<Int>) -> Int? {
    value(key, expected: "a whole number from \(range.lowerBound) to \(range.upperBound)") {
      Int($0).flatMap { range.contains($0) ? $0 : nil }
    }
  }

  mutating func duration(_ key: String) -> Duration? {
    value(key, expected: "a duration of at least 1ms, such as 500ms, 15s, 2m or 1h") {
      Units.duration($0).flatMap { $0 > .zero ? $0 : nil }
    }
  }

  /// One of some words. Words in `unbuilt` belong to the format, but have no effect yet.
  mutating func choice<Value: RawRepresentable<String>>(
    _ key: String, _ choices: [Value], unbuilt: [String] = []
  ) -> Value? {
    guard let node = node(key) else { return nil }
    return choice(of: node, key, choices, unbuilt: unbuilt)
  }

  func choice<Value: RawRepresentable<String>>(
    of node: YAMLNode, _ key: String, _ choices: [Value], unbuilt: [String] = []
  ) -> Value? {
    let names = choices.map(\.rawValue)
    let expected =
      names.count == 1
      ? "\"\(names[0])\"" : "one of \(names.map { "\"\($0)\"" }.joined(separator: ", "))"
    if case .sequence = node.content, !unbuilt.isEmpty {
      context.report(
        node.mark,
        "a list for \"\(prefix)\(key)\" is not built yet in this version; it can be \(expected)")
      return nil
    }
    guard let text = context.text(node, "\"\(prefix)\(key)\"", expected: expected) else {
      return nil
    }
    if let value = choices.first(where: { $0.rawValue == text }) { return value }
    if unbuilt.contains(text) {
      context.report(
        node.mark,
        "\"\(prefix)\(key): \(text)\" is not built yet in this version; it can be \(expected)")
    } else {
      let hint = Nearest.hint(for: text, among: names)
      context.report(
        node.mark, "\"\(prefix)\(key)\" must be \(expected), found \(node.kind)\(hint)")
    }
    return nil
  }

  /// The items of a list; a single value counts as a list of one.
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

  /// A key that belongs to the format and has no effect in this version: it is refused where it
  /// stands, so that nobody relies on it.
  mutating func unbuilt(_ key: String, instead: String) {
    guard node(key) != nil, let pair = pairs[key] else { return }
    context.report(
      pair.key.mark,
      "\"\(prefix)\(key)\" is not built yet in this version: remove it. \(instead)")
  }

  /// Reports the keys that are there and were never asked for.
  func finish() {
    for (name, pair) in names where !known.contains(name) {
      let place = prefix.isEmpty ? "" : " in \"\(prefix.dropLast())\""
      let hint = Nearest.match(to: name, among: known).map { "did you mean \"\($0)\"?" }
      context.report(
        pair.key.mark,
        "unknown key \"\(name)\"\(place); "
          + (hint ?? "the keys are \(known.sorted().joined(separator: ", "))"))
    }
  }
}
