/// An XMP packet (ISO 16684-1), searched as text: a packet is kept as a whole or not at all.
enum XMPPacket {
  /// What a metadata policy has to know about a packet.
  struct Content {
    var statesLocation = false
    /// Whether it has a preview, or says that the file has further images, which no output has: gain maps of HDR, depth,
    /// a film.
    var hasPreview = false
  }

  /// Parts and whole names of properties that state a location, in the schemas of Exif, IPTC,
  /// Photoshop, W3C's geo vocabulary, drones, film editors and image catalogs. "longtitude" is
  /// DJI's spelling.
  private static let locationParts = [
    "gps", "latitude", "longitude", "longtitude", "location", "country",
  ]
  private static let locationNames: Set<String> = ["city", "state", "lat", "long", "lng", "lon"]
  private static let previewPart = "thumbnail"
  /// Of properties of Adobe's previews; of gain maps by Adobe and by Apple; and of Google's list of a file's images.
  private static let previewPrefixes = ["xmpgimg", "hdrgm", "hdrgainmap", "container"]

  /// Finds the names of properties in one pass over the bytes: packets of many megabytes exist.
  static func content(of packet: [UInt8]) -> Content {
    // UTF-16 is allowed but not read here, so such a packet may contain anything.
    if packet.contains(0) { return Content(statesLocation: true, hasPreview: true) }
    var content = Content()
    var offset = 0
    while let colon = packet[offset...].firstIndex(of: UInt8(ascii: ":")) {
      let end = packet[(colon + 1)...].prefix(longestName).firstIndex { !isName($0) }
      offset = colon + 1
      guard let end, end > colon + 1 else { continue }
      let name = lowercased(packet[colon + 1..<end])
      if locationNames.contains(name) || locationParts.contains(where: name.contains) {
        content.statesLocation = true
      }
      let prefix = lowercased(packet[..<colon].suffix(longestPrefix))
      if name.contains(previewPart) || previewPrefixes.contains(where: prefix.hasSuffix) {
        content.hasPreview = true
      }
    }
    return content
  }

  private static let longestPrefix = previewPrefixes.map(\.utf8.count).max() ?? 0

  /// Longer than the name of any property in the schemas above.
  private static let longestName = 100

  /// Whether a byte is part of an XML name (XML 1.0, 2.3). No name above has characters beyond
  /// ASCII.
  private static func isName(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
      true
    default: false
    }
  }

  private static func lowercased(_ bytes: ArraySlice<UInt8>) -> String {
    String(decoding: bytes, as: UTF8.self).lowercased()
  }

  /// The packet with an orientation of 1, because every output is upright.
  static func upright(_ packet: [UInt8]) -> [UInt8] {
    var packet = packet
    let name = Array("tiff:Orientation".utf8)
    var offset = 0
    while offset + name.count + 2 < packet.count {
      guard packet[offset] == name[0], packet[offset..<offset + name.count].elementsEqual(name)
      else {
        offset += 1
        continue
      }
      // The value follows as an attribute (="6") or as an element (>6<).
      var place = offset + name.count
      while place < packet.count, Array(" =\"'>".utf8).contains(packet[place]) { place += 1 }
      if place < packet.count, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(packet[place]) {
        packet[place] = UInt8(ascii: "1")
      }
      offset = place
    }
    return packet
  }
}
