/// A text that names something: the id of an image, a URL, a path. Identifiers are equal if their bytes are.
///
/// Strings compare by canonical equivalence instead: U+00E9 equals U+0065 U+0301, and U+212A equals "K". Manifests, servers and
/// file systems treat these as two. Ids, URLs and paths are the keys of dictionaries and the elements of sets as
/// identifiers, and are compared with ``Swift/StringProtocol/isSame(as:)`` and ``Swift/StringProtocol/begins(with:)``.
package struct Identifier: Hashable, Comparable, Sendable, ExpressibleByStringLiteral {
  package let text: String

  package init(_ text: String) { self.text = text }

  package init(stringLiteral text: String) { self.text = text }

  /// Nil for nil.
  package init?(_ text: String?) {
    guard let text else { return nil }
    self.text = text
  }

  package static func == (one: Identifier, other: Identifier) -> Bool {
    one.text.isSame(as: other.text)
  }

  /// The order of the bytes, which is that of the code points.
  package static func < (one: Identifier, other: Identifier) -> Bool {
    one.text.utf8.lexicographicallyPrecedes(other.text.utf8)
  }

  package func hash(into hasher: inout Hasher) {
    // All bytes at once: one by one they take most of the time of a lookup.
    var text = text
    text.withUTF8 { bytes in unsafe hasher.combine(bytes: UnsafeRawBufferPointer(bytes)) }
  }
}

extension StringProtocol {
  /// Whether both have the same bytes.
  package func isSame(as other: some StringProtocol) -> Bool {
    utf8.count == other.utf8.count && utf8.elementsEqual(other.utf8)
  }

  /// Whether the bytes begin with those of another text.
  package func begins(with start: some StringProtocol) -> Bool { utf8.starts(with: start.utf8) }
}

extension Sequence where Element: StringProtocol {
  /// In the order of their bytes, so that it does not depend on the order in which they come.
  package func inByteOrder() -> [Element] {
    sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }
}

extension Set<Identifier> {
  package init(of texts: some Sequence<String>) { self.init(texts.map { Identifier($0) }) }

  package func contains(_ text: String) -> Bool { contains(Identifier(text)) }

  /// Returns whether the text was not there.
  @discardableResult
  package mutating func insert(_ text: String) -> Bool { insert(Identifier(text)).inserted }

  /// The texts in the order of their bytes.
  package var texts: [String] { map(\.text).inByteOrder() }
}

extension Dictionary where Key == Identifier {
  package subscript(text: String) -> Value? {
    get { self[Identifier(text)] }
    set { self[Identifier(text)] = newValue }
  }

  package subscript(text: String, default value: @autoclosure () -> Value) -> Value {
    get { self[Identifier(text), default: value()] }
    set { self[Identifier(text)] = newValue }
  }
}
