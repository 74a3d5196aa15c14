/// Reads JSON (RFC 8259) from bytes straight into the caller's values.
///
/// The scanner builds no tree: catalogs are large, and an app reads one while its user waits.
/// ``JSONParser`` builds a tree on top of it. Each call reads one value, or one piece of
/// punctuation, and skips the white space before it.
package struct JSONScanner {
  /// A failure at a byte. The caller converts the offset to a line and a column.
  package struct Failure: Error {
    package var offset: Int
    /// The names and indices that lead to the value, innermost first.
    package var path: [String] = []
    /// A clause that fits after a colon: `expected a value, found "}"`.
    package var message: String

    package init(offset: Int, message: String) {
      self.offset = offset
      self.message = message
    }

    package init(duplicate name: String, at offset: Int) {
      self.init(offset: offset, message: "duplicate member \"\(name)\"")
    }

    /// The same failure, one level further out.
    package func within(_ name: String) -> Failure {
      var outer = self
      outer.path.append(name)
      return outer
    }

    /// The path as one text: `images[3].variants[0].width`.
    package var member: String {
      path.reversed().reduce("") { member, name in
        name.hasPrefix("[") || member.isEmpty ? member + name : "\(member).\(name)"
      }
    }
  }

  /// What the next value is. A word is consumed when it is recognized.
  package enum Kind {
    case object, array, string, number, null
    case bool(Bool)
  }

  /// The deepest nesting that is read. Texts of 100,000 brackets exist to exhaust the stack of a
  /// recursive reader like this one; no known manifest or catalog nests deeper than ten levels.
  package static let maximumDepth = 64

  let bytes: [UInt8]
  let end: Int
  /// The next byte to read.
  package internal(set) var offset: Int

  /// Reads a whole text.
  package init(_ bytes: [UInt8]) { self.init(bytes, 0..<bytes.count) }

  /// Reads a part of a text. Offsets count from the start of the whole text.
  package init(_ bytes: [UInt8], _ range: Range<Int>) {
    self.bytes = bytes
    offset = range.lowerBound
    end = range.upperBound
  }
}
