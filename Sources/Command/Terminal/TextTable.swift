internal import TesseraText

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

/// Quantities as the command prints them.
enum Amount {
  /// `812 B`, `3.4 MB`: decimal multiples, three digits at most before the unit.
  static func bytes(_ count: Int) -> String { Units.text(bytes: count) }

  /// `0.8 s`, `2 min 5 s`, `1 h 3 min`.
  static func seconds(_ seconds: Double) -> String {
    let whole = Int(seconds.rounded())
    if whole >= 3600 { return "\(whole / 3600) h \(whole % 3600 / 60) min" }
    if whole >= 60 { return "\(whole / 60) min \(whole % 60) s" }
    return "\(Units.decimal(seconds)) s"
  }

  /// Rounded down: `40 s`, `5 min`, `3 h 20 min`, `2 d 5 h`.
  static func age(_ seconds: Double) -> String {
    let whole = Int(seconds)
    if whole >= 86_400 { return "\(whole / 86_400) d \(whole % 86_400 / 3600) h" }
    if whole >= 3600 { return "\(whole / 3600) h \(whole % 3600 / 60) min" }
    return whole >= 60 ? "\(whole / 60) min" : "\(whole) s"
  }

  /// `1 file`, `2 files`.
  ///
  /// - Parameter plural: nil for the noun with an s.
  static func count(_ number: Int, _ noun: String, _ plural: String? = nil) -> String {
    "\(number) \(number == 1 ? noun : plural ?? noun + "s")"
  }

  /// A share of 1 in per cent: `12.3 %`.
  static func percent(_ share: Double) -> String { "\(Units.decimal(share * 100)) %" }
}
