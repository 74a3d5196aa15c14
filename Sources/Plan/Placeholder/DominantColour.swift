/// The colour that covers most of an image: the first thing that a client can draw.
package enum DominantColour {
  /// Red, green and blue: of the colours, rounded to four bits per channel, the most frequent one,
  /// and the mean of its pixels. Pixels count by their alpha. Nil if the image is fully
  /// transparent.
  package static func of(_ image: Thumbnail) -> (red: UInt8, green: UInt8, blue: UInt8)? {
    var weights = [Int](repeating: 0, count: 4096)  // 2^(3 * 4)
    let samples = image.samples.span
    func bin(_ pixel: Int) -> Int {
      func part(_ channel: Int) -> Int { Int(samples[pixel * 4 + channel] >> 4) }
      return part(0) << 8 | part(1) << 4 | part(2)
    }
    let pixels = 0..<image.width * image.height
    for pixel in pixels { weights[bin(pixel)] += Int(samples[pixel * 4 + 3]) }
    // Of equals the first, so that the answer is deterministic.
    guard let most = weights.max(), most > 0, let best = weights.firstIndex(of: most) else {
      return nil
    }
    var sums = [0, 0, 0]
    for pixel in pixels where bin(pixel) == best {
      for channel in 0..<3 {
        sums[channel] +=
          Int(samples[pixel * 4 + channel]) * Int(samples[pixel * 4 + 3])
      }
    }
    // Rounded to the nearest, in integers.
    let mean = sums.map { UInt8((2 * $0 + most) / (2 * most)) }
    return (mean[0], mean[1], mean[2])
  }
}
