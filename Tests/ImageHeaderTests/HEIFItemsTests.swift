import TesseraTestSupport
import Testing

@testable import TesseraImageHeader

/// The boxes of a HEIF file that say which item is the image, and which properties it has (ISO/IEC
/// 23008-12, section 9.3; ISO/IEC 14496-12, sections 8.11 and 8.3).
@Suite struct HEIFItemsTests {
  private typealias F = BoxFile

  private static func read(_ boxes: [UInt8]...) -> String {
    whole(joined(F.ftyp("heic"), boxes.flatMap(\.self)))
  }

  /// A meta box whose items have properties: 7 x 9, 5 x 6 and 10 bits, in this order.
  private static func meta(primary: [UInt8], _ associations: [UInt8], _ further: [UInt8] = [])
    -> [UInt8]
  {
    F.full(
      "meta", primary, further,
      F.box(
        "iprp", F.box("ipco", F.size(7, 9), F.size(5, 6), F.full("pixi", [1, 10])), associations))
  }

  private static func primary(_ item: Int, version: Int = 0) -> [UInt8] {
    F.full("pitm", version: version, be(item, version == 0 ? 2 : 4))
  }

  /// Which item has which properties.
  private static func associations(
    _ items: [(item: Int, indices: [Int])], version: Int = 0, isWide: Bool = false
  ) -> [UInt8] {
    F.full(
      "ipma", version: version, flags: isWide ? 1 : 0, be(items.count, 4),
      items.flatMap { item in
        joined(
          be(item.item, version == 0 ? 2 : 4), be(item.indices.count, 1),
          // The upper bit says that a property is essential.
          item.indices.flatMap { isWide ? be($0 | 0x8000, 2) : be($0 | 0x80, 1) })
      })
  }

  @Test(arguments: [0, 1], [false, true]) func associationsOfEachForm(
    _ version: Int, _ isWide: Bool
  ) {
    let base = version == 0 ? 0x0102 : 0x0102_0304
    let items = [(base, [3, 2]), (base + 1, [1]), (base + 2, [])]
    func read(_ item: Int) -> String {
      Self.read(
        Self.meta(
          primary: Self.primary(item, version: version),
          Self.associations(items, version: version, isWide: isWide)))
    }
    #expect(read(base) == "heic 5x6@10")
    #expect(read(base + 1) == "heic 7x9@8")
    let missing = "malformed: a HEIC image, but its primary item has no size"
    #expect(read(base + 2) == missing && read(base + 3) == missing)
  }

  /// Indices of no property, among them 0, are skipped.
  @Test func indicesCountFromOne() {
    func read(_ indices: [Int]) -> String {
      Self.read(Self.meta(primary: Self.primary(1), Self.associations([(1, indices)])))
    }
    #expect(read([0, 4, 1, 3]) == "heic 7x9@10")
    #expect(read([127, 2, 0]) == "heic 5x6@8")
    #expect(read([3]) == "malformed: a HEIC image, but its primary item has no size")
    let wide = Self.associations([(1, [0x0102, 1])], isWide: true)
    #expect(Self.read(Self.meta(primary: Self.primary(1), wide)) == "heic 7x9@8")
    #expect(
      Self.read(Self.meta(primary: [], Self.associations([(1, [1])])))
        == "malformed: a HEIC image, but it has no primary item")
  }

  @Test func hostileListsAreRejected() {
    func read(_ ipma: [UInt8]) -> String { Self.read(Self.meta(primary: Self.primary(1), ipma)) }
    let tooLong = "malformed: a HEIC image, but its list of properties is longer than its box"
    for isWide in [false, true] {
      let size = isWide ? 2 : 1
      let indices = be(1, size) + be(2, size)
      func ipma(_ count: Int) -> [UInt8] {
        F.full("ipma", flags: isWide ? 1 : 0, be(1, 4), be(1, 2), be(count, 1), indices)
      }
      #expect(read(ipma(1)) == "heic 7x9@8" && read(ipma(2)) == "heic 7x9@8")
      #expect(read(ipma(3)) == tooLong)
    }
    expectMost(4_096) { count in
      let items = (0..<count).map { (item: $0, indices: $0 == 1 ? [1] : []) }
      let text = read(Self.associations(items))
      #expect(text == "heic 7x9@8" || text == "malformed: a HEIC image, but it has \(count) items")
      return text == "heic 7x9@8"
    }
  }

  // MARK: Alpha

  private static func auxiliary(_ urn: String) -> [UInt8] { F.full("auxC", ascii(urn), [0]) }

  /// A file whose item 2 has an auxiliary type and is an auxiliary image of others.
  private static func withAuxiliary(
    _ urn: String, of items: [Int] = [1], from: Int = 2, version: Int = 0, type: String = "auxl",
    count: Int? = nil
  ) -> String {
    let size = version == 0 ? 2 : 4
    let references = F.full(
      "iref", version: version, F.box("dimg", be(1, size), be(1, 2), be(2, size)),
      F.box(type, be(from, size), be(count ?? items.count, 2), items.flatMap { be($0, size) }))
    return read(
      F.full(
        "meta", primary(1, version: version), references,
        F.box(
          "iprp", F.box("ipco", F.size(), auxiliary(urn)),
          associations([(1, [1]), (2, [1, 2])], version: version))))
  }

  private static let alpha = "urn:mpeg:mpegB:cicp:systems:auxiliary:alpha"

  @Test(arguments: [0, 1]) func anAuxiliaryImageIsAlpha(_ version: Int) {
    func read(_ urn: String, of items: [Int] = [1], from: Int = 2, type: String = "auxl") -> String
    {
      Self.withAuxiliary(urn, of: items, from: from, version: version, type: type)
    }
    #expect(read(Self.alpha) == "heic 7x9@8 alpha")
    #expect(read("urn:mpeg:hevc:2015:auxid:1") == "heic 7x9@8 alpha")
    #expect(read(Self.alpha, of: [5, 6, 1]) == "heic 7x9@8 alpha")
    // Depth maps, other images' planes, images without the type, and other references.
    #expect(read("urn:mpeg:hevc:2015:auxid:2") == "heic 7x9@8")
    #expect(read("urn:mpeg:mpegB:cicp:systems:auxiliary:depth") == "heic 7x9@8")
    #expect(
      read(Self.alpha, of: [5, 6]) == "heic 7x9@8" && read(Self.alpha, of: []) == "heic 7x9@8")
    #expect(read(Self.alpha, from: 1) == "heic 7x9@8" && read(Self.alpha, from: 3) == "heic 7x9@8")
    #expect(read(Self.alpha, type: "thmb") == "heic 7x9@8")
    #expect(read("short") == "heic 7x9@8" && read("urn:mpeg:hevc:2015:auxid") == "heic 7x9@8")
  }

  @Test(arguments: [0, 1]) func aListOfReferencesEndsWithItsBox(_ version: Int) {
    let tooLong = "malformed: a HEIC image, but a list of references is longer than its box"
    for count in 0...4 {
      let text = Self.withAuxiliary(Self.alpha, of: [7, 1, 8], version: version, count: count)
      #expect(text == (count > 3 ? tooLong : count < 2 ? "heic 7x9@8" : "heic 7x9@8 alpha"))
    }
  }

  // MARK: Boxes

  @Test func boxesOfEachLength() {
    let meta = F.meta([F.size()])
    let long = joined(be(1, 4), ascii("free"), be(24, 8), zeros(8))
    #expect(Self.read(F.box("free"), F.box("mdat", zeros(20)), long, meta) == "heic 7x9@8")
    for length in 2..<8 {
      #expect(
        Self.read(joined(be(length, 4), ascii("free"), meta))
          == "malformed: a HEIC image, but a box is \(length) bytes long")
    }
    expectLeast(16) { length in
      let text = Self.read(
        joined(be(1, 4), ascii("free"), be(length, 8), zeros(max(0, length - 16)), meta))
      return text == "heic 7x9@8"
    }
    // To the end of the file.
    #expect(
      Self.read(joined(be(0, 4), ascii("mdat"), meta))
        == "malformed: a HEIC image, but it has no meta box")
    #expect(
      Self.read(joined(be(0, 4), Array(meta.dropFirst(4))))
        == "malformed: a HEIC image, but its meta box has no end")
    #expect(
      Self.read(joined(be(0, 4), ascii("moov"), zeros(30)))
        == "malformed: a HEIC image, but its movie box has no end")
    #expect(Self.read() == "malformed: a HEIC image, but it has no meta box")
    expectMost(4_094) { count in
      Self.read((0..<count).flatMap { _ in F.box("free") }, meta) == "heic 7x9@8"
    }
  }

  /// A child ends with its parent, or before it; one of no length ends with it.
  @Test func aBoxEndsWithItsParent() {
    func read(_ length: Int) -> String {
      var file = Self.meta(
        primary: Self.primary(1), Self.associations([(1, [1])]), F.box("free", zeros(12)))
      let child = 12 + 14
      file.replaceSubrange(child..<child + 4, with: be(length, 4))
      return Self.read(file, zeros(500))
    }
    #expect(read(20) == "heic 7x9@8")
    let tooLong = "malformed: a HEIC image, but a box is longer than its parent"
    #expect(read(400) == tooLong)
    // The rest of the parent, without properties.
    #expect(read(0) == "malformed: a HEIC image, but its primary item has no size")
  }

  /// Without a meta box, the first track that has a size.
  @Test func theFirstVisibleTrackHasTheSize() {
    func track(_ width: Int, _ height: Int, _ name: String = "tkhd") -> [UInt8] {
      F.box("trak", F.box("edts"), F.full(name, zeros(70), be(width, 4), be(height, 4)))
    }
    func read(_ tracks: [UInt8]...) -> String {
      whole(joined(F.ftyp("avis"), F.box("moov", tracks.flatMap(\.self))))
    }
    #expect(read(track(0x0102 << 16, 0x0304 << 16)) == "avif 258x772@8 animated")
    #expect(read(F.box("mvhd"), track(0, 0), track(7 << 16, 9 << 16)) == "avif 7x9@8 animated")
    #expect(
      read(track(0, 9 << 16), track(7 << 16, 0), track(5 << 16, 6 << 16)) == "avif 5x6@8 animated")
    #expect(read(track(1 << 16, 1 << 16), track(7 << 16, 9 << 16)) == "avif 1x1@8 animated")
    let missing = "malformed: an AVIF image, but it has no meta box"
    #expect(
      read(track(0xFFFF, 9 << 16)) == missing && read(track(7 << 16, 9 << 16, "xxxx")) == missing)
    let meta = F.meta([F.size()])
    #expect(
      whole(joined(F.ftyp("avis"), F.box("moov", track(0, 0)), meta)) == "avif 7x9@8 animated")
  }

  /// The whole meta box is requested at once, up to 64 KiB of it.
  @Test func theMetaBoxIsRequestedAtOnce() {
    let file = joined(F.ftyp("heic"), F.box("free", zeros(100)), F.meta([F.size()]))
    #expect(
      requests(file) == [
        "0..<32", "124..<128", "128..<132", "136..<\(file.count)", "heic 7x9@8",
      ])
    let large = joined(F.ftyp("heic"), F.meta([F.size()], further: F.box("idat", zeros(70_000))))
    #expect(requests(large).dropFirst().first == "28..<65564")
    #expect(requests(large).last == "heic 7x9@8")
    #expect(
      answersByLength(file) == [
        // The file may end behind any box: only within the meta box it is cut off.
        "0 not-image", "8 truncated", "12 malformed: a HEIC image, but it has no meta box",
        "132 truncated", "\(file.count) heic 7x9@8",
      ])
  }
}
