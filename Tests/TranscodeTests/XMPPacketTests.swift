import Testing

@testable import TesseraTranscode

@Suite struct XMPPacketTests {
  private static func content(_ packet: String) -> [Bool] {
    let content = XMPPacket.content(of: Array(packet.utf8))
    return [content.statesLocation, content.hasPreview]
  }

  /// Schemas of Exif, IPTC, Photoshop, W3C, drones and catalogs of images.
  @Test(arguments: [
    "exif:GPSLatitude", "exif:GPSAltitudeRef", "drone-dji:RelativeLatitude", "a:Longitude",
    "drone-dji:GpsLongtitude", "dji:longtitude", "Iptc4xmpCore:Location", "b:LocationShown",
    "photoshop:Country", "Iptc4xmpCore:CountryCode", "photoshop:City", "photoshop:State",
    "geo:lat", "geo:long", "geo:lng", "geo:lon", "x:CITY",
  ])
  func namesOfPlacesStateALocation(_ name: String) {
    for packet in ["<\(name)>1</\(name)>", "<a:b \(name)=\"1\"/>", "<a:b/><\(name)/> <c:d/>"] {
      #expect(Self.content(packet) == [true, false], "\(packet)")
    }
  }

  @Test(arguments: [
    "photoshop:Capacity", "photoshop:CityCode", "xmp:Statement", "x:estate", "geo:latter",
    "geo:alat", "dc:longer", "dc:lone", "photoshop:ICCProfile", "exif:ColorSpace", "tiff:Make",
    "latitude:", ":", "::", "xmpGImage:a", "a:b",
  ])
  func otherNamesDoNot(_ name: String) {
    #expect(Self.content("<\(name)>city state gps</\(name)> gps thumbnail ") == [false, false])
  }

  @Test(arguments: [
    "xmp:Thumbnails", "a:PhotoThumbnail", "xmpGImg:image", "XMPGIMG:format", "xapGImg:thumbnail",
    // Further images of the file: gain maps of HDR, and lists of images.
    "hdrgm:Version", "HDRGainMap:HDRGainMapVersion", "Container:Directory",
  ])
  func previewsAreNoticed(_ name: String) {
    #expect(Self.content("<\(name)>1</\(name)>") == [false, true])
    #expect(Self.content("\(name) ") == [false, true])
  }

  @Test func bothMayBeThere() {
    #expect(Self.content("<xmp:Thumbnails/><geo:lat/>") == [true, true])
    #expect(Self.content("<geo:lat/><xmp:Thumbnails/><a:b/>") == [true, true])
    #expect(Self.content("") == [false, false])
    #expect(Self.content("no names") == [false, false])
    // UTF-16 is not read.
    #expect(Self.content("a\0b") == [true, true])
  }

  /// All characters of names in ASCII are part of one, and no others.
  @Test func aNameEndsAtAnyOtherCharacter() {
    for byte in UInt8(1)...127 where byte != UInt8(ascii: ":") {
      let packet = Array("<a:la".utf8) + [byte] + Array("t/>".utf8)
      let character = Character(UnicodeScalar(byte))
      let isName = character.isLetter || character.isNumber || "-_".contains(character)
      // A name goes on with its own characters: "la-gps" has "gps" in it, and "la/gps" does not.
      let other = Array("<a:la".utf8) + [byte] + Array("gps/>".utf8)
      #expect(XMPPacket.content(of: other).statesLocation == isName, "\(byte)")
      #expect(!XMPPacket.content(of: packet).statesLocation, "\(byte)")
    }
  }

  /// Names are looked at as far as those of schemas reach.
  @Test func aNameHasAMostLength() {
    func states(_ length: Int) -> Bool {
      Self.content("<a:gps" + String(repeating: "x", count: length - 3) + "/>")[0]
    }
    #expect(states(98) && states(99) && !states(100) && !states(101))
  }

  // MARK: Orientation

  @Test(arguments: [
    ("<a tiff:Orientation=\"6\"/>", "<a tiff:Orientation=\"1\"/>"),
    ("<a tiff:Orientation = '8'/>", "<a tiff:Orientation = '1'/>"),
    ("<tiff:Orientation>3</tiff:Orientation>", "<tiff:Orientation>1</tiff:Orientation>"),
    ("<tiff:Orientation>0<", "<tiff:Orientation>1<"),
    ("tiff:Orientation> 9", "tiff:Orientation> 1"),
    (
      "<a tiff:Orientation='6'/><b tiff:Orientation='7'/> 8",
      "<a tiff:Orientation='1'/><b tiff:Orientation='1'/> 8"
    ),
    ("tiff:ttiff:Orientation='5'", "tiff:ttiff:Orientation='1'"),
    ("<tiff:Orientation x='6'/>", "<tiff:Orientation x='6'/>"),
    ("<exif:Orientation>6<", "<exif:Orientation>6<"), ("tiff:Orientation", "tiff:Orientation"),
    ("tiff:Orientation=", "tiff:Orientation="), ("tiff:Orientation=\"", "tiff:Orientation=\""),
    ("tiff:Orientation=/6", "tiff:Orientation=/6"), ("tiff:Orientation>:", "tiff:Orientation>:"),
    ("", ""), ("<x/>", "<x/>"),
  ])
  func theOrientationBecomesUpright(_ packet: String, _ upright: String) {
    #expect(String(decoding: XMPPacket.upright(Array(packet.utf8)), as: UTF8.self) == upright)
  }
}

/// IIM 4.2, within Photoshop's image resources.
@Suite struct IPTCBlockTests {
  private static func set(_ number: Int, _ value: [UInt8], record: UInt8 = 2) -> [UInt8] {
    [0x1C, record, UInt8(number)] + big(value.count, 2) + value
  }

  /// - Parameter name: with its length, padded to an even size.
  private static func resource(
    _ number: Int, _ content: [UInt8], name: [UInt8] = [0, 0]
  ) -> [UInt8] {
    Array("8BIM".utf8) + big(number, 2) + name + big(content.count, 4) + content
      + (content.count % 2 == 1 ? [0] : [])
  }

  private static let mark = Array("Photoshop 3.0\0".utf8)
  private static let title = set(5, [65, 66, 67])

  private func clean(_ block: [UInt8], _ keepsLocation: Bool = false) -> [UInt8]? {
    IPTCBlock.clean(block, keepsLocation: keepsLocation)
  }

  private static func block(_ record: [UInt8]) -> [UInt8] { mark + resource(0x404, record) }

  @Test(arguments: [26, 27, 90, 92, 95, 100, 101])
  func aLocationIsRemovedUnlessItIsKept(_ number: Int) {
    let place = Self.set(number, [1, 2])
    let whole = Self.block(Self.title + place + Self.title)
    #expect(clean(whole) == Self.block(Self.title + Self.title))
    #expect(clean(whole, true) == whole)
    // Only in the record of the application.
    let other = Self.block(Self.set(number, [1, 2], record: 3) + Self.title)
    #expect(clean(other) == other)
    #expect(clean(Self.block(place)) == nil)
  }

  @Test func allOtherDataSetsStay() {
    let places = [26, 27, 90, 92, 95, 100, 101]
    let all = (0...255).map { ($0, Self.set($0, [UInt8($0)])) }
    let kept = all.filter { !places.contains($0.0) }.flatMap(\.1)
    #expect(clean(Self.block(all.flatMap(\.1))) == Self.block(kept))
  }

  @Test func otherResourcesAreRemoved() {
    let others =
      Self.resource(0x040C, [1, 2, 3]) + Self.resource(0x2710, [], name: [3, 65, 66, 67])
      + Self.resource(0x0403, [9], name: [2, 65, 66, 0]) + Self.resource(0x0504, [4, 4])
    let record = Self.title + Self.set(120, [7])
    let whole = Self.mark + others + Self.resource(0x0404, record) + others
    #expect(clean(whole) == Self.block(record))
    #expect(clean(Self.mark + others) == nil)
    // A bare record, as TIFF has it.
    #expect(clean(record) == Self.block(record))
    #expect(clean(Self.set(5, [1, 2])) == Self.block(Self.set(5, [1, 2])))
  }

  @Test func whatCannotBeReadIsRemoved() {
    let whole = Self.block(Self.title)
    #expect(clean(whole) == whole)
    #expect(clean([]) == nil)
    #expect(clean(Array(whole.dropFirst())) == nil)
    #expect(clean(Self.mark) == nil)
    for count in 0..<whole.count { #expect(clean(Array(whole[..<count])) == nil, "\(count)") }
    // Another signature of a resource.
    var other = whole
    other[Self.mark.count] = 57
    #expect(clean(other) == nil)
    // A name that is longer than the block.
    other = whole
    other[Self.mark.count + 6] = 200
    #expect(clean(other) == nil)
  }

  @Test func aDataSetEndsWithTheRecord() {
    #expect(clean(Self.title + [9]) == Self.block(Self.title))
    #expect(clean(Self.title + Self.title.dropLast()) == nil)
    #expect(clean(Self.title + Self.title.prefix(4)) == Self.block(Self.title))
    #expect(clean(Self.set(5, [])) == Self.block(Self.set(5, [])))
    // A length of more than 15 bits is the length of a length.
    let most = Self.set(5, [UInt8](repeating: 1, count: 0x7FFF))
    #expect(clean(most) == Self.block(most))
    #expect(clean(Self.set(5, [UInt8](repeating: 1, count: 0x8000))) == nil)
  }
}
