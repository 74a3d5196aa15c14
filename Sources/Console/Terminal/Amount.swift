/// Quantities as the command prints them.
package enum Amount {
  /// `812 B`, `3.4 MB`: decimal multiples, three digits at most before the unit.
  package static func bytes(_ count: Int) -> String {
    let units = ["B", "kB", "MB", "GB", "TB"]
    var value = Double(count)
    var unit = 0
    // From 999.5 on, the value would be printed as 1000.
    while value >= 999.5, unit < units.count - 1 {
      value /= 1000
      unit += 1
    }
    return unit == 0 ? "\(count) B" : "\(decimal(value)) \(units[unit])"
  }

  /// `0.8 s`, `2 min 5 s`, `1 h 3 min`.
  package static func seconds(_ seconds: Double) -> String {
    let whole = Int(seconds.rounded())
    if whole >= 3600 { return "\(whole / 3600) h \(whole % 3600 / 60) min" }
    if whole >= 60 { return "\(whole / 60) min \(whole % 60) s" }
    return "\(decimal(seconds)) s"
  }

  /// Rounded down: `40 s`, `5 min`, `3 h 20 min`, `2 d 5 h`.
  package static func age(_ seconds: Double) -> String {
    let whole = Int(seconds)
    if whole >= 86_400 { return "\(whole / 86_400) d \(whole % 86_400 / 3600) h" }
    if whole >= 3600 { return "\(whole / 3600) h \(whole % 3600 / 60) min" }
    return whole >= 60 ? "\(whole / 60) min" : "\(whole) s"
  }

  /// `1 file`, `2 files`.
  ///
  /// - Parameter plural: nil for the noun with an s.
  package static func count(_ number: Int, _ noun: String, _ plural: String? = nil) -> String {
    "\(number) \(number == 1 ? noun : plural ?? noun + "s")"
  }

  /// A share of 1 in per cent: `12.3 %`.
  package static func percent(_ share: Double) -> String { "\(decimal(share * 100)) %" }

  /// One decimal below a hundred, none above.
  private static func decimal(_ value: Double) -> String {
    if value >= 99.95 { return String(Int(value.rounded())) }
    let tenths = Int((value * 10).rounded())
    return "\(tenths / 10).\(tenths % 10)"
  }
}
