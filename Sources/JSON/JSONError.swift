/// Why a text is not JSON, and where.
package struct JSONError: Error, Equatable, Sendable {
  /// Bytes from the start of the text.
  package var offset: Int
  /// A clause that fits after a colon: `expected a value, found "}"`.
  package var message: String

  package init(offset: Int, message: String) {
    self.offset = offset
    self.message = message
  }
}
