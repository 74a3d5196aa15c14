/// Which earlier catalogs an output keeps.
package struct CatalogRetention: Sendable, Equatable {
  /// How many beside the current one.
  package var count: Int
  /// How long after it was replaced each of them is kept, in seconds.
  package var age: Double

  package init(count: Int, age: Double) { (self.count, self.age) = (count, age) }

  /// The default of pipeline files.
  static let usualAge = 7.0 * 86_400
}
