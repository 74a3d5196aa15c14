/// The colour that most of a picture has, more or less: what is drawn before anything else is known.
package enum DominantColour {
  /// Red, green and blue. Of the colours rounded to four bits a channel, the one that most pixels have is
  /// taken, and within it the mean. Translucent pixels count by their alpha; where nothing can be seen,
  /// the answer is nil.
  package static func of(_ picture: Thumbnail) -> (red: UInt8, green: UInt8, blue: UInt8)? {
    var weights = [Int](repeating: 0, count: 4096)
    func bin(_ pixel: Int) -> Int {
      (0..<3).reduce(0) { $0 << 4 | Int(picture.samples[pixel * 4 + $1] >> 4) }
    }
    let pixels = 0..<picture.width * picture.height
    for pixel in pixels { weights[bin(pixel)] += Int(picture.samples[pixel * 4 + 3]) }
    // The first of equals: the answer must be the same every time.
    guard let most = weights.max(), most > 0, let best = weights.firstIndex(of: most) else {
      return nil
    }
    var sums = [0, 0, 0]
    for pixel in pixels where bin(pixel) == best {
      for channel in 0..<3 {
        sums[channel] +=
          Int(picture.samples[pixel * 4 + channel]) * Int(picture.samples[pixel * 4 + 3])
      }
    }
    let mean = sums.map { UInt8((2 * $0 + most) / (2 * most)) }
    return (mean[0], mean[1], mean[2])
  }
}
