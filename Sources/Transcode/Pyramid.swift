internal import TesseraPlan

/// The pictures in memory that files are made from: the decoded one at the bottom, and its halves,
/// quarters… as far as they are asked for.
///
/// Which of them a file is made from depends on the source, the base and the file alone, never on
/// which other files are made in the same job: the same file then has the same bytes.
struct Pyramid {
  /// Whole pictures, each half as large as the one before. A level holds all frames.
  private var levels: [[Picture]]
  private let base: Size
  /// The displayed size of the source.
  private let source: Size

  init(_ frames: [Picture], base: Size, source: Size) {
    levels = [frames]
    self.base = base
    self.source = source
  }

  /// The frames of a variant, computed and in memory.
  ///
  /// They are a level themselves, or made from the smallest level that is still at least twice as
  /// large: shrinking by two or more from a picture that was shrunk well loses nothing, by less it
  /// would blur twice.
  mutating func frames(for variant: PlannedVariant) throws(VipsError) -> [Picture] {
    let shown = variant.crop ?? Crop(x: 0, y: 0, size: source)
    let origin = try level(
      levelNumber(equalTo: variant) ?? levelNumber(for: variant.size, of: shown.size))
    var frames: [Picture] = []
    for frame in variant.encoding.isAnimated ? origin[...] : origin.prefix(1) {
      let part = variant.crop == nil ? frame : try frame.part(shown, of: source)
      let resized = try part.resized(width: variant.size.width, height: variant.size.height)
      frames.append(resized === frame ? frame : try resized.inMemory())
    }
    return frames
  }

  /// The level that is the variant already: with rungs of powers of two most are.
  private func levelNumber(equalTo variant: PlannedVariant) -> Int? {
    guard variant.crop == nil else { return nil }
    var number = 0
    while levelSize(number).longerSide > variant.size.longerSide { number += 1 }
    return levelSize(number) == variant.size ? number : nil
  }

  private func levelNumber(for size: Size, of shown: Size) -> Int {
    var number = 0
    // The next level's part of `shown`, on its longer side, is at least twice the result's.
    while levelSize(number + 1).longerSide * shown.longerSide
      >= 2 * size.longerSide * source.longerSide
    {
      number += 1
    }
    return number
  }

  private func levelSize(_ number: Int) -> Size {
    Size(max(1, base.width >> number), max(1, base.height >> number))
  }

  private mutating func level(_ number: Int) throws(VipsError) -> [Picture] {
    while levels.count <= number {
      let size = levelSize(levels.count)
      var frames: [Picture] = []
      for frame in levels[levels.count - 1] {
        frames.append(try frame.resized(width: size.width, height: size.height).inMemory())
      }
      levels.append(frames)
    }
    return levels[number]
  }
}

extension Picture {
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
