/// Columns of plain text: words are aligned left, numbers right.
enum TextTable {
  /// The lines of a table, the heading first, without blanks at their ends.
  ///
  /// A column is aligned right if each of its cells is empty or begins with a digit.
  ///
  /// - Precondition: each row has as many cells as the heading.
  static func lines(_ heading: [String], _ rows: [[String]]) -> [String] {
    let all = [heading] + rows
    let widths = heading.indices.map { column in all.map { $0[column].count }.max() ?? 0 }
    let isNumber = heading.indices.map { column in
      rows.allSatisfy { $0[column].first?.isNumber ?? true }
    }
    return all.map { row in
      let cells = row.indices.map { column in
        isNumber[column]
          ? row[column].padded(to: widths[column], .left)
          : row[column].padded(to: widths[column])
      }
      let line = cells.joined(separator: "  ")
      return String(line.reversed().drop { $0 == " " }.reversed())
    }
  }
}

extension String {
  enum Side { case left, right }

  /// The text with blanks added on one side, at least `width` characters wide.
  func padded(to width: Int, _ side: Side = .right) -> String {
    let blanks = String(repeating: " ", count: max(0, width - count))
    return side == .left ? blanks + self : self + blanks
  }
}
