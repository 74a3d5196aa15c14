/// The items that the meta box of a HEIF file describes: which is the primary one, and the
/// properties of each.
struct HEIFItems {
  private var primary: Int?
  /// The properties in the order of `ipco`. `ipma` counts them from 1.
  private var properties: [HEIFProperty] = []
  /// For each item, its properties in the order in which they apply.
  private var associations: [Int: [HEIFAssociation]] = [:]
  /// The items that are auxiliary images of others, such as alpha planes.
  private var auxiliary: [(from: Int, to: [Int])] = []
  /// The first tile of each grid.
  private var tiles: [Int: Int] = [:]
  /// Where the bytes of items are.
  private var locations = HEIFLocations()

  /// Reads the content of a meta box.
  init(_ file: borrowing HeaderView, from start: Int, to end: Int) throws(HeaderStop) {
    guard start < end else { throw .malformed("its meta box is empty") }
    // One request for all of it: the boxes in it refer to each other. 64 KiB hold the box of an
    // image with hundreds of tiles.
    try file.require(start..<min(end, start + 65_536))
    var walk = BoxWalk(from: start, to: end)
    while let box = try walk.next(file) {
      guard let boxEnd = box.end else { continue }
      if box.type == Box.type("pitm") {
        // Version 0 has item ids of 16 bits, later ones of 32 (14496-12, section 8.11.4).
        primary =
          try file.byte(box.start) == 0 ? file.big16(box.start + 4) : file.big32(box.start + 4)
      } else if box.type == Box.type("iprp") {
        try readProperties(file, from: box.start, to: boxEnd)
      } else if box.type == Box.type("iref") {
        try readReferences(file, box.start, boxEnd)
      } else if box.type == Box.type("iloc") {
        // Only what the sizes do not depend on.
        locations = (try? HEIFLocations(file, box.start, boxEnd)) ?? locations
      } else if box.type == Box.type("idat") {
        locations.data = box.start
      }
    }
  }

  /// The item properties box: the properties (`ipco`), and which item has which (`ipma`).
  private mutating func readProperties(
    _ file: borrowing HeaderView, from start: Int, to end: Int
  ) throws(HeaderStop) {
    var walk = BoxWalk(from: start, to: end)
    while let box = try walk.next(file) {
      guard let boxEnd = box.end else { continue }
      if box.type == Box.type("ipco") {
        var inner = BoxWalk(from: box.start, to: boxEnd)
        while let property = try inner.next(file) {
          properties.append(try HEIFProperty(file, property))
        }
      } else if box.type == Box.type("ipma") {
        try readAssociations(file, box.start, boxEnd)
      }
    }
  }

  /// The item property association box (ISO/IEC 23008-12, section 9.3.1).
  private mutating func readAssociations(
    _ file: borrowing HeaderView, _ start: Int, _ end: Int
  ) throws(HeaderStop) {
    let version = try file.byte(start)
    // The lowest flag makes the indices of properties 15 bits wide instead of 7.
    let isWide = try file.byte(start + 3) & 1 == 1
    let count = try file.big32(start + 4)
    // A file of some bytes may claim 2^32 items.
    guard count <= HeaderLimits.steps else { throw .malformed("it has \(count) items") }
    var offset = start + 8
    for _ in 0..<count {
      let item = try version == 0 ? file.big16(offset) : file.big32(offset)
      offset += version == 0 ? 2 : 4
      let number = try file.byte(offset)
      offset += 1
      // A hostile list that leaves its box would be read from bytes of other boxes.
      guard offset + number * (isWide ? 2 : 1) <= end else {
        throw .malformed("its list of properties is longer than its box")
      }
      for _ in 0..<number {
        let association = try HEIFAssociation(file, at: offset, isWide: isWide)
        associations[item, default: []].append(association)
        offset += isWide ? 2 : 1
      }
    }
  }

  /// The item reference box (ISO/IEC 14496-12, section 8.11.12); of its references, those of
  /// auxiliary images and those to tiles.
  private mutating func readReferences(
    _ file: borrowing HeaderView, _ start: Int, _ end: Int
  ) throws(HeaderStop) {
    // Version 0 has item ids of 16 bits, version 1 of 32.
    let size = try file.byte(start) == 0 ? 2 : 4
    var walk = BoxWalk(from: start + 4, to: end)
    while let box = try walk.next(file) {
      guard box.type == Box.type("auxl") || box.type == Box.type("dimg") else { continue }
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
      if box.type == Box.type("dimg") {
        tiles[from] = to.first
      } else {
        auxiliary.append((from, to))
      }
    }
  }

  /// The header of the primary item: its properties, applied in the order of their association.
  func header(
    _ file: borrowing HeaderView, format: ImageFormat
  ) throws(HeaderStop) -> ImageHeader {
    guard let primary else { throw .malformed("it has no primary item") }
    var header = ImageHeader(format: format, pixelWidth: 0, pixelHeight: 0)
    var turn = QuarterTurn()
    let properties = properties(of: primary)
    // Properties that describe the image count wherever they stand; those that transform it, in their order.
    let size = properties.lazy.compactMap { property in
      if case .size(let width, let height) = property { (width, height) } else { nil }
    }.first
    guard let size else { throw .malformed("its primary item has no size") }
    (header.pixelWidth, header.pixelHeight) = size
    for property in properties {
      switch property {
      case .crop(let aperture, let place):
        // The crop applies to the image as rotated so far; the header has the stored sides.
        let isTurned = turn.orientation.swapsSides
        let (width, height) = (header.pixelWidth, header.pixelHeight)
        let whole = isTurned ? (width: height, height: width) : (width, height)
        // As browsers do, one that reaches outside the image is ignored.
        guard let cropped = aperture.size(of: whole) else {
          header.coded.edits.append(CleanAperture.edit(at: place, toShow: whole))
          continue
        }
        (header.pixelWidth, header.pixelHeight) =
          isTurned ? (cropped.height, cropped.width) : cropped
      case .rotation(let quarters): turn.rotate(quarters)
      case .mirror(let axis): turn.mirror(axis)
      case .depth(let bits): header.bitsPerChannel = bits
      case .profile: header.hasICCProfile = true
      case .codePoints(let primaries, let transfer, _):
        (header.coded.primaries, header.coded.transfer) = (primaries, transfer)
      default: break
      }
    }
    header.orientation = turn.orientation
    let alpha = alphaPlane(of: primary)
    header.hasAlpha = alpha != nil
    header.coded.isMonochrome = isMonochrome(primary)
    header.coded.hasLimitedGrey = header.coded.isMonochrome && isLimited(file, primary)
    header.coded.hasLimitedAlpha = alpha.map { isLimited(file, $0) } ?? false
    header.coded.hasLayers = properties.contains { $0.isOfLayers }
    header.coded.edits += sizeFirst(primary)
    return header
  }

  /// libheif forgets what transforms an image if its size comes later.
  private func sizeFirst(_ item: Int) -> [CodedSamples.Edit] {
    let all = associations[item] ?? []
    guard let place = all.firstIndex(where: { property($0).isSize }),
      all[..<place].contains(where: { property($0).isTransform }),
      // In one list.
      all.indices.allSatisfy({ all[$0].offset == all[0].offset + $0 * all[0].bytes.count })
    else { return [] }
    let ordered = [all[place]] + all[..<place] + all[(place + 1)...]
    return [CodedSamples.Edit(at: all[0].offset, ordered.flatMap(\.bytes))]
  }

  private func alphaPlane(of item: Int) -> Int? {
    auxiliary.first { from, to in
      to.contains(item)
        && properties(of: from).contains { if case .alphaPlane = $0 { true } else { false } }
    }?.from
  }

  private func isMonochrome(_ item: Int) -> Bool {
    samples(of: item)?.isMonochrome ?? false
  }

  /// Those of a grid are its tiles'.
  private func samples(of item: Int) -> (isMonochrome: Bool, sequence: AV1Sequence?)? {
    for property in properties(of: item) + properties(of: tiles[item] ?? item) {
      if case .samples(let isMonochrome, let sequence) = property {
        return (isMonochrome, sequence)
      }
    }
    return nil
  }

  /// Whether samples have a limited range, by the code points or else by the bit stream: that of the configuration, or
  /// where that has none, and the whole file is known, that of the item.
  private func isLimited(_ file: borrowing HeaderView, _ item: Int) -> Bool {
    guard let samples = samples(of: item) else { return false }
    for property in properties(of: item) {
      if case .codePoints(_, _, let isFullRange) = property { return !isFullRange }
    }
    if let sequence = samples.sequence { return !sequence.isFullRange }
    guard let place = locations.place(of: tiles[item] ?? item),
      let sequence = try? AV1Sequence.read(file, from: place.lowerBound, to: place.upperBound)
    else { return false }
    return !sequence.isFullRange
  }

  /// An item's properties. Indices of none, among them 0, are skipped.
  private func properties(of item: Int) -> [HEIFProperty] {
    (associations[item] ?? []).map(property)
  }

  private func property(_ association: HEIFAssociation) -> HEIFProperty {
    let index = association.index
    return index > 0 && index <= properties.count ? properties[index - 1] : .other
  }
}

/// An entry of the list that says which properties an item has (`ipma`; ISO/IEC 23008-12, section 9.3.1).
struct HEIFAssociation {
  /// Of the property, from 1; 0 means no property.
  var index: Int
  /// The entry as it is stored.
  var bytes: [UInt8]
  /// Where in the file.
  var offset: Int

  /// - Parameter isWide: whether indices have 15 bits, not 7. The upper bit says whether the property is essential.
  init(_ file: borrowing HeaderView, at offset: Int, isWide: Bool) throws(HeaderStop) {
    self.offset = offset
    bytes = []
    for place in offset..<offset + (isWide ? 2 : 1) { bytes.append(UInt8(try file.byte(place))) }
    index = bytes.dropFirst().reduce(Int(bytes[0] & 0x7F)) { $0 << 8 | Int($1) }
  }
}

/// Where the bytes of items begin (`iloc`; ISO/IEC 14496-12, section 8.11.3).
struct HEIFLocations {
  /// Where the content of the `idat` box begins, in which items may be.
  var data: Int?
  private var items: [Int: (isInData: Bool, place: Range<Int>)] = [:]

  init() {}

  init(_ file: borrowing HeaderView, _ start: Int, _ end: Int) throws(HeaderStop) {
    let version = try file.byte(start)
    let sizes = try file.big16(start + 4)
    let (offsetSize, lengthSize, baseSize) = (sizes >> 12, sizes >> 8 & 15, sizes >> 4 & 15)
    let indexSize = version > 0 ? sizes & 15 : 0
    let isWide = version == 2
    var at = start + 6
    func next(_ size: Int, _ file: borrowing HeaderView) throws(HeaderStop) -> Int {
      defer { at += size }
      return switch size {
      case 0: 0
      case 2: try file.big16(at)
      case 4: try file.big32(at)
      case 8: try file.big64(at)
      default: throw .malformed("a number in its list of places has \(size) bytes")
      }
    }
    let count = try next(isWide ? 4 : 2, file)
    guard count <= HeaderLimits.steps else { throw .malformed("it has \(count) items") }
    for _ in 0..<count where at < end {
      let item = try next(isWide ? 4 : 2, file)
      let method = version > 0 ? try next(2, file) & 15 : 0
      _ = try next(2, file)  // the file it is in
      let base = try next(baseSize, file)
      let extents = try next(2, file)
      guard extents <= HeaderLimits.steps else { throw .malformed("an item is in too many pieces") }
      for extent in 0..<extents {
        _ = try next(indexSize, file)
        let offset = try base + next(offsetSize, file)
        let length = try next(lengthSize, file)
        // The first one has what is looked for.
        if extent == 0, method < 2 { items[item] = (method == 1, offset..<offset + length) }
      }
    }
  }

  /// The first bytes of an item, in the file.
  func place(of item: Int) -> Range<Int>? {
    guard let found = items[item] else { return nil }
    guard found.isInData else { return found.place }
    return data.map { found.place.lowerBound + $0..<found.place.upperBound + $0 }
  }
}

/// A property of an item in a HEIF file (ISO/IEC 23008-12, section 6.5), as far as the header uses
/// it.
enum HEIFProperty {
  case size(Int, Int)
  /// Quarter turns to the left.
  case rotation(Int)
  /// 0 is the vertical axis, 1 the horizontal one.
  case mirror(Int)
  /// The numbers of the aperture begin at an offset.
  case crop(CleanAperture, at: Int)
  /// Bits per channel.
  case depth(Int)
  case alphaPlane
  case profile
  /// Code points, and whether the range of the samples is full.
  case codePoints(primaries: Int, transfer: Int, isFullRange: Bool)
  /// Whether there is luma only, and the range if the configuration has it.
  case samples(isMonochrome: Bool, AV1Sequence?)
  /// A choice among several layers. Their lengths (`a1lx`) choose none: the uppermost layer is the image.
  case layers
  case other

  /// Whether it changes what is displayed of the image.
  var isTransform: Bool {
    switch self {
    case .rotation, .mirror, .crop: true
    default: false
    }
  }

  var isSize: Bool { if case .size = self { true } else { false } }
  var isOfLayers: Bool { if case .layers = self { true } else { false } }

  /// Reads a property from its box.
  init(_ file: borrowing HeaderView, _ box: Box) throws(HeaderStop) {
    let at = box.start
    self = .other
    // ispe, pixi and auxC are full boxes: version and flags come before their content.
    if box.type == Box.type("ispe") {
      self = .size(try file.big32(at + 4), try file.big32(at + 8))
    } else if box.type == Box.type("irot") {
      // All other bits of irot and imir are reserved.
      self = .rotation(try file.byte(at) & 3)
    } else if box.type == Box.type("imir") {
      self = .mirror(try file.byte(at) & 1)
    } else if box.type == Box.type("clap") {
      if let aperture = try CleanAperture(file, at: at) { self = .crop(aperture, at: at) }
    } else if box.type == Box.type("pixi") {
      // The number of channels, then the bits of each; the first stands for all.
      if try file.byte(at + 4) > 0 { self = .depth(try file.byte(at + 5)) }
    } else if box.type == Box.type("auxC") {
      if try Self.isAlpha(file, at: at, length: (box.end ?? at) - at) { self = .alphaPlane }
    } else if box.type == Box.type("colr") {
      // A restricted or an unrestricted ICC profile.
      if try file.has("prof", at: at) { self = .profile }
      if try file.has("rICC", at: at) { self = .profile }
      if try file.has("nclx", at: at) {
        self = .codePoints(
          primaries: try file.big16(at + 4), transfer: try file.big16(at + 6),
          isFullRange: try file.byte(at + 10) & 0x80 != 0)
      }
    } else if [Box.type("a1op"), Box.type("lsel")].contains(box.type) {
      self = .layers
    } else if box.type == Box.type("av1C"), let end = box.end {
      // Only what the sizes do not depend on.
      if let flags = try? file.byte(at + 2), end > at + 2 {
        let sequence = try? AV1Sequence.read(file, from: at + 4, to: end)
        self = .samples(
          isMonochrome: flags & 0x10 != 0 || sequence?.isMonochrome == true, sequence)
      }
    }
  }

  /// Whether an auxiliary type is alpha: the URN of MIAF and AVIF, or the older one of HEVC.
  private static func isAlpha(
    _ file: borrowing HeaderView, at offset: Int, length: Int
  ) throws(HeaderStop) -> Bool {
    if length > 40, try file.has("urn:mpeg:mpegB:cicp:systems:auxiliary:alpha", at: offset + 4) {
      return true
    }
    return length > 30 ? try file.has("urn:mpeg:hevc:2015:auxid:1", at: offset + 4) : false
  }
}
