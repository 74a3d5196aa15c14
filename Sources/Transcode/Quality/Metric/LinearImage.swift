/// An image in linear light: red, green and blue from 0 to 1, a plane each, in rows of `Floats`.
///
/// Numbers behind the end of a row repeat its last pixel.
struct LinearImage {
  private(set) var width = 0
  private(set) var height = 0
  /// How many `Floats` a row has.
  private(set) var stride = 0
  /// The planes, one after the other.
  private(set) var lanes: [Floats] = []

  /// The index in `lanes` where a row of a plane starts.
  func start(_ channel: Int, _ row: Int) -> Int { (channel * height + row) * stride }

  private mutating func setSize(_ width: Int, _ height: Int) {
    self.width = width
    self.height = height
    stride = (width + laneCount - 1) / laneCount
    // Memory is kept for the next image; only the first one allocates.
    let missing = 3 * stride * height - lanes.count
    if missing > 0 { lanes.append(contentsOf: repeatElement(.zero, count: missing)) }
  }

  /// Takes the pixels of an image. Transparent ones are blended with a grey background, in sRGB and
  /// not in linear light, as the reference implementation does.
  ///
  /// A side of fewer than 8 pixels gets 8: its last row or column is repeated.
  mutating func take(_ image: RGBImage, background: Float) {
    setSize(max(image.width, 8), max(image.height, 8))
    let plane = height * stride
    // Only the first part of a row is read in steps of whole `Floats`.
    let whole = image.hasTransparency ? 0 : image.width / laneCount
    for row in 0..<height {
      let line = min(row, image.height - 1) * image.width
      let place = row * stride
      for channel in 0..<3 {
        takeOpaque(
          image, from: line * image.channels + channel, to: channel * plane + place, count: whole)
      }
      for index in whole..<stride {
        for lane in 0..<laneCount {
          let pixel = line + min(index * laneCount + lane, image.width - 1)
          for channel in 0..<3 {
            lanes[channel * plane + place + index][lane] = Self.light(
              of: image, pixel: pixel, channel: channel, background: background)
          }
        }
      }
    }
  }

  /// Takes samples of opaque pixels, one channel of a row.
  private mutating func takeOpaque(_ image: RGBImage, from start: Int, to place: Int, count: Int) {
    let samples = image.samples.span
    let table = SRGB.light
    let light = table.span
    // The optimizer then checks no index of the table.
    precondition(light.count == 256)
    let step = image.channels
    for index in 0..<count {
      let first = start + index * laneCount * step
      func at(_ lane: Int) -> Float { light[Int(samples[first + lane * step])] }
      lanes[place + index] = Floats(at(0), at(1), at(2), at(3), at(4), at(5), at(6), at(7))
    }
  }

  private static func light(
    of image: RGBImage, pixel: Int, channel: Int, background: Float
  ) -> Float {
    let place = pixel * image.channels
    let sample = image.samples[place + channel]
    let alpha = image.channels == 4 ? image.samples[place + 3] : 255
    return alpha == 255 ? SRGB.light[Int(sample)] : blended(sample, alpha, background)
  }

  private static func blended(_ sample: UInt8, _ alpha: UInt8, _ background: Float) -> Float {
    let opacity = Float(alpha) / 255
    return SRGB.light(of: opacity * (Float(sample) / 255) + (1 - opacity) * background)
  }

  /// Becomes another image in half the size: the means of 2 x 2 pixels. An odd last row or column
  /// is repeated.
  mutating func takeHalf(of image: borrowing LinearImage) {
    setSize((image.width + 1) / 2, (image.height + 1) / 2)
    let source = image.lanes.span
    let quarter = SIMD4<Float>(repeating: 0.25)
    for channel in 0..<3 {
      for row in 0..<height {
        let upper = image.start(channel, 2 * row)
        let lower = image.start(channel, min(2 * row + 1, image.height - 1))
        let place = start(channel, row)
        for index in 0..<stride {
          let first = source[upper + 2 * index] + source[lower + 2 * index]
          // A row with an odd number of `Floats` ends in the middle of a result.
          let next = min(2 * index + 1, image.stride - 1)
          let second = source[upper + next] + source[lower + next]
          lanes[place + index] = SIMD8(
            lowHalf: (first.evenHalf + first.oddHalf) * quarter,
            highHalf: (second.evenHalf + second.oddHalf) * quarter)
        }
        repeatLastPixel(in: place + stride - 1)
      }
    }
  }

  private mutating func repeatLastPixel(in place: Int) {
    let last = (width - 1) % laneCount
    guard last < laneCount - 1 else { return }
    for lane in last + 1..<laneCount { lanes[place][lane] = lanes[place][last] }
  }
}

/// The transfer function of sRGB (IEC 61966-2-1).
enum SRGB {
  /// Linear light from 0 to 1 of every 8-bit sample.
  static let light: [Float] = (0..<256).map { Float(linear(Double($0) / 255)) }

  /// The same at every 1/4096: blends with a background lie between samples. Straight lines between
  /// these points differ from the curve by at most 3e-8, a quarter of a unit in the last place at 1.
  private static let fineLight: [Float] = (0...4096).map { Float(linear(Double($0) / 4096)) }

  /// Linear light of a value from 0 to 1.
  static func light(of value: Float) -> Float {
    let place = value * 4096
    let index = min(Int(place), 4095)
    let low = fineLight[index]
    return low + (place - Float(index)) * (fineLight[index + 1] - low)
  }

  private static func linear(_ value: Double) -> Double {
    guard value > 0.04045 else { return value / 12.92 }
    // x to the power of 2.4 is x² times the fifth root of x².
    let base = (value + 0.055) / 1.055
    return base * base * Elementary.fifthRoot(base * base)
  }
}
