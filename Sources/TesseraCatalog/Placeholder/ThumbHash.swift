#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

/// Decodes ThumbHash (evanw.github.io/thumbhash): about 25 bytes for the average colour, the shape, a
/// blurred image and its alpha.
public enum ThumbHash {
  /// The image that a hash encodes. Nil if the bytes are not a ThumbHash.
  ///
  /// - Parameters:
  ///   - hash: the bytes. A catalog holds them in Base64, which ``CatalogPlaceholder/Kind/pixels(_:)`` accepts.
  ///   - side: the length of the longer side in pixels, 1 to 1000. The reference decoder draws 32; 10 are enough for an image
  ///     that is scaled up.
  public static func decode(_ hash: [UInt8], side: Int = 32) -> PlaceholderPixels? {
    guard let parts = Parts(hash) else { return nil }
    let side = Double(min(1000, max(1, side)))
    let ratio = Double(parts.across) / Double(parts.down)
    let width = max(1, Int((ratio > 1 ? side : side * ratio) + 0.5))
    let height = max(1, Int((ratio > 1 ? side / ratio : side) + 0.5))
    let columns = cosines(width, count: 7)
    let rows = cosines(height, count: 7)
    var samples: [UInt8] = []
    samples.reserveCapacity(width * height * 4)
    for y in 0..<height {
      for x in 0..<width {
        let luminance = parts.luminance.value(columns[x], rows[y])
        let yellow = parts.yellow.value(columns[x], rows[y])
        let red = parts.red.value(columns[x], rows[y])
        let alpha = parts.alpha?.value(columns[x], rows[y]) ?? 1
        // The inverse of the encoder: luminance is the mean of red, green and blue; yellow is the mean of
        // red and green minus blue; red is red minus green.
        let b = luminance - 2 / 3 * yellow
        let r = (3 * luminance - b + red) / 2
        let g = r - red
        for value in [r, g, b, alpha] { samples.append(UInt8(max(0, 255 * min(1, value)) + 0.5)) }
      }
    }
    return PlaceholderPixels(width: width, height: height, samples: samples)
  }

  private static func cosines(_ length: Int, count: Int) -> [[Double]] {
    (0..<length).map { place in
      (0..<count).map { cos(.pi / Double(length) * (Double(place) + 0.5) * Double($0)) }
    }
  }

  /// One plane of the image: a constant and the factors of its low-frequency cosines.
  private struct Channel {
    var constant: Double
    /// Each with the frequencies of its cosines.
    var factors: [(x: Int, y: Int, value: Double)] = []

    init(
      _ constant: Double, scale: Double, _ across: Int, _ down: Int, _ digits: inout Digits
    ) {
      self.constant = constant
      for y in 0..<down {
        var x = y == 0 ? 1 : 0
        // Only the triangle of low frequencies is stored.
        while x * down < across * (down - y) {
          // Four bits, 0 to 15, stand for -1 to 1.
          factors.append((x, y, (Double(digits.next()) / 7.5 - 1) * scale))
          x += 1
        }
      }
    }

    func value(_ column: [Double], _ row: [Double]) -> Double {
      // Each cosine counts twice, as in the reference decoder.
      factors.reduce(constant) { $0 + $1.value * column[$1.x] * row[$1.y] * 2 }
    }
  }

  /// The four-bit digits of the hash, the lower half of each byte first.
  private struct Digits {
    var bytes: ArraySlice<UInt8>
    var high: UInt8?
    var isShort = false

    mutating func next() -> UInt8 {
      if let high {
        self.high = nil
        return high
      }
      guard let byte = bytes.popFirst() else {
        isShort = true
        return 0
      }
      high = byte >> 4
      return byte & 15
    }
  }

  /// The fields of the header, and the planes.
  private struct Parts {
    /// The shape, as the number of cosines in each direction.
    var across: Int
    var down: Int
    var luminance: Channel
    var yellow: Channel
    var red: Channel
    var alpha: Channel?

    init?(_ hash: [UInt8]) {
      // The header has five bytes; a sixth follows if there is alpha.
      guard hash.count >= 5 else { return nil }
      let head = Int(hash[0]) | Int(hash[1]) << 8 | Int(hash[2]) << 16
      let shape = Int(hash[3]) | Int(hash[4]) << 8
      let hasAlpha = head >> 23 != 0
      let most = hasAlpha ? 5 : 7
      let isLandscape = shape >> 15 != 0
      (across, down) = isLandscape ? (most, shape & 7) : (shape & 7, most)
      // A damaged hash may state 0 components, by which the shape would be divided.
      guard across > 0, down > 0, !hasAlpha || hash.count >= 6 else { return nil }
      var digits = Digits(bytes: hash[(hasAlpha ? 6 : 5)...])
      luminance = Channel(
        Double(head & 63) / 63, scale: Double(head >> 18 & 31) / 31, max(3, across), max(3, down),
        &digits)
      // The reference decoder raises saturation by 1.25 to compensate for the coarse rounding.
      yellow = Channel(
        Double(head >> 6 & 63) / 31.5 - 1, scale: Double(shape >> 3 & 63) / 63 * 1.25, 3, 3,
        &digits)
      red = Channel(
        Double(head >> 12 & 63) / 31.5 - 1, scale: Double(shape >> 9 & 63) / 63 * 1.25, 3, 3,
        &digits)
      if hasAlpha {
        alpha = Channel(
          Double(hash[5] & 15) / 15, scale: Double(hash[5] >> 4) / 15, 5, 5, &digits)
      }
      if digits.isShort { return nil }
    }
  }
}
