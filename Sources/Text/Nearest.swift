/// Finds the known word that a mistyped one probably means.
package enum Nearest {
  /// The candidate with the fewest changed, added, missing or swapped letters; nil if that number
  /// is over a third of the word's length (over one for short words).
  package static func match(to word: String, among candidates: [String]) -> String? {
    // With more changes than this, the words have little in common.
    let limit = max(1, word.count / 3)
    let distances = candidates.map { ($0, distance(word.lowercased(), $0.lowercased())) }
    guard let best = distances.min(by: { $0.1 < $1.1 }), best.1 <= limit else { return nil }
    return best.0
  }

  /// ` (did you mean "slots"?)`, or an empty text.
  package static func hint(for word: String, among candidates: [String]) -> String {
    match(to: word, among: candidates).map { " (did you mean \"\($0)\"?)" } ?? ""
  }

  /// The optimal string alignment distance: Levenshtein's, with a swap of two neighbours as one
  /// change.
  static func distance(_ first: String, _ second: String) -> Int {
    let a = Array(first.unicodeScalars)
    let b = Array(second.unicodeScalars)
    var rows = [Array(0...b.count)]
    for i in a.indices {
      var row = [i + 1]
      for j in b.indices {
        var best = min(row[j] + 1, rows[i][j + 1] + 1, rows[i][j] + (a[i] == b[j] ? 0 : 1))
        if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] {
          best = min(best, rows[i - 1][j - 1] + 1)
        }
        row.append(best)
      }
      rows.append(row)
    }
    return rows[a.count][b.count]
  }
}
