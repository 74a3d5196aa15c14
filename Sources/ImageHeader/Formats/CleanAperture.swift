/// The part of an image that is displayed (`clap`; ISO/IEC 14496-12, section 12.1.4), in whole
/// pixels as libheif rounds it.
struct CleanAperture {
  /// Width and height of the part, and how far its centre is to the right of and below the image's:
  /// numerators and denominators.
  private var width: (Int, Int)
  private var height: (Int, Int)
  private var right: (Int, Int)
  private var down: (Int, Int)

  /// Nil if a denominator is 0, or if a number is larger than any image.
  init?(_ file: borrowing HeaderView, at offset: Int) throws(HeaderStop) {
    func fraction(_ index: Int, _ file: borrowing HeaderView) throws(HeaderStop) -> (Int, Int) {
      let number = try Int(Int32(truncatingIfNeeded: file.big32(offset + index * 8)))
      return (number, try file.big32(offset + index * 8 + 4))
    }
    width = try fraction(0, file)
    height = try fraction(1, file)
    right = try fraction(2, file)
    down = try fraction(3, file)
    // Numerators may be larger than sides: a crop of 2,237 pixels over the denominator 60,000 has
    // one above 2^27.
    let isPossible = [width, height, right, down].allSatisfy { number, denominator in
      (1...0xFFFF).contains(denominator) && abs(number) <= HeaderLimits.longestSide
    }
    guard isPossible, width.0 > 0, height.0 > 0 else { return nil }
  }

  /// What makes the numbers at an offset those of a whole image.
  static func edit(
    at offset: Int, toShow image: (width: Int, height: Int)
  ) -> CodedSamples.Edit {
    let numbers = [image.width, 1, image.height, 1, 0, 1, 0, 1]
    return CodedSamples.Edit(
      at: offset,
      numbers.flatMap { number in [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) } })
  }

  /// The size of the part; nil if it reaches outside the image, or is less than half a pixel. libheif 1.15 states the size
  /// of such a part and then decodes less of it, so that libvips reports wrong dimensions.
  func size(of image: (width: Int, height: Int)) -> (width: Int, height: Int)? {
    guard let width = Self.side(of: image.width, width, right),
      let height = Self.side(of: image.height, height, down)
    else { return nil }
    return (width, height)
  }

  /// As many whole pixels as are nearest, from the first one, rounded down.
  private static func side(of whole: Int, _ part: (Int, Int), _ offset: (Int, Int)) -> Int? {
    let length = Double(part.0) / Double(part.1)
    let centre = Double(whole - 1) / 2 + Double(offset.0) / Double(offset.1)
    let first = (centre - (length - 1) / 2).rounded(.down)
    let count = length.rounded()
    guard count > 0, first >= 0, first + count <= Double(whole) else { return nil }
    return Int(count)
  }
}
