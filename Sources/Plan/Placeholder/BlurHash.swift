internal import Glibc

/// BlurHash, by Wolt's specification (github.com/woltapp/blurhash, Algorithm.md): a blurred image
/// in some 30 characters. It has no alpha, so the image is placed on white.
package enum BlurHash {
  /// The hash of an image with four by three components, the four along the longer side.
  package static func encode(_ image: Thumbnail) -> String {
    let isTall = image.height > image.width
    return encode(image, across: isTall ? 3 : 4, down: isTall ? 4 : 3)
  }

  /// - Parameters:
  ///   - across: the number of components horizontally, 1 to 9.
  ///   - down: the number of components vertically, 1 to 9.
  package static func encode(_ image: Thumbnail, across: Int, down: Int) -> String {
    let light = linear(image)
    var factors: [[Double]] = []
    for y in 0..<down {
      for x in 0..<across { factors.append(factor(light, of: image, x, y)) }
    }
    let (average, details) = (factors[0], factors.dropFirst())
    // The largest factor of the details, in steps of 1/166; the details are stored relative to it.
    let largest = details.flatMap(\.self).map(abs).max() ?? 0
    let step = max(0, min(82, Int((largest * 166 - 0.5).rounded(.down))))
    let scale = Double(step + 1) / 166
    var text = base83((across - 1) + (down - 1) * 9, digits: 1)
    text += base83(details.isEmpty ? 0 : step, digits: 1)
    text += base83(average.reduce(0) { $0 << 8 | stored($1) }, digits: 4)
    for factor in details {
      let steps = factor.map { quantized($0 / scale) }
      text += base83(steps[0] * 19 * 19 + steps[1] * 19 + steps[2], digits: 2)
    }
    return text
  }

  /// A factor from -1 to 1 in 19 steps, finer around 0.
  private static func quantized(_ value: Double) -> Int {
    let root = abs(value).squareRoot()
    return max(0, min(18, Int(((value < 0 ? -root : root) * 9 + 9.5).rounded(.down))))
  }

  /// Red, green and blue of each pixel as linear light from 0 to 1 (IEC 61966-2-1, sRGB).
  private static func linear(_ image: Thumbnail) -> [Double] {
    let light = (0..<256).map { value in
      let part = Double(value) / 255
      return part <= 0.04045 ? part / 12.92 : pow((part + 0.055) / 1.055, 2.4)
    }
    var values: [Double] = []
    values.reserveCapacity(image.width * image.height * 3)
    for pixel in 0..<image.width * image.height {
      let alpha = Int(image.samples[pixel * 4 + 3])
      for channel in 0..<3 {
        let sample = Int(image.samples[pixel * 4 + channel])
        // Place the pixel on white, rounded to the nearest sample.
        values.append(light[(sample * alpha + 255 * (255 - alpha) + 127) / 255])
      }
    }
    return values
  }

  /// The factors of one basis function, a product of two cosines, for the three channels.
  private static func factor(
    _ light: [Double], of image: Thumbnail, _ x: Int, _ y: Int
  ) -> [Double] {
    let (width, height) = (image.width, image.height)
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
    // By the specification the average has weight 1, the other factors 2.
    let norm = (x == 0 && y == 0 ? 1.0 : 2.0) / Double(width * height)
    return sums.map { $0 * norm }
  }

  /// Linear light as an 8-bit sample of sRGB.
  private static func stored(_ light: Double) -> Int {
    let value = max(0, min(1, light))
    return value <= 0.0031308
      ? Int(value * 12.92 * 255 + 0.5) : Int((1.055 * pow(value, 1 / 2.4) - 0.055) * 255 + 0.5)
  }

  /// The alphabet of the specification.
  private static let digits = Array(
    "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz#$%*+,-.:;=?@[]^_{|}~")

  /// Whether an ASCII character is one of the alphabet.
  static func isDigit(_ byte: UInt8) -> Bool { digits.contains(Character(UnicodeScalar(byte))) }

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
