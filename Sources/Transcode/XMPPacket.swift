/// An XMP packet (ISO 16684-1), looked at as text: it is kept as a whole, or not.
enum XMPPacket {
  /// What a packet holds that policies care about.
  struct Content {
    var tellsPlace = false
    var hasPreview = false
  }

  /// What names of properties that tell a place have in them, or are: of Exif, IPTC, Photoshop, W3C's geo, drones,
  /// editors of films and catalogs.
  private static let placeParts = [
    "gps", "latitude", "longitude", "longtitude", "location", "country",
  ]
  private static let places: Set<String> = ["city", "state", "lat", "long", "lng", "lon"]
  private static let previewPart = "thumbnail"
  private static let previewPrefix = "xmpgimg"

  /// Names are looked for in bytes, all in one pass: packets of many megabytes exist.
  static func content(of packet: [UInt8]) -> Content {
    // One in UTF-16, which is allowed, is not read, and so may hold anything.
    if packet.contains(0) { return Content(tellsPlace: true, hasPreview: true) }
    var content = Content()
    var offset = 0
    while let colon = packet[offset...].firstIndex(of: UInt8(ascii: ":")) {
      let end = packet[(colon + 1)...].prefix(longestName).firstIndex { !isName($0) }
      offset = colon + 1
      guard let end, end > colon + 1 else { continue }
      let name = lowercased(packet[colon + 1..<end])
      if places.contains(name) || placeParts.contains(where: name.contains) {
        content.tellsPlace = true
      }
      let start = packet[..<colon].suffix(previewPrefix.utf8.count)
      if name.contains(previewPart) || lowercased(start) == previewPrefix {
        content.hasPreview = true
      }
    }
    return content
  }

  private static let longestName = 100

  /// Whether a byte is part of a property's name (XML 1.0, 2.3); what is beyond ASCII is none of ours.
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

  /// The packet with an orientation of 1: pictures are upright.
  static func upright(_ packet: [UInt8]) -> [UInt8] {
    var packet = packet
    let name = Array("tiff:Orientation".utf8)
    var offset = 0
    while offset + name.count + 2 < packet.count {
      if packet[offset] == name[0], packet[offset..<offset + name.count].elementsEqual(name) {
        // As an attribute ="6", or as an element >6<.
        var place = offset + name.count
        while place < packet.count, [0x20, 0x3D, 0x22, 0x27, 0x3E].contains(packet[place]) {
          place += 1
        }
        if place < packet.count, (0x30...0x39).contains(packet[place]) {
          packet[place] = UInt8(ascii: "1")
        }
        offset = place
      } else {
        offset += 1
      }
    }
    return packet
  }
}
