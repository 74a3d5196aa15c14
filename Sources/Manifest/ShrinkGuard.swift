internal import TesseraText

/// Notices that a manifest has lost many of its items: it was cut off at the end of a line, or an
/// export failed half-way. Nothing in such a file shows it, but the catalog would lose them. One that has
/// lost all of its items is never accepted unasked, however few they were.
package struct ShrinkGuard: Sendable {
  /// With fewer items before, the loss of one or two means nothing, whatever their share.
  private static let fewest = 100
  /// As many as have to be lost then.
  private static let fewestLost = 5
  /// The share from which on a loss that is accepted is worth a warning, in per cent.
  private static let noted = 10.0

  private let limit: Double
  private let before: Int
  private let isPart: Bool
  private let guardsFew: Bool

  /// - Parameters:
  ///   - limit: the share of items that may be lost, in per cent; at 100 all may.
  ///   - before: the number of items of the last completed run.
  ///   - isPart: whether these are the items of a shard, which may lose its few ones to nothing unusual.
  ///   - guardsFew: whether the loss of five counts, too, where there were fewer than a hundred.
  package init(limit: Double, before: Int, isPart: Bool = false, guardsFew: Bool = true) {
    (self.limit, self.before, self.isPart, self.guardsFew) = (limit, before, isPart, guardsFew)
  }

  /// Why a manifest with this number of items is not accepted: a clause without its full stop. Nil if it
  /// is.
  package func reason(toRejectItems count: Int) -> String? {
    let lost = before - count
    guard
      before >= Self.fewest
        || (before > 0 && !isPart && (count == 0 || guardsFew && lost >= Self.fewestLost)),
      Double(lost) * 100 > limit * Double(before)
    else { return nil }
    return
      "it has \(count) items and the last run had \(before), a loss of more than shrink-above: "
      + "\(Units.text(percentage: limit)); the last good catalog stands; if the manifest is complete, "
      + "accept it with run --allow-shrink"
  }

  /// What a person should know of a manifest with this number of items that is accepted: a clause. Nil for nothing.
  package func note(onItems count: Int) -> String? {
    let lost = before - count
    guard !isPart, lost >= Self.fewestLost, Double(lost) * 100 >= Self.noted * Double(before) else {
      return nil
    }
    return "the manifest has \(count) items and the last run had \(before): \(lost) fewer"
  }
}
