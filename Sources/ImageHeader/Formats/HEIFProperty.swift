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
