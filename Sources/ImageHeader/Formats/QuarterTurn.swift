/// The result of several rotations and mirrorings: whether the image is mirrored first, and then
/// turned by how many quarters to the left.
struct QuarterTurn {
  private var quarters = 0
  private var isMirrored = false

  mutating func rotate(_ count: Int) { quarters = (quarters + count) % 4 }

  /// - Parameter axis: 0 is vertical (left and right change places), 1 is horizontal.
  mutating func mirror(_ axis: Int) {
    // To mirror after a turn is to mirror first and then turn the other way. The horizontal axis
    // mirrors like the vertical one and a half turn.
    quarters = (4 - quarters + (axis == 1 ? 2 : 0)) % 4
    isMirrored.toggle()
  }

  var orientation: Orientation {
    switch (isMirrored, quarters) {
    case (false, 0): .upright
    case (false, 1): .turnedLeft
    case (false, 2): .upsideDown
    case (false, _): .turnedRight
    case (true, 0): .mirrored
    case (true, 1): .mirroredTurnedLeft
    case (true, 2): .mirroredUpsideDown
    case (true, _): .mirroredTurnedRight
    }
  }
}
