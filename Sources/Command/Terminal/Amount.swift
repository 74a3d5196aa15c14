internal import TesseraText

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
