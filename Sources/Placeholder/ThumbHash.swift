internal import Glibc

/// ThumbHash, after Evan Wallace's definition of it: some 25 bytes for the average colour, the shape, a
/// blurred picture and its alpha.
package enum ThumbHash {
  /// The hash of a picture.
  package static func encode(_ picture: Thumbnail) -> [UInt8] {
    let count = picture.width * picture.height
    var average = [0.0, 0.0, 0.0]
    var opacity = 0.0
    for pixel in 0..<count {
      let alpha = Double(picture.samples[pixel * 4 + 3]) / 255
      for channel in 0..<3 {
        average[channel] += alpha / 255 * Double(picture.samples[pixel * 4 + channel])
      }
      opacity += alpha
    }
    if opacity > 0 { for channel in 0..<3 { average[channel] /= opacity } }

    // Luminance, yellow against blue, red against green, and alpha, laid on the average colour.
    var planes = [[Double]](repeating: [], count: 4)
    for pixel in 0..<count {
      let alpha = Double(picture.samples[pixel * 4 + 3]) / 255
      let colour = (0..<3).map { channel in
        average[channel] * (1 - alpha) + alpha / 255 * Double(picture.samples[pixel * 4 + channel])
      }
      planes[0].append((colour[0] + colour[1] + colour[2]) / 3)
      planes[1].append((colour[0] + colour[1]) / 2 - colour[2])
      planes[2].append(colour[0] - colour[1])
      planes[3].append(alpha)
    }

    let hasAlpha = opacity < Double(count)
    let most = Double(hasAlpha ? 5 : 7)
    let longer = Double(max(picture.width, picture.height))
    let across = max(1, rounded(most * Double(picture.width) / longer))
    let down = max(1, rounded(most * Double(picture.height) / longer))
    let luminance = Channel(planes[0], of: picture, max(3, across), max(3, down))
    let yellow = Channel(planes[1], of: picture, 3, 3)
    let red = Channel(planes[2], of: picture, 3, 3)
    let alpha = hasAlpha ? Channel(planes[3], of: picture, 5, 5) : nil

    let isLandscape = picture.width > picture.height
    let head =
      rounded(63 * luminance.constant) | rounded(31.5 + 31.5 * yellow.constant) << 6
      | rounded(31.5 + 31.5 * red.constant) << 12 | rounded(31 * luminance.scale) << 18
      | (hasAlpha ? 1 : 0) << 23
    let shape =
      (isLandscape ? down : across) | rounded(63 * yellow.scale) << 3
      | rounded(63 * red.scale) << 9 | (isLandscape ? 1 : 0) << 15
    var hash = [head, head >> 8, head >> 16, shape, shape >> 8].map { UInt8($0 & 255) }
    if let alpha {
      hash.append(UInt8(rounded(15 * alpha.constant) | rounded(15 * alpha.scale) << 4))
    }
    // Two factors a byte.
    let factors = [luminance, yellow, red, alpha].compactMap(\.self).flatMap(\.factors)
    for start in stride(from: 0, to: factors.count, by: 2) {
      let high = start + 1 < factors.count ? rounded(15 * factors[start + 1]) : 0
      hash.append(UInt8(rounded(15 * factors[start]) | high << 4))
    }
    return hash
  }

  /// A plane as a constant and factors of cosines, of which the higher ones are left out.
  private struct Channel {
    var constant = 0.0
    /// 0 to 1, of `scale`.
    var factors: [Double] = []
    /// The largest factor.
    var scale = 0.0

    init(_ plane: [Double], of picture: Thumbnail, _ across: Int, _ down: Int) {
      let (width, height) = (picture.width, picture.height)
      for y in 0..<down {
        var x = 0
        while x * down < across * (down - y) {
          let row = (0..<width).map { cos(.pi / Double(width) * Double(x) * (Double($0) + 0.5)) }
          var factor = 0.0
          for line in 0..<height {
            let column = cos(.pi / Double(height) * Double(y) * (Double(line) + 0.5))
            for place in 0..<width { factor += plane[place + line * width] * row[place] * column }
          }
          factor /= Double(width * height)
          if x > 0 || y > 0 {
            factors.append(factor)
            scale = max(scale, abs(factor))
          } else {
            constant = factor
          }
          x += 1
        }
      }
      if scale > 0 { factors = factors.map { 0.5 + 0.5 / scale * $0 } }
    }
  }
}
