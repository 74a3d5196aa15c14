/// Quantities with units, as users write them in pipeline files and options.
package enum Units {
  /// A number and a unit of the table, with or without a blank between them: `64MB`, `1.5 h`. Nil
  /// for other text, for negative numbers, and for values that are too large.
  private static func parse(_ text: String, _ units: [String: Double]) -> Double? {
    let digits = text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
    let unit = text.dropFirst(digits.count).drop { $0 == " " }
    guard digits.first != ".", digits.last != ".", let value = Double(digits),
      // Below 2^53, so that the conversion to an integer is exact and cannot trap.
      let factor = units[String(unit)], value * factor < 9e15
    else { return nil }
    return value * factor
  }

  /// `15s`, `2m`, `500ms`, `1h`, `30d`.
  package static func duration(_ text: String) -> Duration? {
    parse(text, ["ms": 1, "s": 1_000, "m": 60_000, "h": 3_600_000, "d": 86_400_000])
      .map { .milliseconds(Int($0)) }
  }

  /// `64MB`: bytes, with decimal (kB, MB, GB) or binary (KiB, MiB, GiB) multiples.
  package static func bytes(_ text: String) -> Int? {
    parse(
      text,
      [
        "": 1, "B": 1, "kB": 1e3, "KB": 1e3, "MB": 1e6, "GB": 1e9, "KiB": 1024, "MiB": 1_048_576,
        "GiB": 1_073_741_824,
      ]
    ).map { Int($0) }
  }

  /// `812 B`, `3.4 MB`: decimal multiples, three digits at most before the unit.
  package static func text(bytes count: Int) -> String {
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

  /// One decimal below a hundred, none above.
  package static func decimal(_ value: Double) -> String {
    if value >= 99.95 { return String(Int(value.rounded())) }
    let tenths = Int((value * 10).rounded())
    return "\(tenths / 10).\(tenths % 10)"
  }

  /// `1KB/s`: bytes per second.
  package static func rate(_ text: String) -> Int? {
    text.hasSuffix("/s") ? bytes(String(text.dropLast(2))) : nil
  }

  /// `100MP`, or a plain number of pixels.
  package static func pixels(_ text: String) -> Int? {
    parse(text, ["": 1, "kP": 1e3, "MP": 1e6, "GP": 1e9]).map { Int($0) }
  }

  /// `90%`: a number from 0 to 100.
  package static func percentage(_ text: String) -> Double? {
    text.hasSuffix("%")
      ? parse(String(text.dropLast()), ["": 1]).flatMap { $0 <= 100 ? $0 : nil } : nil
  }

  /// `90%`: as the user wrote it.
  package static func text(percentage: Double) -> String {
    percentage == percentage.rounded() ? "\(Int(percentage))%" : "\(percentage)%"
  }

  /// The size of a slot in points: `36x36`, `180x` (free height), `x200` (free width).
  package static func slotSize(_ text: String) -> (width: Int?, height: Int?)? {
    let parts = text.split(separator: "x", omittingEmptySubsequences: false)
    guard parts.count == 2, !(parts[0].isEmpty && parts[1].isEmpty) else { return nil }
    var sides: [Int?] = []
    for part in parts {
      if part.isEmpty {
        sides.append(nil)
      } else {
        // `Int` accepts a sign, which no size has.
        guard part.allSatisfy({ $0.isASCII && $0.isNumber }), let side = Int(part) else {
          return nil
        }
        sides.append(side)
      }
    }
    return (sides[0], sides[1])
  }
}

extension Units {
  /// A duration as a pipeline file has it, with the largest unit that divides it: `2m`.
  package static func written(_ duration: Duration) -> String {
    let (seconds, rest) = duration.components
    let milliseconds = Int(seconds) * 1_000 + Int(rest / 1_000_000_000_000_000)
    for (factor, unit) in [(86_400_000, "d"), (3_600_000, "h"), (60_000, "m"), (1_000, "s")]
    where milliseconds > 0 && milliseconds.isMultiple(of: factor) {
      return "\(milliseconds / factor)\(unit)"
    }
    return milliseconds == 0 ? "0s" : "\(milliseconds)ms"
  }
}
