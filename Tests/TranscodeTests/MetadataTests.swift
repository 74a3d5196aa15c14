import TesseraCVips
import TesseraImageHeader
import TesseraPlan
import TesseraTestSupport
import Testing

@testable import TesseraTranscode

extension LibvipsTests {
  @Suite struct MetadataTests {
    init() throws { try #require(LibvipsTests.isReady) }

    /// A row of a TIFF directory: a tag, its type, and a value of up to four bytes or an offset.
    private func row(_ tag: Int, _ type: Int, _ count: Int, _ value: [UInt8]) -> [UInt8] {
      big(tag, 2) + big(type, 2) + big(count, 4) + (value + [0, 0, 0]).prefix(4)
    }

    private func directory(_ rows: [[UInt8]], next: Int = 0) -> [UInt8] {
      big(rows.count, 2) + rows.flatMap(\.self) + big(next, 4)
    }

    /// All directories: the image with an orientation, Exif with a note of the maker, a location,
    /// interoperability, and a preview.
    private var block: [UInt8] {
      // Directories have 2 + 12 n + 4 bytes.
      let exif = 8 + 2 + 12 * 7 + 4
      let gps = exif + 2 + 12 * 3 + 4
      let other = gps + 2 + 12 + 4
      let preview = other + 2 + 12 + 4
      return Array("MM".utf8) + [0, 42] + big(8, 4)
        + directory(
          [
            row(271, 2, 4, Array("Abc\0".utf8)), row(274, 3, 1, [0, 6]), row(700, 1, 2, [1, 2]),
            row(33723, 1, 2, [1, 2]), row(34377, 1, 2, [1, 2]), row(34665, 4, 1, big(exif, 4)),
            row(34853, 4, 1, big(gps, 4)),
          ], next: preview)
        + directory([
          row(37500, 7, 4, [1, 2, 3, 4]), row(40961, 3, 1, [0xFF, 0xFF]),
          row(40965, 4, 1, big(other, 4)),
        ]) + directory([row(1, 2, 2, [78, 0])]) + directory([row(1, 2, 4, Array("R03\0".utf8))])
        + directory([row(259, 3, 1, [0, 6])])
    }

    private let packet = "<a tiff:Orientation=\"6\" dc:title=\"b\"/>"
    private let record: [UInt8] = [0x1C, 2, 5, 0, 1, 65]
    private let place: [UInt8] = [0x1C, 2, 90, 0, 1, 66]

    /// With metadata of every kind.
    private func image(xmp: String? = nil, iptc: [UInt8]? = nil) throws -> Raster {
      let image = try Raster.drawn(40, 30) { x, y in [x, y, 9] }.withExif(block).copy()
      image.set(Raster.profileField, [1, 2, 3])
      image.set(Raster.xmpField, Array((xmp ?? packet).utf8))
      image.set(Raster.iptcField, iptc ?? record + place)
      image.set("tessera-other", [5])
      image.set("page-height", 10)
      image.set("n-pages", 3)
      image.set("loop", 7)
      return try image.withXMPExamined()
    }

    private func fields(_ image: Raster) throws -> Set<String> {
      Set(try image.fieldNames()).subtracting(try Raster.black().fieldNames())
    }

    private func kept(
      _ policy: MetadataPolicy, _ image: Raster, isAnimation: Bool = false
    ) throws -> (MetadataPolicy, Set<String>) {
      let (raster, kinds) = try image.prepared(keeping: policy, isAnimation: isAnimation)
      return (kinds, try fields(raster))
    }

    @Test func nothingIsKeptWithoutAPolicy() throws {
      #expect(try kept(.strip, image()) == (.strip, []))
      #expect(try kept(.location, image()) == (.strip, []))
      #expect(
        try kept(.strip, image(), isAnimation: true)
          == (.strip, ["page-height", "n-pages", "loop"]))
    }

    @Test func eachKindIsKeptByItsPolicy() throws {
      let image = try image()
      #expect(try kept(.icc, image) == (.icc, [Raster.profileField]))
      #expect(try kept(.xmp, image) == (.xmp, [Raster.xmpField]))
      #expect(try kept(.iptc, image) == (.iptc, [Raster.iptcField]))
      let own = try kept(.exif, image)
      let names: Set<String> = ["exif-ifd0-Make", "exif-ifd2-ColorSpace", Raster.exifField]
      #expect(own.0 == .exif && own.1.isSuperset(of: names))
      // No orientation, maker's note, preview, other format's block, or location.
      let others = [
        "Orientation", "MakerNote", "XMLPacket", "IPTC", "ImageResources", "InteroperabilityIndex",
        "ifd1", "ifd3",
      ]
      for name in own.1 { #expect(!others.contains { name.contains($0) }, "\(name)") }
      let placed = try kept([.exif, .location], image)
      #expect(placed.0 == .exif)
      #expect(placed.1.subtracting(own.1) == ["exif-ifd3-GPSLatitudeRef"])
      // The profile as well: what Exif says of the colours stays.
      let all = try kept(.keep, image)
      #expect(all.0 == .keep)
      #expect(all.1.contains("exif-ifd4-InteroperabilityIndex"))
    }

    @Test func exifStatesTheColoursOfTheFile() throws {
      for (policy, text) in [(MetadataPolicy.exif, "1 ("), ([.exif, .icc], "65535 (")] {
        let image = try image().prepared(keeping: policy, isAnimation: false).0
        #expect(try #require(image.text("exif-ifd2-ColorSpace")).hasPrefix(text))
      }
      // Where it says nothing, nothing is added.
      let bare =
        Array("MM".utf8) + [0, 42] + big(8, 4) + directory([row(271, 2, 4, Array("Abc\0".utf8))])
      let image = try Raster.drawn(2, 2) { _, _ in [1, 2, 3] }.withExif(bare)
      let before = image.hasField("exif-ifd2-ColorSpace")
      #expect(
        try image.prepared(keeping: .exif, isAnimation: false).0.hasField("exif-ifd2-ColorSpace")
          == before)
    }

    @Test func exifNeedsItsBlock() throws {
      let image = try image().withoutField(Raster.exifField)
      #expect(try kept([.exif, .location], image).0 == .strip)
    }

    @Test func aLocationInIPTCIsRemoved() throws {
      func block(_ policy: MetadataPolicy, _ iptc: [UInt8]) throws -> [UInt8]? {
        let (raster, kinds) = try image(iptc: iptc).prepared(keeping: policy, isAnimation: false)
        let block = raster.blob(Raster.iptcField).map(Array.init)
        #expect(kinds == (block == nil ? .strip : .iptc))
        return block
      }
      #expect(try block(.iptc, record + place) == IPTCBlock.clean(record, keepsLocation: true))
      #expect(
        try block([.iptc, .location], record + place)
          == IPTCBlock.clean(record + place, keepsLocation: true))
      #expect(try block(.iptc, place) == nil)
      #expect(try block(.iptc, [1, 2, 3]) == nil)
    }

    @Test func aPacketIsKeptAsAWholeOrNotAtAll() throws {
      func kinds(_ xmp: String, _ policy: MetadataPolicy) throws -> MetadataPolicy {
        try kept(policy, image(xmp: xmp)).0
      }
      let (placed, preview) = ("<a geo:lat=\"1\"/>", "<xmp:Thumbnails/>")
      #expect(try kinds(packet, .xmp) == .xmp)
      #expect(try kinds(placed, .xmp) == .strip && kinds(placed, [.xmp, .location]) == .xmp)
      #expect(try kinds(preview, .xmp) == .strip && kinds(preview, [.xmp, .location]) == .strip)
      #expect(try image().xmp == Array(packet.replacing("6", with: "1").utf8))
      // One that was not examined may contain anything.
      let plain = try Raster.drawn(2, 2) { _, _ in [1, 2, 3] }
      #expect(plain.xmp == [])
      #expect(try plain.withXMPExamined() === plain)
      plain.set(Raster.xmpField, Array(packet.utf8))
      #expect(try kept([.xmp, .location], plain).0 == .strip)
    }

    // MARK: Exif blocks

    @Test func aBlockIsReadAndWritten() throws {
      let image = try image()
      #expect(image.orientation == 1)
      let written = try #require(try image.exifBlock())
      let again = try Raster.drawn(40, 30) { _, _ in [1, 2, 3] }.withExif(written)
      #expect(again.text("exif-ifd0-Make") == image.text("exif-ifd0-Make"))
      #expect(again.text("exif-ifd0-Make")?.hasPrefix("Abc (") == true)
      // It states the size of the image.
      #expect(again.text("exif-ifd2-PixelXDimension")?.hasPrefix("40 ") == true)
      #expect(try Raster.drawn(2, 2) { _, _ in [1, 2, 3] }.exifBlock() == nil)
      // An image without Exif, one that is too large for a JPEG, and a block that is none.
      let long = try Raster.of(
        samples: [UInt8](repeating: 0, count: 65_501 * 3), width: 65_501, height: 1, bands: 3)
      #expect(try long.withExif(block).exifBlock() == nil)
      let plain = try Raster.drawn(2, 2) { _, _ in [1, 2, 3] }
      #expect(try plain.withExif([UInt8](repeating: 0, count: 70_000)) === plain)
    }

    @Test func unreadMetadataIsAdded() throws {
      func with(_ image: Raster, exif: [UInt8]?, xmp: [UInt8]?) throws -> Raster {
        try withSource([]) {
          var metadata = UnreadMetadata(of: $0, .png)
          (metadata.exif, metadata.xmp) = (exif, xmp)
          return try image.with(metadata)
        }
      }
      let plain = try Raster.drawn(2, 2) { _, _ in [1, 2, 3] }
      #expect(try with(plain, exif: nil, xmp: nil) === plain)
      let both = try with(plain, exif: block, xmp: [60])
      #expect(both.xmp == [60] && both.text("exif-ifd0-Make") != nil && plain.xmp == [])
      // As libvips 8.14 has XMP of HEIC.
      for (text, isPacket) in [("<?xpacket a", true), ("<x:xmpmeta b", true), ("<other", false)] {
        let image = try plain.copy()
        image.set("heif-mime-0", Array("<html>".utf8))
        image.set("heif-mime-1", Array(text.utf8))
        image.set("other-mime-2", Array("<?xpacket c".utf8))
        let made = try with(image, exif: nil, xmp: nil)
        #expect(made.xmp == (isPacket ? Array(text.utf8) : []))
        image.set(Raster.xmpField, [61])
        #expect(try with(image, exif: nil, xmp: nil).xmp == [61])
      }
    }
  }
}

extension Raster {
  /// The value of a field with a text.
  fileprivate func text(_ name: String) -> String? {
    var text: UnsafePointer<CChar>?
    guard hasField(name), vips_image_get_string(handle, name, &text) == 0 else { return nil }
    return text.map { String(cString: $0) }
  }
}
