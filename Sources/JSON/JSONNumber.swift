/// Numbers of JSON texts.
package enum JSONNumber {
  /// A number as ECMAScript's Number::toString writes it (ECMA-262, section 6.1.6.1.20).
  ///
  /// Swift and ECMAScript both write the shortest digits that identify the Double. They differ in
  /// where they put the decimal point and when they use an exponent.
  package static func text(of number: Double) -> String {
    guard number.isFinite else { return "null" }
    // Also for -0: ECMAScript writes both as 0.
    if number == 0 { return "0" }
    if number < 0 { return "-" + text(of: -number) }
    let parts = "\(number)".split(separator: "e")
    let mantissa = parts[0].split(separator: ".", omittingEmptySubsequences: false)
    let fraction = mantissa.count > 1 && mantissa[1] != "0" ? mantissa[1] : ""
    var digits = Array((mantissa[0] + fraction).utf8)
    // The value is 0.DIGITS times ten to this power.
    var point = mantissa[0].utf8.count + (parts.count > 1 ? Int(parts[1]) ?? 0 : 0)
    while digits.first == UInt8(ascii: "0") {
      digits.removeFirst()
      point -= 1
    }
    while digits.last == UInt8(ascii: "0") { digits.removeLast() }
    let text = String(decoding: digits, as: UTF8.self)
    func zeros(_ count: Int) -> String { String(repeating: "0", count: count) }
    // 21 and -5 are the limits of ECMA-262, beyond which it uses an exponent.
    switch point {
    case digits.count...21 where point >= digits.count: return text + zeros(point - digits.count)
    case 1...21: return "\(text.prefix(point)).\(text.dropFirst(point))"
    case -5...0: return "0.\(zeros(-point))\(text)"
    default:
      let exponent = point - 1
      let (first, rest) = (text.prefix(1), text.dropFirst())
      return "\(first)\(rest.isEmpty ? "" : ".")\(rest)e\(exponent < 0 ? "-" : "+")\(abs(exponent))"
    }
  }
}
