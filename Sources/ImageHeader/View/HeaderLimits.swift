/// Ceilings that no value in a file can raise.
enum HeaderLimits {
  /// The largest offset that is accepted: 2^48, far beyond any image, so that a sum of a few
  /// offsets never overflows.
  static let largestOffset = 1 << 48
  /// The number of segments, chunks, boxes or directory entries that are read in one file. It ends
  /// the walk through files that are made to be walked indefinitely.
  static let steps = 4_096
  /// The longest side that is accepted, in pixels: 2^31 - 1, the limit of PNG (W3C PNG, section
  /// 7.1) and the largest of all formats here.
  static let longestSide = 0x7FFF_FFFF
}
