/// Why a catalog cannot be read, and where.
public struct CatalogError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The place in the document. Lines and columns count from 1; a column is one byte.
  public var line: Int
  /// In bytes from the start of the line, from 1.
  public var column: Int
  /// The path to the member: `images[3].variants[0].width`. Empty for the document itself.
  public var member: String
  /// What was expected, and what was found: a clause.
  public var message: String

  /// An error at a place of a document.
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
