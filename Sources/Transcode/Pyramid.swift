internal import TesseraPlan

/// The pictures in memory that smaller ones can be made from: the decoded one on top, and below it
/// every whole picture that was made since.
struct Pyramid {
  /// Whole pictures, largest first. A level holds all frames.
  private var levels: [[Picture]]
  /// The displayed size of the source.
  private let source: Size

  init(_ frames: [Picture], of source: Size) {
    levels = [frames]
    self.source = source
  }

  /// The frames of a variant, computed and in memory. Whole pictures become a level of their own.
  ///
  /// A level serves as origin if it is the result itself or at least twice as large: shrinking by
  /// two or more from a picture that was shrunk well loses nothing, by less it would blur twice.
  mutating func frames(for variant: PlannedVariant) throws(VipsError) -> [Picture] {
    let shown = variant.crop ?? Crop(x: 0, y: 0, size: source)
    let need = max(
      Double(variant.size.width) / Double(shown.size.width),
      Double(variant.size.height) / Double(shown.size.height))
    let origin =
      levels.last { level in
        let ratio = Double(level[0].width) / Double(source.width) / need
        return ratio >= 2 || (variant.crop == nil && level[0].hasSize(variant.size))
      } ?? levels[0]
    var frames: [Picture] = []
    for frame in variant.encoding.isAnimated ? origin[...] : origin.prefix(1) {
      let part = variant.crop == nil ? frame : try frame.part(shown, of: source)
      let resized = try part.resized(width: variant.size.width, height: variant.size.height)
      frames.append(resized === frame ? frame : try resized.inMemory())
    }
    // A level must have all frames, or later animations would lose theirs.
    if variant.crop == nil, frames.count == origin.count, !frames[0].isSame(as: origin[0]) {
      levels.append(frames)
    }
    return frames
  }
}

extension Picture {
  fileprivate func hasSize(_ size: Size) -> Bool { width == size.width && height == size.height }

  fileprivate func isSame(as other: Picture) -> Bool { self === other }

  /// A crop that is given in the source's pixels, cut out of this smaller picture of all of it.
  fileprivate func part(_ crop: Crop, of source: Size) throws(VipsError) -> Picture {
    let horizontal = Double(width) / Double(source.width)
    let vertical = Double(height) / Double(source.height)
    let left = min(width - 1, Int((Double(crop.x) * horizontal).rounded()))
    let top = min(height - 1, Int((Double(crop.y) * vertical).rounded()))
    let size = Size(
      max(1, min(width - left, Int((Double(crop.size.width) * horizontal).rounded()))),
      max(1, min(height - top, Int((Double(crop.size.height) * vertical).rounded()))))
    return try extracted(x: left, y: top, width: size.width, height: size.height)
  }
}
