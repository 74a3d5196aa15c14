internal import Glibc

/// A colour and six lightnesses in 24 bits, from which a style sheet alone draws a blurred image.
///
/// A rule of CSS takes the number apart with `mod()` and `round()` (CSS Values 4), so a page needs neither a `data:` URL nor
/// a script. From the lowest bits: the lightnesses of two rows of three cells above the lowest one, two bits each; then, in
/// Oklab (CSS Color 4), four bits each, b and a of the whole and the lowest lightness. 24 bits are what a single-precision
/// number holds.
package enum CSSPlaceholder {
  package static let columns = 3
  package static let rows = 2
  /// Of the lowest lightness, 0 to 1.
  package static let lightnessStep = 1.0 / 15
  /// Of a and b, whose middle, no colour, is at ``neutral``.
  package static let colourStep = 0.04
  package static let neutral = 7.0
  /// Of a cell's lightness: the cells have 0 to 3 of it.
  package static let cellStep = 0.1

  /// Pixels count by their alpha; of a fully transparent image it is a middle grey.
  package static func encode(_ image: Thumbnail) -> Int {
    var cells = [Sum](repeating: Sum(), count: columns * rows)
    for y in 0..<image.height {
      for x in 0..<image.width {
        let cell = y * rows / image.height * columns + x * columns / image.width
        cells[cell].add(image.samples[((y * image.width + x) * 4)...].prefix(4))
      }
    }
    var whole = Sum()
    for cell in cells { whole.add(cell) }
    let lightnesses = cells.map { ($0.weight > 0 ? $0 : whole).mean.lightness }
    let lowest = (0...15).min { error(lightnesses, above: $0) < error(lightnesses, above: $1) } ?? 0
    var number = lowest
    number = number << 4 | level(whole.mean.a / colourStep + neutral, 15)
    number = number << 4 | level(whole.mean.b / colourStep + neutral, 15)
    for lightness in lightnesses.reversed() {
      number = number << 2 | steps(lightness, above: lowest)
    }
    return number
  }

  /// Whether a text is a number that ``encode(_:)`` returns.
  static func isNumber(_ text: String) -> Bool {
    Int(text).map { (0..<1 << 24).contains($0) && String($0) == text } ?? false
  }

  private static func steps(_ lightness: Double, above lowest: Int) -> Int {
    level((lightness - Double(lowest) * lightnessStep) / cellStep, 3)
  }

  /// The squares of what cells lose.
  private static func error(_ lightnesses: [Double], above lowest: Int) -> Double {
    lightnesses.reduce(0) { sum, lightness in
      let kept =
        Double(lowest) * lightnessStep + Double(steps(lightness, above: lowest)) * cellStep
      return sum + (lightness - kept) * (lightness - kept)
    }
  }

  private static func level(_ value: Double, _ most: Double) -> Int {
    Int(min(max(0, value.rounded()), most))
  }

  /// Colours in Oklab, weighted by their alpha.
  private struct Sum {
    private(set) var weight = 0.0
    private var (lightness, a, b) = (0.0, 0.0, 0.0)

    mutating func add(_ pixel: ArraySlice<UInt8>) {
      let start = pixel.startIndex
      let linear = pixel.prefix(3).map { sample in
        let value = Double(sample) / 255  // sRGB (IEC 61966-2-1)
        return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
      }
      let alpha = Double(pixel[start + 3])
      // The matrices of Oklab (B. Ottosson, 2020).
      let (red, green, blue) = (linear[0], linear[1], linear[2])
      let l = cbrt(0.4122214708 * red + 0.5363325363 * green + 0.0514459929 * blue)
      let m = cbrt(0.2119034982 * red + 0.6806995451 * green + 0.1073969566 * blue)
      let s = cbrt(0.0883024619 * red + 0.2817188376 * green + 0.6299787005 * blue)
      weight += alpha
      lightness += alpha * (0.2104542553 * l + 0.7936177850 * m - 0.0040720468 * s)
      a += alpha * (1.9779984951 * l - 2.4285922050 * m + 0.4505937099 * s)
      b += alpha * (0.0259040371 * l + 0.7827717662 * m - 0.8086757660 * s)
    }

    mutating func add(_ other: Sum) {
      weight += other.weight
      lightness += other.lightness
      a += other.a
      b += other.b
    }

    var mean: (lightness: Double, a: Double, b: Double) {
      weight > 0 ? (lightness / weight, a / weight, b / weight) : (0.5, 0, 0)
    }
  }
}
