internal import Glibc

/// How a gain map turns its image into one of higher dynamic range (ISO 21496-1, clause 5): for a sample of the map from 0
/// to 1 and linear samples of the images,
///
///     gain = minimum + (maximum - minimum) * sample ^ (1 / gamma)
///     alternate = (base + baseOffset) * 2 ^ gain - alternateOffset
struct GainMapMetadata: Equatable {
  /// Of red, green or blue, or of all of them.
  struct Channel: Equatable {
    /// Stops: binary logarithms of factors.
    var minimum = 0.0
    var maximum: Double
    var gamma = 1.0
    var baseOffset = 1.0 / 64
    var alternateOffset = 1.0 / 64
  }

  /// One or three.
  var channels: [Channel]
  /// How bright a screen can be, in stops above the white of a page, up to which the image is shown without the map.
  var baseHeadroom = 0.0
  /// Where the map is applied in full.
  var alternateHeadroom: Double

  /// The greatest brightness of the image, relative to the white of a page; rounded to hundredths.
  var headroom: Double { (exp2(alternateHeadroom) * 100).rounded() / 100 }

  /// Nil if a value is impossible.
  init?(channels: [Channel], baseHeadroom: Double = 0, alternateHeadroom: Double) {
    // More stops than there are between starlight and the sun; comparisons with NaN are false.
    func isStops(_ value: Double) -> Bool { abs(value) <= 32 }
    guard baseHeadroom >= 0, baseHeadroom < alternateHeadroom,
      (0.015...16).contains(alternateHeadroom),
      channels.count == 1 || channels.count == 3,
      channels.allSatisfy({ channel in
        isStops(channel.minimum) && isStops(channel.maximum) && channel.minimum <= channel.maximum
          && (0.01...100).contains(channel.gamma) && isStops(channel.baseOffset)
          && isStops(channel.alternateOffset)
      })
    else { return nil }
    self.channels = channels
    self.baseHeadroom = baseHeadroom
    self.alternateHeadroom = alternateHeadroom
  }

  // MARK: Binary form

  /// Reads the block of ISO 21496-1, annex C, which follows ``JPEGContainer/gainMapMark``. Nil also for a map of what is
  /// not handled here: one that makes an image of lower range, or works in the colours of the other image.
  init?(block: [UInt8]) {
    var reader = Reader(bytes: block[...])
    guard reader.integer(2) == 0, reader.integer(2) != nil, let flags = reader.integer(1),
      flags & Flag.usesBaseColours != 0, flags & Flag.isBackward == 0
    else { return nil }
    if flags & Flag.hasCommonDenominator != 0 { reader.denominator = reader.integer(4) }
    guard let base = reader.fraction(isSigned: false), let other = reader.fraction(isSigned: false)
    else { return nil }
    var channels: [Channel] = []
    for _ in 0..<(flags & Flag.hasThreeChannels != 0 ? 3 : 1) {
      guard let minimum = reader.fraction(), let maximum = reader.fraction(),
        let gamma = reader.fraction(isSigned: false), let baseOffset = reader.fraction(),
        let alternateOffset = reader.fraction()
      else { return nil }
      channels.append(
        Channel(
          minimum: minimum, maximum: maximum, gamma: gamma, baseOffset: baseOffset,
          alternateOffset: alternateOffset))
    }
    self.init(channels: channels, baseHeadroom: base, alternateHeadroom: other)
  }

  /// The block of ISO 21496-1, annex C.
  var block: [UInt8] {
    let flags = Flag.usesBaseColours | (channels.count == 3 ? Flag.hasThreeChannels : 0)
    var bytes: [UInt8] = [0, 0, 0, 0, UInt8(flags)]
    var numbers = [baseHeadroom, alternateHeadroom]
    for channel in channels {
      numbers += [
        channel.minimum, channel.maximum, channel.gamma, channel.baseOffset,
        channel.alternateOffset,
      ]
    }
    for number in numbers {
      let numerator = Int32((number * Double(Self.denominator)).rounded())
      bytes += UInt32(bitPattern: numerator).bigEndianBytes + Self.denominator.bigEndianBytes
    }
    return bytes
  }

  /// Of all fractions that are written.
  private static let denominator: UInt32 = 1_000_000

  private enum Flag {
    static let hasThreeChannels = 0x80
    static let usesBaseColours = 0x40
    // Two of libultrahdr's own.
    static let hasCommonDenominator = 0x08
    static let isBackward = 0x04
  }

  private struct Reader {
    var bytes: ArraySlice<UInt8>
    /// Of all fractions; nil if each has its own.
    var denominator: Int?

    mutating func integer(_ count: Int) -> Int? {
      guard bytes.count >= count else { return nil }
      defer { bytes = bytes.dropFirst(count) }
      return bytes.prefix(count).reduce(0) { $0 << 8 | Int($1) }
    }

    mutating func fraction(isSigned: Bool = true) -> Double? {
      guard let number = integer(4), let denominator = denominator ?? integer(4), denominator != 0
      else { return nil }
      let numerator = isSigned ? Int(Int32(truncatingIfNeeded: number)) : number
      return Double(numerator) / Double(denominator)
    }
  }
}

/// The form in XMP: Adobe's "hdrgm" 1.0, which Ultra HDR has, and Apple's.
extension GainMapMetadata {
  /// Nil also for a map that makes an image of lower range.
  init?(packet: [UInt8]) {
    guard !XMPProperty("hdrgm:Version").values(in: packet).isEmpty,
      XMPProperty("hdrgm:BaseRenditionIsHDR").values(in: packet).first.map({
        $0.lowercased() == "false"
      }) ?? true,
      let maximums = Self.numbers("GainMapMax", nil, packet),
      let minimums = Self.numbers("GainMapMin", 0, packet),
      let gammas = Self.numbers("Gamma", 1, packet),
      let bases = Self.numbers("OffsetSDR", 1 / 64, packet),
      let alternates = Self.numbers("OffsetHDR", 1 / 64, packet),
      let base = Self.numbers("HDRCapacityMin", 0, packet)?.first,
      let other = Self.numbers("HDRCapacityMax", nil, packet)?.first
    else { return nil }
    let count = [maximums, minimums, gammas, bases, alternates].map(\.count).max() ?? 1
    let channels = (0..<count).map { index in
      func number(_ list: [Double]) -> Double { list.count == count ? list[index] : list[0] }
      return Channel(
        minimum: number(minimums), maximum: number(maximums), gamma: number(gammas),
        baseOffset: number(bases), alternateOffset: number(alternates))
    }
    self.init(channels: channels, baseHeadroom: base, alternateHeadroom: other)
  }

  /// A value for all channels or for each; nil if it is not a number, or missing without a default.
  private static func numbers(
    _ name: String, _ otherwise: Double?, _ packet: [UInt8]
  ) -> [Double]? {
    let texts = XMPProperty("hdrgm:" + name).values(in: packet)
    if texts.isEmpty { return otherwise.map { [$0] } }
    let numbers = texts.compactMap { Double($0) }
    return numbers.count == texts.count && [1, 3].contains(numbers.count) ? numbers : nil
  }

  /// What Apple's maps mean: the factor is 1 for a sample of 0, and the headroom for the greatest, in between linear in the
  /// light that the sample stands for. ``appleCurve(headroom:)`` makes the samples so.
  ///
  /// - Returns: nil if the packet is not of such a map, or does not say the headroom.
  static func apple(packet: [UInt8]) -> (metadata: Self, curve: [UInt8])? {
    guard !XMPProperty("HDRGainMap:HDRGainMapVersion").values(in: packet).isEmpty,
      let headroom = XMPProperty("HDRGainMap:HDRGainMapHeadroom").values(in: packet).first
        .flatMap({ Double($0) }), headroom > 1,
      let metadata = Self(
        channels: [Channel(maximum: log2(headroom), baseOffset: 0, alternateOffset: 0)],
        alternateHeadroom: log2(headroom))
    else { return nil }
    return (metadata, appleCurve(headroom: headroom))
  }

  /// The sample of a map by ISO 21496-1 for each one of Apple's, which are coded as BT.709 codes light.
  static func appleCurve(headroom: Double) -> [UInt8] {
    (0...255).map { sample in
      let value = Double(sample) / 255
      let light = value < 0.081 ? value / 4.5 : pow((value + 0.099) / 1.099, 1 / 0.45)
      return UInt8((log2(1 + (headroom - 1) * light) / log2(headroom) * 255).rounded())
    }
  }

  /// The packet of a map.
  var packet: [UInt8] {
    let properties: [(String, KeyPath<Channel, Double>)] = [
      ("GainMapMin", \.minimum), ("GainMapMax", \.maximum), ("Gamma", \.gamma),
      ("OffsetSDR", \.baseOffset), ("OffsetHDR", \.alternateOffset),
    ]
    var attributes =
      " hdrgm:HDRCapacityMin=\"\(baseHeadroom)\" hdrgm:HDRCapacityMax=\"\(alternateHeadroom)\""
      + " hdrgm:BaseRenditionIsHDR=\"False\""
    var elements = ""
    for (name, value) in properties {
      if channels.count == 1 {
        attributes += " hdrgm:\(name)=\"\(channels[0][keyPath: value])\""
      } else {
        let list = channels.map { "<rdf:li>\($0[keyPath: value])</rdf:li>" }.joined()
        elements += "<hdrgm:\(name)><rdf:Seq>\(list)</rdf:Seq></hdrgm:\(name)>"
      }
    }
    return Self.packet(namespaces: "", attributes, elements)
  }

  /// The packet of the image that a map of `length` bytes follows.
  static func packetOfImage(mapLength length: Int) -> [UInt8] {
    func item(_ meaning: String, _ rest: String) -> String {
      "<rdf:li rdf:parseType=\"Resource\"><Container:Item Item:Semantic=\"\(meaning)\""
        + " Item:Mime=\"image/jpeg\"\(rest)/></rdf:li>"
    }
    let list = item("Primary", "") + item("GainMap", " Item:Length=\"\(length)\"")
    return packet(
      namespaces: " xmlns:Container=\"http://ns.google.com/photos/1.0/container/\""
        + " xmlns:Item=\"http://ns.google.com/photos/1.0/container/item/\"", "",
      "<Container:Directory><rdf:Seq>\(list)</rdf:Seq></Container:Directory>")
  }

  private static func packet(
    namespaces: String, _ attributes: String, _ elements: String
  ) -> [UInt8] {
    Array(
      ("<x:xmpmeta xmlns:x=\"adobe:ns:meta/\">"
        + "<rdf:RDF xmlns:rdf=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\">"
        + "<rdf:Description xmlns:hdrgm=\"http://ns.adobe.com/hdr-gain-map/1.0/\"\(namespaces)"
        + " hdrgm:Version=\"1.0\"\(attributes)>\(elements)</rdf:Description></rdf:RDF></x:xmpmeta>")
        .utf8)
  }
}

/// A property of an XMP packet by its usual name, searched as text.
struct XMPProperty {
  private let name: [UInt8]

  init(_ name: String) { self.name = Array(name.utf8) }

  /// Its value, or the values of its list: as an attribute, as an element, or as one with a list of elements.
  func values(in packet: [UInt8]) -> [String] {
    var rest = packet[...]
    while let place = rest.firstRange(of: name) {
      rest = packet[place.upperBound...]
      guard let next = rest.first else { return [] }
      if next == UInt8(ascii: ">") {
        return Self.elements(rest.dropFirst().prefix(upTo: end(rest)))
      }
      // A space may stand on both sides of "="; a longer name goes on otherwise.
      let value = rest.drop(while: Self.isSpace)
      guard value.first == UInt8(ascii: "=") else { continue }
      let quoted = value.dropFirst().drop(while: Self.isSpace)
      guard let quote = quoted.first, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'")
      else { continue }
      return [Self.text(quoted.dropFirst().prefix { $0 != quote })]
    }
    return []
  }

  /// Where the element's own end is.
  private func end(_ rest: ArraySlice<UInt8>) -> Int {
    rest.firstRange(of: Array("</".utf8) + name)?.lowerBound ?? rest.endIndex
  }

  private static func elements(_ content: ArraySlice<UInt8>) -> [String] {
    // The texts between all tags; of a list those of its elements.
    content.split(separator: UInt8(ascii: "<")).compactMap { part in
      let isFirst = part.startIndex == content.startIndex
      let value =
        isFirst ? part : part.firstIndex(of: UInt8(ascii: ">")).map { part[($0 + 1)...] } ?? []
      let text = text(value)
      return text.isEmpty ? nil : text
    }
  }

  private static func isSpace(_ byte: UInt8) -> Bool { [0x20, 0x09, 0x0A, 0x0D].contains(byte) }

  private static func text(_ bytes: ArraySlice<UInt8>) -> String {
    let start = bytes.drop(while: isSpace)
    let end = start.lastIndex { !isSpace($0) }
    return String(decoding: end.map { start[...$0] } ?? [], as: UTF8.self)
  }
}
