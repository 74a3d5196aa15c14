/// A colour in sRGB, from 0 to 255 per channel.
package struct Colour: Sendable, Hashable, Codable {
  package var red: UInt8
  package var green: UInt8
  package var blue: UInt8

  package init(red: UInt8, green: UInt8, blue: UInt8) {
    self.red = red
    self.green = green
    self.blue = blue
  }

  package static var white: Colour { Colour(red: 255, green: 255, blue: 255) }

  /// Reads `#rgb` or `#rrggbb` (CSS Color 4, section 5.2); nil for any other text.
  package init?(hexadecimal text: String) {
    guard text.first == "#" else { return nil }
    let digits = text.dropFirst().map(\.hexDigitValue)
    let values = digits.compactMap(\.self)
    guard values.count == digits.count else { return nil }
    switch values.count {
    case 3:  // each digit counts twice: 0xF becomes 0xFF, which is 15 * 17
      self.init(
        red: UInt8(values[0] * 17), green: UInt8(values[1] * 17), blue: UInt8(values[2] * 17))
    case 6:
      self.init(
        red: UInt8(values[0] * 16 + values[1]), green: UInt8(values[2] * 16 + values[3]),
        blue: UInt8(values[4] * 16 + values[5]))
    default: return nil
    }
  }

  /// `#rrggbb`.
  package var hexadecimal: String {
    let digits = [red, green, blue].map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
    return "#" + digits.joined()
  }
}
