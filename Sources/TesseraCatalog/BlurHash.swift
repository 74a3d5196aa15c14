#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

/// BlurHash, after Wolt's description of it: a text of some 30 characters for a blurred picture.
public enum BlurHash {
  /// The picture that a hash stands for; nil where it is no hash, or where a side is not from 1 to 1,024.
  ///
  /// A hash does not know its picture's shape: that is the app's, from the catalog.
  public static func decode(_ hash: String, width: Int, height: Int) -> PlaceholderPixels? {
    let digits = hash.utf8.map { Self.values[Int($0)] }
    guard digits.count >= 6, !digits.contains(-1), (1...1024).contains(width),
      (1...1024).contains(height)
    else { return nil }
    let (across, down) = (digits[0] % 9 + 1, digits[0] / 9 + 1)
    guard digits[0] < 81, digits.count == 4 + 2 * across * down else { return nil }
    let scale = Double(digits[1] + 1) / 166
    let average = digits[2..<6].reduce(0) { $0 * 83 + $1 }
    guard average < 1 << 24 else { return nil }
    var factors = [
      [linear(average >> 16), linear(average >> 8 & 255), linear(average & 255)]
    ]
    for start in stride(from: 6, to: digits.count, by: 2) {
      let value = digits[start] * 83 + digits[start + 1]
      guard value < 19 * 19 * 19 else { return nil }
      factors.append(
        [value / 361, value / 19 % 19, value % 19].map { step in
          let part = (Double(step) - 9) / 9
          return (part < 0 ? -part * part : part * part) * scale
        })
    }
    let columns = cosines(width, count: across)
    let rows = cosines(height, count: down)
    var samples: [UInt8] = []
    samples.reserveCapacity(width * height * 4)
    for y in 0..<height {
      for x in 0..<width {
        var light = [0.0, 0.0, 0.0]
        for j in 0..<down {
          for i in 0..<across {
            let basis = columns[x][i] * rows[y][j]
            for channel in 0..<3 { light[channel] += factors[i + j * across][channel] * basis }
          }
        }
        for channel in 0..<3 { samples.append(sample(light[channel])) }
        samples.append(255)
      }
    }
    return PlaceholderPixels(width: width, height: height, samples: samples)
  }

  private static func cosines(_ length: Int, count: Int) -> [[Double]] {
    (0..<length).map { place in
      (0..<count).map { cos(.pi * Double(place) * Double($0) / Double(length)) }
    }
  }

  /// A sample of sRGB as light, 0 to 1.
  private static func linear(_ sample: Int) -> Double {
    let part = Double(sample) / 255
    return part <= 0.04045 ? part / 12.92 : pow((part + 0.055) / 1.055, 2.4)
  }

  private static func sample(_ light: Double) -> UInt8 {
    let value = max(0, min(1, light))
    return UInt8(
      value <= 0.0031308
        ? value * 12.92 * 255 + 0.5 : (1.055 * pow(value, 1 / 2.4) - 0.055) * 255 + 0.5)
  }

  /// The value of each byte as a digit of base 83; -1 where it is none.
  private static let values: [Int] = {
    let digits =
      "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz#$%*+,-.:;=?@[]^_{|}~"
    var values = [Int](repeating: -1, count: 256)
    for (value, byte) in digits.utf8.enumerated() { values[Int(byte)] = value }
    return values
  }()
}
