/// A bit field of a pixel, such as the five bits of red in 16 bits.
struct BitField {
  /// The bits of the field; 0 if the pixel does not have it.
  let mask: Int
  private let shift: Int
  private let largest: Int

  init(mask: Int) {
    self.mask = mask
    shift = mask == 0 ? 0 : mask.trailingZeroBitCount
    largest = max(1, mask >> shift)
  }

  /// The field's value in a pixel, scaled to 0 to 255.
  func sample(of value: Int) -> UInt8 {
    UInt8(truncatingIfNeeded: (((value & mask) >> shift) * 255 + largest / 2) / largest)
  }
}
