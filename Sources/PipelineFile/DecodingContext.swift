/// Collects the mistakes of a file while its values are decoded: one pass finds all of them.
final class DecodingContext {
  private(set) var diagnostics: [Diagnostic] = []
  private let environment: (String) -> String?

  init(environment: @escaping (String) -> String?) { self.environment = environment }

  func report(_ mark: Mark, _ message: String) {
    // An alias puts one mistake into several places of the tree. Report it once.
    let diagnostic = Diagnostic(mark, message)
    if !diagnostics.contains(diagnostic) { diagnostics.append(diagnostic) }
  }

  /// The text of a scalar, with the environment's value for each `${NAME}`.
  func text(_ node: YAMLNode, _ key: String, expected: String) -> String? {
    guard case .scalar(let raw, isQuoted: _) = node.content, !node.isEmpty else {
      report(node.mark, "\(key) must be \(expected), found \(node.kind)")
      return nil
    }
    // Variables are replaced after YAML is parsed, so that a value can't add keys to the file.
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
