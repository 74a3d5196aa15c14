internal import TesseraText

/// Whether a list says that the product of a row is published, so that no image of a draft becomes public.
///
/// Shopify says it in the first row of a product, and the rows of its other images follow.
struct Publication: Sendable {
  /// What shop systems write, in lower case.
  private static let published: Set = [
    "true", "yes", "y", "1", "on", "active", "published", "publish", "enabled", "visible", "live",
  ]
  private static let unpublished: Set = [
    "false", "no", "n", "0", "-1", "2", "off", "inactive", "unpublished", "draft", "archived",
    "unlisted", "private", "pending", "scheduled", "future", "disabled", "hidden", "trash",
  ]

  private var last: (id: String?, isPublished: Bool)?
  /// Whether a row could not be read that may have been the one that says it.
  private var isLost = false

  /// To be called for a row that can't be read. Rows that say nothing are not published then, until one says something.
  mutating func loseRow() { (last, isLost) = (nil, true) }

  /// - Parameters:
  ///   - id: of the row; nil if it has none.
  ///   - words: those of the row, all of which have to say that it is published. Without any, it is as the row before is, if that
  ///     has the same id or this row has none, and otherwise published.
  /// - Throws: for a word that says neither.
  mutating func isPublished(
    _ id: String?, _ words: [String], line: Int
  ) throws(ManifestProblem) -> Bool {
    let isPublished: Bool?
    do throws(ManifestProblem) {
      isPublished = try Self.isPublished(words, line: line)
    } catch {
      last = (id, false)
      throw error
    }
    let carried = id == nil || Identifier(last?.id) == Identifier(id) ? last?.isPublished : nil
    if isPublished != nil { isLost = false }
    let result = isPublished ?? carried ?? !isLost
    last = (id, result)
    return result
  }

  /// What words say by themselves; nil for none.
  ///
  /// - Throws: for a word that says neither.
  static func isPublished(_ words: [String], line: Int) throws(ManifestProblem) -> Bool? {
    var isPublished: Bool?
    for word in words.map({ $0.trimmed.lowercased() }) where !word.isEmpty {
      if unpublished.contains(word) {
        isPublished = false
      } else if published.contains(word) {
        isPublished = isPublished ?? true
      } else {
        throw ManifestProblem(
          line: line,
          message:
            "\"\(word.prefix(40))\" does not say whether it is published; expected a word such as true, active, false or draft"
        )
      }
    }
    return isPublished
  }
}
