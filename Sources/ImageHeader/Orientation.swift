/// How the stored pixels must be turned to be seen as meant: the eight values of TIFF and Exif
/// (Exif 2.32, tag 0x0112). The raw value is the tag's.
public enum Orientation: Int, Sendable, CaseIterable {
  case upright = 1
  case mirrored
  case upsideDown
  case mirroredUpsideDown
  case mirroredTurnedLeft
  case turnedRight
  case mirroredTurnedRight
  case turnedLeft

  /// Whether width and height change places for display.
  public var swapsSides: Bool { rawValue >= 5 }
}
