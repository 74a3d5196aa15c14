/// A sum over the items of a stretch and their places in it, made while they are claimed. The lines of the catalog must have
/// the same one: an index of the state that is damaged may return an item twice, and another one never.
package struct StretchSum: Sendable, Equatable {
  /// Items of a stretch at most.
  package static let most = 64

  package private(set) var count = 0
  private(set) var sum = 0

  package init() {}

  init(count: Int, sum: Int) { (self.count, self.sum) = (count, sum) }

  package mutating func add(_ id: String) {
    sum &+= RecordMark.of(id, [.int(count)])
    count += 1
  }
}

/// A sum over the stretches of a run and their positions, in any order.
package struct ClaimSum: Sendable, Equatable {
  private var sum = 0

  package init() {}

  package mutating func add(_ stretch: StretchSum, at position: Int) {
    if stretch.count == 0 { return }
    sum &+= RecordMark.of("", [.int(position), .int(stretch.count), .int(stretch.sum)])
  }
}
