/// Which earlier catalogs an output keeps.
package struct CatalogRetention: Sendable, Equatable {
  /// How many beside the current one.
  package var count: Int
  /// How long after it was replaced each of them is kept, in seconds.
  package var age: Double

  /// For how many of them there are changes that lead to the current one.
  package var changes: Int

  package init(count: Int, age: Double, changes: Int = 0) {
    (self.count, self.age, self.changes) = (count, age, changes)
  }

  /// How long `prune` lets an unnamed file stay by default, in seconds.
  package static let pruneGrace = 7.0 * 86_400

  /// The default of pipeline files.
  static let usualAge = 7.0 * 86_400
}
