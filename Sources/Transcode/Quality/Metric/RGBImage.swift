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
