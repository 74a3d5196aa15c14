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

  /// The last frames that were made: the next file may be the same in another format.
  private var last: (crop: Crop?, size: Size, frames: [Picture])?
  /// Crops whose place was found in the pixels already, with that place.
  private var found: [Crop: Crop] = [:]

  init(_ frames: [Picture], base: Size, source: Size) {
    levels = [frames]
    self.base = base
    self.source = source
  }

  /// The frames of a file, computed and in memory.
  ///
  /// They are a level themselves, or made from the smallest level that is still at least twice as
  /// large: shrinking by two or more from a picture that was shrunk well loses nothing, by less it
  /// would blur twice.
  mutating func frames(for file: PlannedFile) throws(VipsError) -> [Picture] {
    let count = file.encoding.isAnimated ? levels[0].count : 1
    if let last, last.crop == file.crop, last.size == file.size, last.frames.count >= count {
      return Array(last.frames.prefix(count))
    }
    let shown = file.crop?.size ?? source
    let origin = try level(
      levelNumber(equalTo: file) ?? levelNumber(for: file.size, of: shown))
    var parts = Array(origin.prefix(count))
    if let crop = file.crop {
      let place = try place(of: crop)
      for index in parts.indices {
        parts[index] = try parts[index].part(crop.size, at: place, of: source)
      }
    }
    var frames: [Picture] = []
    for (frame, part) in zip(origin, parts) {
      let resized = try part.resized(width: file.size.width, height: file.size.height)
      frames.append(resized === frame ? frame : try resized.inMemory())
    }
    last = (file.crop, file.size, frames)
    return frames
  }

  /// The size of the whole picture with a longer side of so many pixels at most.
  func size(fitting longest: Int) -> Size {
    let longer = base.longerSide
    guard longer > longest else { return base }
    func side(_ length: Int) -> Int { max(1, (2 * length * longest + longer) / (2 * longer)) }
    return Size(side(base.width), side(base.height))
  }

  // MARK: Crops

  /// Where a crop begins, in the source's pixels.
  private mutating func place(of crop: Crop) throws(VipsError) -> (x: Int, y: Int) {
    let interest: Interest
    switch crop.place {
    case .at(let x, let y): return (x, y)
    case .found(let what): interest = what
    }
    if let known = found[crop], case .at(let x, let y) = known.place { return (x, y) }
    // Looked for in the smallest level of at least this length: what makes a part interesting shows
    // there, too.
    var number = 0
    while levelSize(number + 1).longerSide >= Self.searchedLength { number += 1 }
    let picture = try level(number)[0]
    let size = crop.size.scaled(from: source, to: picture)
    let at = try picture.interestingPart(
      width: size.width, height: size.height, byEntropy: interest == .entropy)
    func inSource(_ offset: Int, _ part: Int, _ whole: Int, _ seen: Int) -> Int {
      min(whole - part, max(0, Int((Double(offset) * Double(whole) / Double(seen)).rounded())))
    }
    let x = inSource(at.x, crop.size.width, source.width, picture.width)
    let y = inSource(at.y, crop.size.height, source.height, picture.height)
    found[crop] = Crop(x: x, y: y, size: crop.size)
    return (x, y)
  }

  private static let searchedLength = 256

  // MARK: Levels

  /// The level that is the file's picture already: with rungs of powers of two most are.
  private func levelNumber(equalTo file: PlannedFile) -> Int? {
    guard file.crop == nil else { return nil }
    var number = 0
    while levelSize(number).longerSide > file.size.longerSide { number += 1 }
    return levelSize(number) == file.size ? number : nil
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
  /// A part that is given in the source's pixels, cut out of this smaller picture of all of it.
  fileprivate func part(
    _ size: Size, at place: (x: Int, y: Int), of source: Size
  ) throws(VipsError) -> Picture {
    let horizontal = Double(width) / Double(source.width)
    let vertical = Double(height) / Double(source.height)
    let left = min(width - 1, Int((Double(place.x) * horizontal).rounded()))
    let top = min(height - 1, Int((Double(place.y) * vertical).rounded()))
    let size = size.scaled(from: source, to: self)
    return try extracted(
      x: left, y: top, width: min(width - left, size.width),
      height: min(height - top, size.height))
  }
}

extension Size {
  /// A size in a source's pixels as it is in another picture of it, which it does not exceed.
  fileprivate func scaled(from source: Size, to picture: Picture) -> Size {
    func side(_ part: Int, _ whole: Int, _ seen: Int) -> Int {
      max(1, min(seen, Int((Double(part) * Double(seen) / Double(whole)).rounded())))
    }
    return Size(
      side(width, source.width, picture.width), side(height, source.height, picture.height))
  }
}
