/// An element of an XML text, with everything in it.
///
/// Names have the prefix that ``XMLNamespaces`` has for their namespace, whatever the text calls it.
package struct XMLElement: Sendable, Equatable {
  package var name: String
  package var attributes: [(name: String, value: String)]
  package var children: [XMLElement]
  /// The text in it, without that of its children and without white space at both ends.
  package var text: String
  /// The line on which it begins, from 1.
  package var line: Int
  /// What `xml:base` says on it and on the elements around it (XML Base), the outermost first. Each is relative to those before.
  package var bases: [String]

  package init(
    _ name: String, attributes: [(name: String, value: String)] = [], line: Int = 1,
    bases: [String] = []
  ) {
    (self.name, self.attributes, self.line, self.bases) = (name, attributes, line, bases)
    (children, text) = ([], "")
  }

  package subscript(attribute: String) -> String? {
    attributes.first { $0.name == attribute }?.value
  }

  package static func == (one: Self, other: Self) -> Bool {
    (one.name, one.children, one.text, one.line, one.bases)
      == (other.name, other.children, other.text, other.line, other.bases)
      && one.attributes.elementsEqual(other.attributes) { $0 == $1 }
  }
}

/// Prefixes for namespaces (Namespaces in XML 1.0), by their URIs.
package struct XMLNamespaces: Sendable {
  private let prefixes: [String: String]

  /// - Parameter prefixes: by URIs; those that differ in case, or in a slash at the end, are the same.
  package init(_ prefixes: [String: String]) {
    self.prefixes = Dictionary(prefixes.map { (Self.key($0), $1) }) { first, _ in first }
  }

  /// Nil for a namespace that has none.
  func prefix(of uri: String) -> String? { prefixes[Self.key(uri)] }

  private static func key(_ uri: String) -> String {
    let lower = uri.lowercased()
    return lower.hasSuffix("/") ? String(lower.dropLast()) : lower
  }
}

/// Why an XML text is not read further.
package struct XMLError: Error, Sendable, Equatable {
  package var line: Int
  /// A clause without its full stop.
  package var message: String
}
