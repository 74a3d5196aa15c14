/// A sum over the items of a run and their positions, made while they are claimed. The lines of the catalog must have
/// the same one: an index of the state that is damaged may return an item twice, and another one never.
package struct ClaimSum: Sendable, Equatable {
  private var sum = 0

  package init() {}

  /// In any order.
  package mutating func add(_ id: String, at position: Int) {
    sum &+= RecordMark.of(id, [.int(position)])
  }
}
