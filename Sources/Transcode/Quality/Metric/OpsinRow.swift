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
