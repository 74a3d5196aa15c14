/// Why a catalog can't be read.
public struct CatalogError: Error, Sendable, Equatable, CustomStringConvertible {
  /// Where in the document, from 1; a column is a byte.
  public var line: Int
  public var column: Int
  /// Which member: `images[3].variants[0].width`. Empty where the document itself is meant.
  public var member: String
  /// What was expected, and what was found: a clause.
  public var message: String

  public init(line: Int, column: Int, member: String, message: String) {
    self.line = line
    self.column = column
    self.member = member
    self.message = message
  }

  /// `line 7, column 12: images[3].width: expected a whole number, found "wide"`.
  public var description: String {
    "line \(line), column \(column): \(member.isEmpty ? "" : "\(member): ")\(message)"
  }
}
