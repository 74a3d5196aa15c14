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

/// An image of 8-bit sRGB samples: rows from top to bottom, without padding, with red, green and
/// blue of each pixel in turn, and alpha behind them if there are four channels.
///
/// Alpha is straight, not premultiplied.
package struct RGBImage: Sendable {
  package let width: Int
  package let height: Int
  /// 3 (RGB) or 4 (RGBA).
  package let channels: Int
  package let samples: [UInt8]

  /// - Throws: `QualityError.shape` unless both sides are at least 1, `channels` is 3 or 4 and
  ///   `samples` has one value for each channel of each pixel.
  package init(
    width: Int, height: Int, channels: Int = 3, samples: [UInt8]
  ) throws(QualityError) {
    let (pixels, overflow) = width.multipliedReportingOverflow(by: height)
    guard width > 0, height > 0, !overflow, channels == 3 || channels == 4,
      samples.count % channels == 0, samples.count / channels == pixels
    else {
      throw .shape(width: width, height: height, channels: channels, samples: samples.count)
    }
    self.width = width
    self.height = height
    self.channels = channels
    self.samples = samples
  }

  /// Whether a pixel is not opaque.
  var hasTransparency: Bool {
    guard channels == 4 else { return false }
    return stride(from: 3, to: samples.count, by: 4).contains { samples[$0] != 255 }
  }
}

/// One row of an image in XYB, the opponent colours of JPEG XL, rescaled to about 0 to 1: X is red
/// against green, Y is luma, and B is blue against luma.
///
/// Each channel's row has zeros behind its end, and `Floats` of zeros on either side: the blur reads
/// beyond both ends.
struct OpsinRow {
  private var x: [Floats]
  private var y: [Floats]
  private var b: [Floats]

  init(stride: Int) {
    x = Array(repeating: .zero, count: stride + 2)
    y = x
    b = x
  }

  /// X, Y or B.
  func channel(_ channel: Int) -> [Floats] { channel == 0 ? x : channel == 1 ? y : b }

  /// Takes a row of an image, or zeros from a row that the image does not have.
  mutating func take(_ row: Int, of image: borrowing LinearImage) {
    if row < image.height {
      Self.convert(row, of: image, &x, &y, &b)
    } else {
      for index in x.indices { (x[index], y[index], b[index]) = (.zero, .zero, .zero) }
    }
  }

  private static func convert(
    _ row: Int, of image: borrowing LinearImage,
    _ x: inout [Floats], _ y: inout [Floats], _ b: inout [Floats]
  ) {
    let stride = image.stride
    let plane = image.height * stride
    let source = image.lanes.span.extracting(row * stride..<2 * plane + (row + 1) * stride)
    var xs = x.mutableSpan
    var ys = y.mutableSpan
    var bs = b.mutableSpan
    for index in 0..<stride {
      let (x1, y1, b1) = converted(
        source[index], source[plane + index], source[2 * plane + index])
      xs[index + 1] = x1
      ys[index + 1] = y1
      bs[index + 1] = b1
    }
    let ones = Floats.ones(image.width - (stride - 1) * laneCount)
    xs[stride] *= ones
    ys[stride] *= ones
    bs[stride] *= ones
  }

  /// From linear red, green and blue. Source of all numbers: `lib/jxl/cms/opsin_params.h` and
  /// `tools/ssimulacra2.cc` of libjxl.
  @inline(__always)
  private static func converted(_ r: Floats, _ g: Floats, _ b: Floats) -> (Floats, Floats, Floats) {
    let bias: Float = 0.0037930732552754493
    let biasRoot: Float = 0.15595420054924863
    let long = (r * 0.3 + g * 0.622 + b * 0.078 + bias).cubeRoot
    let medium = (r * 0.23 + g * 0.692 + b * 0.078 + bias).cubeRoot
    let short = (r * 0.24342268924547819 + g * 0.20476744424496821 + b * 0.5518098665095536 + bias)
      .cubeRoot
    let x = (long - medium) * 0.5
    let y = (long + medium) * 0.5 - biasRoot
    return (x * 14 + 0.42, y + 0.01, short - biasRoot - y + 0.55)
  }
}
