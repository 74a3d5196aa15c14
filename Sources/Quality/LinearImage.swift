/// An image in linear light: red, green and blue from 0 to 1, a plane each, in rows of `Lanes`.
///
/// Lanes behind the end of a row repeat its last pixel.
struct LinearImage {
  private(set) var width = 0
  private(set) var height = 0
  /// How many `Lanes` a row has.
  private(set) var stride = 0
  /// The planes, one after the other.
  private(set) var lanes: [Lanes] = []

  /// The index in `lanes` where a row of a plane starts.
  func start(_ channel: Int, _ row: Int) -> Int { (channel * height + row) * stride }

  private mutating func setSize(_ width: Int, _ height: Int) {
    self.width = width
    self.height = height
    stride = (width + threadCount - 1) / threadCount
    // Memory is kept for the next image; only the first one allocates.
    let missing = 3 * stride * height - lanes.count
    if missing > 0 { lanes.append(contentsOf: repeatElement(.zero, count: missing)) }
  }

  /// Takes the pixels of an image. Transparent ones are blended with a grey background, in sRGB and
  /// not in linear light, as the reference implementation does.
  ///
  /// A side of fewer than 8 pixels gets 8: its last row or column is repeated.
  mutating func take(_ image: Raster, background: Float) {
    setSize(max(image.width, 8), max(image.height, 8))
    let plane = height * stride
    // Only the first part of a row is read in steps of whole `Lanes`.
    let whole = image.hasTransparency ? 0 : image.width / threadCount
    for row in 0..<height {
      let line = min(row, image.height - 1) * image.width
      let place = row * stride
      for channel in 0..<3 {
        takeOpaque(
          image, from: line * image.channels + channel, to: channel * plane + place, count: whole)
      }
      for index in whole..<stride {
        for lane in 0..<threadCount {
          let pixel = line + min(index * threadCount + lane, image.width - 1)
          for channel in 0..<3 {
            lanes[channel * plane + place + index][lane] = Self.light(
              of: image, pixel: pixel, channel: channel, background: background)
          }
        }
      }
    }
  }

  /// Takes samples of opaque pixels, one channel of a row.
  private mutating func takeOpaque(_ image: Raster, from start: Int, to place: Int, count: Int) {
    let samples = image.samples.span
    let table = SRGB.light
    let light = table.span
    // The optimizer then checks no index of the table.
    precondition(light.count == 256)
    let step = image.channels
    for index in 0..<count {
      let first = start + index * threadCount * step
      func at(_ lane: Int) -> Float { light[Int(samples[first + lane * step])] }
      lanes[place + index] = Lanes(at(0), at(1), at(2), at(3), at(4), at(5), at(6), at(7))
    }
  }

  private static func light(
    of image: Raster, pixel: Int, channel: Int, background: Float
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
          // A row with an odd number of `Lanes` ends in the middle of a result.
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
    let last = (width - 1) % threadCount
    guard last < threadCount - 1 else { return }
    for lane in last + 1..<threadCount { lanes[place][lane] = lanes[place][last] }
  }
}
