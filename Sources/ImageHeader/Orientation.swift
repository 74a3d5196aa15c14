/// How to turn the stored pixels for display: the eight values of TIFF and Exif (Exif 2.32, tag
/// 0x0112). The raw value is the tag's.
public enum Orientation: Int, Sendable, CaseIterable {
  case upright = 1
  case mirrored
  case upsideDown
  case mirroredUpsideDown
  case mirroredTurnedLeft
  case turnedRight
  case mirroredTurnedRight
  case turnedLeft

  /// Whether display swaps width and height.
  public var swapsSides: Bool {
    // Values 5 to 8 are the quarter turns.
    rawValue >= 5
  }
}
