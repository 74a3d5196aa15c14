/// An XMP packet (ISO 16684-1), looked at as text: it is kept as a whole, or not.
enum XMPPacket {
  /// What a packet holds that policies care about.
  struct Content {
    var tellsPlace = false
    var hasPreview = false
  }

  private static let places = [
    ":GPS", "geo:lat", "geo:long", "photoshop:City", "photoshop:State", "photoshop:Country",
    "Iptc4xmpCore:Location", "Iptc4xmpCore:CountryCode", "LocationCreated", "LocationShown",
  ]
  private static let previews = ["xmp:Thumbnails", "xap:Thumbnails", "xmpGImg:"]

  static func content(of packet: [UInt8]) -> Content {
    // One in UTF-16, which is allowed, is not read, and so may hold anything.
    if packet.contains(0) { return Content(tellsPlace: true, hasPreview: true) }
    let text = String(decoding: packet, as: UTF8.self)
    return Content(
      tellsPlace: places.contains { text.contains($0) },
      hasPreview: previews.contains { text.contains($0) })
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
