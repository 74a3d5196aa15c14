/// HEIC, HEIF and AVIF (ISO/IEC 23008-12; AV1 Image File Format 1.1): the primary item's size and
/// the properties that turn, mirror and crop it; for sequences without a primary item, the first
/// track's.
///
/// The size is what libheif shows, since libvips reads these files through it: irot, imir and clap
/// are applied, and an orientation in Exif is not.
enum HEIFHeader {
  /// What the boxes of one picture file tell before they are put together.
  private struct Facts {
    var primary: Int?
    /// Properties in the order of `ipco`, from 1 up as `ipma` counts them.
    var properties: [Property] = []
    var associations: [Int: [Int]] = [:]
    /// Items that are alpha planes of another.
    var auxiliary: [(from: Int, to: [Int])] = []
  }

  private enum Property {
    case size(Int, Int)
    case rotation(Int)
    case mirror(Int)
    case crop(CleanAperture)
    case depth(Int)
    case alphaPlane
    case profile
    case other
  }

  static func read(
    _ file: borrowing HeaderView, format: ImageFormat
  ) throws(HeaderStop) -> ImageHeader {
    var walk = BoxWalk(from: 0, to: nil)
    var isSequence = false
    while let box = try walk.next(file) {
      if box.type == Box.type("ftyp") {
        let brand = try file.big32(box.start)
        let sequences = ["avis", "msf1", "hevc", "hevx", "hevm", "hevs"] as [StaticString]
        isSequence = sequences.contains { Box.type($0) == brand }
      } else if box.type == Box.type("meta") {
        guard let end = box.end else { throw .malformed("its meta box has no end") }
        var facts = Facts()
        try meta(file, from: box.start + 4, to: end, &facts)
        var header = try put(facts, format: format)
        header.isAnimated = isSequence
        return header
      } else if box.type == Box.type("moov") {
        guard let end = box.end else { throw .malformed("its movie box has no end") }
        if let movie = try track(file, from: box.start, to: end, format: format) { return movie }
      }
    }
    throw .malformed("it has no meta box")
  }

  private static func meta(
    _ file: borrowing HeaderView, from start: Int, to end: Int, _ facts: inout Facts
  ) throws(HeaderStop) {
    guard start < end else { throw .malformed("its meta box is empty") }
    // One request for all of it: the boxes in it point to each other.
    try file.require(start..<min(end, start + 65_536))
    var walk = BoxWalk(from: start, to: end)
    while let box = try walk.next(file) {
      guard let boxEnd = box.end else { continue }
      if box.type == Box.type("pitm") {
        facts.primary =
          try file.byte(box.start) == 0 ? file.big16(box.start + 4) : file.big32(box.start + 4)
      } else if box.type == Box.type("iprp") {
        var inner = BoxWalk(from: box.start, to: boxEnd)
        while let part = try inner.next(file) {
          guard let partEnd = part.end else { continue }
          if part.type == Box.type("ipco") {
            try properties(file, from: part.start, to: partEnd, &facts)
          } else if part.type == Box.type("ipma") {
            try associations(file, part.start, partEnd, &facts)
          }
        }
      } else if box.type == Box.type("iref") {
        try references(file, box.start, boxEnd, &facts)
      }
    }
  }

  private static func properties(
    _ file: borrowing HeaderView, from start: Int, to end: Int, _ facts: inout Facts
  ) throws(HeaderStop) {
    var walk = BoxWalk(from: start, to: end)
    while let box = try walk.next(file) {
      let at = box.start
      var property = Property.other
      if box.type == Box.type("ispe") {
        property = .size(try file.big32(at + 4), try file.big32(at + 8))
      } else if box.type == Box.type("irot") {
        property = .rotation(try file.byte(at) & 3)
      } else if box.type == Box.type("imir") {
        property = .mirror(try file.byte(at) & 1)
      } else if box.type == Box.type("clap") {
        property = try CleanAperture(file, at: at).map { .crop($0) } ?? .other
      } else if box.type == Box.type("pixi") {
        if try file.byte(at + 4) > 0 { property = .depth(try file.byte(at + 5)) }
      } else if box.type == Box.type("auxC") {
        let length = (box.end ?? at) - at
        if length > 40, try file.has("urn:mpeg:mpegB:cicp:systems:auxiliary:alpha", at: at + 4) {
          property = .alphaPlane
        } else if length > 30, try file.has("urn:mpeg:hevc:2015:auxid:1", at: at + 4) {
          property = .alphaPlane
        }
      } else if box.type == Box.type("colr") {
        if try file.has("prof", at: at) { property = .profile }
        if try file.has("rICC", at: at) { property = .profile }
      }
      facts.properties.append(property)
    }
  }

  private static func associations(
    _ file: borrowing HeaderView, _ start: Int, _ end: Int, _ facts: inout Facts
  ) throws(HeaderStop) {
    let version = try file.byte(start)
    let isWide = try file.byte(start + 3) & 1 == 1
    let count = try file.big32(start + 4)
    guard count <= HeaderLimits.steps else { throw .malformed("it has \(count) items") }
    var offset = start + 8
    for _ in 0..<count {
      let item = try version == 0 ? file.big16(offset) : file.big32(offset)
      offset += version == 0 ? 2 : 4
      let number = try file.byte(offset)
      offset += 1
      guard offset + number * (isWide ? 2 : 1) <= end else {
        throw .malformed("its list of properties is longer than its box")
      }
      for _ in 0..<number {
        let index = try isWide ? file.big16(offset) & 0x7FFF : file.byte(offset) & 0x7F
        facts.associations[item, default: []].append(index)
        offset += isWide ? 2 : 1
      }
    }
  }

  private static func references(
    _ file: borrowing HeaderView, _ start: Int, _ end: Int, _ facts: inout Facts
  ) throws(HeaderStop) {
    let size = try file.byte(start) == 0 ? 2 : 4
    var walk = BoxWalk(from: start + 4, to: end)
    while let box = try walk.next(file) {
      guard box.type == Box.type("auxl") else { continue }
      let from = try size == 2 ? file.big16(box.start) : file.big32(box.start)
      let count = try file.big16(box.start + size)
      guard box.start + size + 2 + count * size <= box.end ?? end else {
        throw .malformed("a list of references is longer than its box")
      }
      var to: [Int] = []
      for index in 0..<count {
        let place = box.start + size + 2 + index * size
        to.append(try size == 2 ? file.big16(place) : file.big32(place))
      }
      facts.auxiliary.append((from, to))
    }
  }

  /// Applies the primary item's properties in the order of their association.
  private static func put(
    _ facts: Facts, format: ImageFormat
  ) throws(HeaderStop) -> ImageHeader {
    guard let primary = facts.primary else { throw .malformed("it names no primary picture") }
    func properties(of item: Int) -> [Property] {
      (facts.associations[item] ?? []).compactMap { index in
        index > 0 && index <= facts.properties.count ? facts.properties[index - 1] : nil
      }
    }
    var header = ImageHeader(format: format, pixelWidth: 0, pixelHeight: 0)
    var turn = Turn()
    var hasSize = false
    for property in properties(of: primary) {
      switch property {
      case .size(let width, let height) where !hasSize:
        (header.pixelWidth, header.pixelHeight, hasSize) = (width, height, true)
      case .crop(let aperture):
        // Of the picture as it is turned by then.
        let isTurned = turn.orientation.swapsSides
        let (width, height) = (header.pixelWidth, header.pixelHeight)
        let cropped = aperture.size(of: isTurned ? (height, width) : (width, height))
        (header.pixelWidth, header.pixelHeight) =
          isTurned ? (cropped.height, cropped.width) : cropped
      case .rotation(let quarters): turn.rotate(quarters)
      case .mirror(let axis): turn.mirror(axis)
      case .depth(let bits): header.bitsPerChannel = bits
      case .profile: header.hasICCProfile = true
      default: break
      }
    }
    guard hasSize else { throw .malformed("its primary picture has no size") }
    header.orientation = turn.orientation
    header.hasAlpha = facts.auxiliary.contains { from, to in
      to.contains(primary)
        && properties(of: from).contains { if case .alphaPlane = $0 { true } else { false } }
    }
    return header
  }

  /// A turn of the picture, as whether it is mirrored first and then turned by quarters to the left.
  private struct Turn {
    var quarters = 0
    var isMirrored = false

    mutating func rotate(_ count: Int) { quarters = (quarters + count) % 4 }

    /// Axis 0 is vertical (left and right change places), 1 horizontal. A mirror after a turn is the
    /// turn the other way after a mirror.
    mutating func mirror(_ axis: Int) {
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

  /// A sequence's first visible track.
  private static func track(
    _ file: borrowing HeaderView, from start: Int, to end: Int, format: ImageFormat
  ) throws(HeaderStop) -> ImageHeader? {
    var walk = BoxWalk(from: start, to: end)
    while let box = try walk.next(file) {
      guard box.type == Box.type("trak"), let boxEnd = box.end else { continue }
      var inner = BoxWalk(from: box.start, to: boxEnd)
      while let part = try inner.next(file) {
        guard part.type == Box.type("tkhd"), let partEnd = part.end else { continue }
        // Width and height close the box, as 16.16 fixed-point numbers.
        let width = try file.big32(partEnd - 8) >> 16
        let height = try file.big32(partEnd - 4) >> 16
        guard width > 0, height > 0 else { continue }
        return ImageHeader(
          format: format, pixelWidth: width, pixelHeight: height, isAnimated: true)
      }
    }
    return nil
  }
}

/// The part of a picture that is shown (ISO/IEC 14496-12, section 12.1.4), in whole pixels as libheif
/// rounds it.
private struct CleanAperture {
  /// Width and height, and how far the part's centre is from the picture's: numbers over a
  /// denominator.
  private var width: (Int, Int)
  private var height: (Int, Int)
  private var right: (Int, Int)
  private var down: (Int, Int)

  /// Nil where a denominator is 0, or a number larger than any picture.
  init?(_ file: borrowing HeaderView, at offset: Int) throws(HeaderStop) {
    func fraction(_ index: Int, _ file: borrowing HeaderView) throws(HeaderStop) -> (Int, Int) {
      let number = try Int(Int32(truncatingIfNeeded: file.big32(offset + index * 8)))
      return (number, try file.big32(offset + index * 8 + 4))
    }
    width = try fraction(0, file)
    height = try fraction(1, file)
    right = try fraction(2, file)
    down = try fraction(3, file)
    let isPossible = [width, height, right, down].allSatisfy { number, denominator in
      (1...0xFFFF).contains(denominator) && abs(number) <= 0x7FFF_FFF
    }
    guard isPossible, width.0 > 0, height.0 > 0 else { return nil }
  }

  func size(of picture: (width: Int, height: Int)) -> (width: Int, height: Int) {
    (
      width: Self.side(of: picture.width, width, right),
      height: Self.side(of: picture.height, height, down)
    )
  }

  /// From the first pixel, rounded down, to the last one, rounded to the nearest.
  private static func side(of whole: Int, _ part: (Int, Int), _ offset: (Int, Int)) -> Int {
    let centre = Double(whole - 1) / 2 + Double(offset.0) / Double(offset.1)
    let reach = (Double(part.0) / Double(part.1) - 1) / 2
    let first = max(0, (centre - reach).rounded(.down))
    let last = min(Double(whole - 1), (centre + reach + 0.5).rounded(.down))
    return max(1, Int(last - first) + 1)
  }
}
