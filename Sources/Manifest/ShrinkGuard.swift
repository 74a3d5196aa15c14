internal import TesseraText

/// Notices that a manifest has lost many of its items: it was cut off at the end of a line, or an
/// export failed half-way. Nothing in such a file shows it, but the catalog would lose them. One that has
/// lost all of its items is never accepted unasked, however few they were.
package struct ShrinkGuard: Sendable {
  /// With fewer items before, a large share is a few of them, and means nothing.
  private static let fewest = 100

  private let limit: Double
  private let before: Int
  private let isPart: Bool

  /// - Parameters:
  ///   - limit: the share of items that may be lost, in per cent; at 100 all may.
  ///   - before: the number of items of the last completed run.
  ///   - isPart: whether these are the items of a shard, which may lose its few ones to nothing unusual.
  package init(limit: Double, before: Int, isPart: Bool = false) {
    (self.limit, self.before, self.isPart) = (limit, before, isPart)
  }

  /// Why a manifest with this number of items is not accepted: a clause without its full stop. Nil if it
  /// is.
  package func reason(toRejectItems count: Int) -> String? {
    guard before >= Self.fewest || (count == 0 && before > 0 && !isPart),
      Double(before - count) * 100 > limit * Double(before)
    else { return nil }
    return
      "it has \(count) items and the last run had \(before), a loss of more than shrink-above: "
      + "\(Units.text(percentage: limit)); the last good catalog stands; if the manifest is complete, "
      + "accept it with run --allow-shrink"
  }
}
