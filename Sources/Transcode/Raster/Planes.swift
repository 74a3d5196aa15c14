internal import Glibc
internal import TesseraPlan

/// An upright image in memory as luma and chroma, in the colours and the range of values of JFIF: a
/// plane each, of one size.
final class Planes {
  let width: Int
  let height: Int
  /// Whether all chroma is neutral.
  let isGrey: Bool
  /// The samples of luma, blue and red, without gaps.
  let luma: UnsafeMutablePointer<UInt8>
  let blue: UnsafeMutablePointer<UInt8>
  let red: UnsafeMutablePointer<UInt8>

  /// Without values, but for the chroma of a grey image. Nil if memory is used up.
  init?(_ size: Size, isGrey: Bool) {
    (width, height) = (size.width, size.height)
    self.isGrey = isGrey
    let count = width * height
    guard let memory = malloc(3 * count) else { return nil }
    luma = memory.assumingMemoryBound(to: UInt8.self)
    (blue, red) = (luma + count, luma + 2 * count)
    if isGrey { blue.update(repeating: 128, count: 2 * count) }
  }

  deinit { free(luma) }

  /// The planes that have values of their own.
  var coloured: [UnsafeMutablePointer<UInt8>] { isGrey ? [luma] : [luma, blue, red] }
}
