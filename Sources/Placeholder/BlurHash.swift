internal import Glibc

/// BlurHash, after Wolt's description of it: a text of some 30 characters for a blurred picture. It has no
/// alpha, so what is translucent is laid on white.
package enum BlurHash {
  /// The hash of a picture, of four by three components, the four along the longer side.
  package static func encode(_ picture: Thumbnail) -> String {
    let isTall = picture.height > picture.width
    return encode(picture, across: isTall ? 3 : 4, down: isTall ? 4 : 3)
  }

  /// - Parameters: components, 1 to 9 each way.
  package static func encode(_ picture: Thumbnail, across: Int, down: Int) -> String {
    let light = linear(picture)
    var factors: [[Double]] = []
    for y in 0..<down {
      for x in 0..<across { factors.append(factor(light, of: picture, x, y)) }
    }
    var text = base83((across - 1) + (down - 1) * 9, digits: 1)
    let largest = factors.dropFirst().flatMap(\.self).map(abs).max() ?? 0
    let step = max(0, min(82, Int((largest * 166 - 0.5).rounded(.down))))
    let scale = factors.count > 1 ? Double(step + 1) / 166 : 1
    text += base83(factors.count > 1 ? step : 0, digits: 1)
    text += base83(factors[0].reduce(0) { $0 << 8 | stored($1) }, digits: 4)
    for factor in factors.dropFirst() {
      let steps = factor.map { value in
        let root = (abs(value) / scale).squareRoot()
        return max(0, min(18, Int(((value < 0 ? -root : root) * 9 + 9.5).rounded(.down))))
      }
      text += base83(steps[0] * 19 * 19 + steps[1] * 19 + steps[2], digits: 2)
    }
    return text
  }

  /// Red, green and blue of each pixel as light, 0 to 1.
  private static func linear(_ picture: Thumbnail) -> [Double] {
    let light = (0..<256).map { value in
      let part = Double(value) / 255
      return part <= 0.04045 ? part / 12.92 : pow((part + 0.055) / 1.055, 2.4)
    }
    return (0..<picture.width * picture.height).flatMap { pixel in
      let alpha = Int(picture.samples[pixel * 4 + 3])
      return (0..<3).map { channel in
        let sample = Int(picture.samples[pixel * 4 + channel])
        return light[(sample * alpha + 255 * (255 - alpha) + 127) / 255]
      }
    }
  }

  private static func factor(
    _ light: [Double], of picture: Thumbnail, _ x: Int, _ y: Int
  ) -> [Double] {
    let (width, height) = (picture.width, picture.height)
    let row = (0..<width).map { cos(.pi * Double(x) * Double($0) / Double(width)) }
    var sums = [0.0, 0.0, 0.0]
    for line in 0..<height {
      let column = cos(.pi * Double(y) * Double(line) / Double(height))
      for place in 0..<width {
        let basis = row[place] * column
        let pixel = (place + line * width) * 3
        for channel in 0..<3 { sums[channel] += basis * light[pixel + channel] }
      }
    }
    let norm = (x == 0 && y == 0 ? 1.0 : 2.0) / Double(width * height)
    return sums.map { $0 * norm }
  }

  /// Light as an 8-bit sample of sRGB.
  private static func stored(_ light: Double) -> Int {
    let value = max(0, min(1, light))
    return value <= 0.0031308
      ? Int(value * 12.92 * 255 + 0.5) : Int((1.055 * pow(value, 1 / 2.4) - 0.055) * 255 + 0.5)
  }

  private static let digits = Array(
    "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz#$%*+,-.:;=?@[]^_{|}~")

  private static func base83(_ value: Int, digits count: Int) -> String {
    var rest = value
    var text = ""
    for _ in 0..<count {
      text = String(digits[rest % 83]) + text
      rest /= 83
    }
    return text
  }
}
