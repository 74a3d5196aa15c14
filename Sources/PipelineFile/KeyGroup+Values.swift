internal import TesseraText

extension KeyGroup {
  /// The value that `parse` makes of the key's text. `expected` completes "must be …".
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
      // The node's kind and not `text`, which may hold a secret of the environment.
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

  mutating func duration(_ key: String, allowsZero: Bool = false) -> Duration? {
    let expected = allowsZero ? "a duration" : "a duration of at least 1ms"
    return value(key, expected: "\(expected), such as 500ms, 15s, 2m or 1h") {
      Units.duration($0).flatMap { $0 > .zero || allowsZero ? $0 : nil }
    }
  }

  mutating func percentage(_ key: String) -> Double? {
    value(key, expected: "a percentage from 0% to 100%", Units.percentage)
  }

  /// One of several words.
  mutating func choice<Value: RawRepresentable<String>>(
    _ key: String, _ choices: [Value]
  ) -> Value? {
    guard let node = node(key) else { return nil }
    return choice(of: node, key, choices)
  }

  /// - Parameter unsupported: words that belong to the format of pipeline files but have no effect
  ///   in this version. They get a message of their own.
  func choice<Value: RawRepresentable<String>>(
    of node: YAMLNode, _ key: String, _ choices: [Value], unsupported: [String] = []
  ) -> Value? {
    let names = choices.map(\.rawValue)
    let expected =
      names.count == 1
      ? "\"\(names[0])\"" : "one of \(names.map { "\"\($0)\"" }.joined(separator: ", "))"
    guard let text = context.text(node, "\"\(prefix)\(key)\"", expected: expected) else {
      return nil
    }
    if let value = choices.first(where: { $0.rawValue == text }) { return value }
    if unsupported.contains(text) {
      context.report(
        node.mark,
        "\"\(prefix)\(key): \(text)\" is not supported in this version; it can be \(expected)")
    } else {
      let hint = Nearest.hint(for: text, among: names)
      context.report(
        node.mark, "\"\(prefix)\(key)\" must be \(expected), found \(node.kind)\(hint)")
    }
    return nil
  }
}
