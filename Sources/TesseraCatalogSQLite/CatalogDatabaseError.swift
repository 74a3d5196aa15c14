/// Why a database of a catalog can't be used.
public struct CatalogDatabaseError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The database's file.
  public var path: String
  /// What is wrong with it.
  public var reason: String

  public var description: String { "\"\(path)\": \(reason)" }
}
