#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

/// Decodes BlurHash (github.com/woltapp/blurhash): about 30 characters for a blurred image.
public enum BlurHash {
  /// The image that a hash encodes, drawn at a size in pixels. Nil if the text is not a BlurHash, or if
  /// a side is not from 1 to 1,024.
  ///
  /// A BlurHash does not contain the image's shape. The app takes the shape from the catalog.
  public static func decode(_ hash: String, width: Int, height: Int) -> PlaceholderPixels? {
    let digits = hash.utf8.map { Self.values[Int($0)] }
    // Drawing costs up to 81 cosines per pixel; a blurred image needs no more than 1,024 a side.
    guard digits.count >= 6, !digits.contains(-1), (1...1024).contains(width),
      (1...1024).contains(height)
    else { return nil }
    let (across, down) = (digits[0] % 9 + 1, digits[0] / 9 + 1)
    // There are at most nine by nine components, fewer than a digit of base 83 can state.
    guard digits[0] < 81, digits.count == 4 + 2 * across * down else { return nil }
    // The format's constants: 2 x 83 for the maximum of the factors, and 19 levels per channel.
    let scale = Double(digits[1] + 1) / 166
    let average = digits[2..<6].reduce(0) { $0 * 83 + $1 }
    // Four digits of base 83 hold numbers of more than 24 bits.
    guard average < 1 << 24 else { return nil }
    var factors = [
      [linear(average >> 16), linear(average >> 8 & 255), linear(average & 255)]
    ]
    for start in stride(from: 6, to: digits.count, by: 2) {
      let value = digits[start] * 83 + digits[start + 1]
      // 19^3 is 6,859, and two digits hold up to 6,888.
      guard value < 19 * 19 * 19 else { return nil }
      factors.append(
        [value / 361, value / 19 % 19, value % 19].map { step in
          let part = (Double(step) - 9) / 9
          // The encoder stored signed square roots.
          return (part < 0 ? -part * part : part * part) * scale
        })
    }
    let samples = samples(
      factors, columns: cosines(width, count: across), rows: cosines(height, count: down))
    return PlaceholderPixels(width: width, height: height, samples: samples)
  }

  /// Sums the cosines at each pixel.
  private static func samples(
    _ factors: [[Double]], columns: [[Double]], rows: [[Double]]
  ) -> [UInt8] {
    var samples: [UInt8] = []
    samples.reserveCapacity(columns.count * rows.count * 4)
    for row in rows {
      for column in columns {
        var light = [0.0, 0.0, 0.0]
        for (j, down) in row.enumerated() {
          for (i, across) in column.enumerated() {
            let factor = factors[i + j * column.count]
            for channel in 0..<3 { light[channel] += factor[channel] * (across * down) }
          }
        }
        for channel in 0..<3 { samples.append(sample(light[channel])) }
        samples.append(255)
      }
    }
    return samples
  }

  private static func cosines(_ length: Int, count: Int) -> [[Double]] {
    (0..<length).map { place in
      (0..<count).map { cos(.pi * Double(place) * Double($0) / Double(length)) }
    }
  }

  /// An sRGB sample as linear light, 0 to 1 (IEC 61966-2-1).
  private static func linear(_ sample: Int) -> Double {
    let part = Double(sample) / 255
    return part <= 0.04045 ? part / 12.92 : pow((part + 0.055) / 1.055, 2.4)
  }

  /// Linear light as an sRGB sample.
  private static func sample(_ light: Double) -> UInt8 {
    let value = max(0, min(1, light))
    return UInt8(
      value <= 0.0031308
        ? value * 12.92 * 255 + 0.5 : (1.055 * pow(value, 1 / 2.4) - 0.055) * 255 + 0.5)
  }

  /// The value of each byte as a digit of base 83; -1 if the byte is not a digit.
  private static let values: [Int] = {
    let digits =
      "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz#$%*+,-.:;=?@[]^_{|}~"
    var values = [Int](repeating: -1, count: 256)
    for (value, byte) in digits.utf8.enumerated() { values[Int(byte)] = value }
    return values
  }()
}
