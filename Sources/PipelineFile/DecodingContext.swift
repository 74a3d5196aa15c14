/// Collects the mistakes of a file while its values are decoded: one pass finds all of them.
final class DecodingContext {
  private(set) var diagnostics: [Diagnostic] = []
  /// What works, and should be changed.
  private(set) var warnings: [Diagnostic] = []
  /// The folder that relative paths of the file are below.
  let folder: String
  private let environment: (String) -> String?
  private var places: [String: YAMLNode.Pair] = [:]

  init(folder: String, environment: @escaping (String) -> String?) {
    (self.folder, self.environment) = (folder, environment)
  }

  /// Remembers where the file has a key.
  func found(_ key: String, _ pair: YAMLNode.Pair) { places[key] = pair }

  /// The place of a key such as `fetch.timeout`; nil if the file lacks it.
  func pair(_ key: String) -> YAMLNode.Pair? { places[key] }

  func report(_ mark: Mark, _ message: String) {
    // An alias puts one mistake into several places of the tree. Report it once.
    let diagnostic = Diagnostic(mark, message)
    if !diagnostics.contains(diagnostic) { diagnostics.append(diagnostic) }
  }

  func warn(_ mark: Mark, _ message: String) { warnings.append(Diagnostic(mark, message)) }

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
