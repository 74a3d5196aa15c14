import Foundation
import TesseraImageHeader
import TesseraTestSupport
import Testing

/// Compares the displayed size and the orientation with those of libvips, which decodes the images:
/// if the two differ, libvips is right.
@Suite struct LibvipsTests {
  private struct Unread: Error {
    var path: String
  }

  /// What libvips' own commands report of a file.
  private struct Truth: Equatable {
    var width: Int
    var height: Int
    var orientation: Int
  }

  private static func truth(_ path: String, in folder: TemporaryFolder) async throws -> Truth {
    let upright = folder.path("upright.v")
    let turned = try await Tool.run("/usr/bin/vips", ["autorot", path, upright])
    try #require(turned.status == 0, "\(path): \(turned.errors)")
    func field(_ name: String, of path: String) async throws -> Int? {
      let shown = try await Tool.run("/usr/bin/vipsheader", ["-f", name, path])
      return Int(shown.output.trimmingCharacters(in: .whitespacesAndNewlines))
    }
    return Truth(
      width: try #require(try await field("width", of: upright)),
      height: try #require(try await field("height", of: upright)),
      orientation: try await field("orientation", of: path) ?? 1)
  }

  private static func header(_ bytes: [UInt8], _ path: String) throws -> ImageHeader {
    guard case .header(let header) = ImageHeader.read(bytes.span, isWhole: true) else {
      throw Unread(path: path)
    }
    return header
  }

  @Test func agreesOverAllFixtures() async throws {
    let folder = try TemporaryFolder()
    var names = try Places.images().filter { $0 != "make" }
    let sizes = try FileManager.default.contentsOfDirectory(
      atPath: Places.fixture("sizes").path)
    names += sizes.map { "sizes/\($0)" }
    #expect(names.count >= 36)
    for name in names {
      let truth = try await Self.truth(Places.fixture(name).path, in: folder)
      let header = try Self.header(try Places.bytes(name), name)
      #expect(header.width == truth.width && header.height == truth.height, "\(name): \(truth)")
      // libvips rotates images of these formats while it loads them, and then reports no
      // orientation.
      if ![.heic, .avif, .jxl].contains(header.format) {
        #expect(header.orientation.rawValue == truth.orientation, "\(name)")
      }
    }
  }

  /// Exif with the errors of real programs: other types, several blocks, other places.
  @Test func agreesOverOddExif() async throws {
    let folder = try TemporaryFolder()
    let plain = try Places.bytes("plain.jpg")
    let frame = try #require(plain.indices.first { plain[$0...].starts(with: [0xFF, 0xC0, 0]) })
    let behindFrame = frame + 2 + Int(plain[frame + 2]) << 8 + Int(plain[frame + 3])
    func jpeg(_ blocks: [UInt8]..., at place: Int = 2) -> [UInt8] {
      var bytes = plain
      var segments: [UInt8] = []
      for block in blocks {
        segments += [0xFF, 0xE1, 0, UInt8(block.count + 8)] + Array("Exif\0\0".utf8) + block
      }
      bytes.insert(contentsOf: segments, at: place)
      return bytes
    }
    typealias Case = (name: String, bytes: [UInt8])
    let cases: [Case] = [
      ("byte", jpeg(exif(1, [6, 0, 0, 0]))), ("ascii", jpeg(exif(2, count: 2, [0x36, 0, 0, 0]))),
      ("short", jpeg(exif(3, [0, 6, 0, 0]))), ("long", jpeg(exif(4, [0, 0, 0, 6]))),
      ("rational", jpeg(exif(5, [0, 0, 0, 26], [0, 0, 0, 6, 0, 0, 0, 1]))),
      ("signed byte", jpeg(exif(6, [6, 0, 0, 0]))), ("undefined", jpeg(exif(7, [6, 0, 0, 0]))),
      ("signed short", jpeg(exif(8, [0, 6, 0, 0]))), ("signed long", jpeg(exif(9, [0, 0, 0, 6]))),
      ("two shorts", jpeg(exif(3, count: 2, [0, 6, 0, 3]))),
      ("three shorts", jpeg(exif(3, count: 3, [0, 0, 0, 26], [0, 6, 0, 1, 0, 1]))),
      ("none", jpeg(exif(3, count: 0, [0, 6, 0, 0]))), ("nine", jpeg(exif(3, [0, 9, 0, 0]))),
      ("zero", jpeg(exif(3, [0, 0, 0, 0]))), ("aligned wrongly", jpeg(exif(3, [6, 0, 0, 0]))),
      ("illegal, then right", jpeg(exif(3, [0, 99, 0, 0]), exif(3, [0, 6, 0, 0]))),
      ("two blocks", jpeg(exif(3, [0, 8, 0, 0]), exif(3, [0, 6, 0, 0]))),
      ("behind the frame header", jpeg(exif(3, [0, 6, 0, 0]), at: behindFrame)),
      ("empty, then right", jpeg([], exif(3, [0, 6, 0, 0]))),
      ("no TIFF", jpeg(Array("MM\0U".utf8) + exif(3, [0, 6, 0, 0]).dropFirst(4))),
    ]
    for (name, bytes) in cases {
      let path = folder.path("odd.jpg")
      try Data(bytes).write(to: URL(filePath: path))
      let truth = try await Self.truth(path, in: folder)
      let header = try Self.header(bytes, name)
      // Later versions of libexif read no text as a number; browsers do.
      if name == "ascii", truth.orientation == 1 { continue }
      #expect(header.orientation.rawValue == truth.orientation, "\(name)")
      #expect(header.width == truth.width && header.height == truth.height, "\(name)")
    }
  }

  /// A code stream in parts of any length.
  @Test func agreesOverJPEGXLInParts() async throws {
    let folder = try TemporaryFolder()
    let bare = try Places.bytes("sizes/alpha.jxl")
    #expect(bare.prefix(2) == [0xFF, 0x0A])
    func box(_ type: String, _ content: [UInt8]) -> [UInt8] {
      let length = content.count + 8
      return [0, 0, UInt8(length >> 8), UInt8(length & 0xFF)] + Array(type.utf8) + content
    }
    for cuts in [[0], [1], [3], [2, 3, 5], [40]] {
      var bytes = box("JXL ", [13, 10, 0x87, 10]) + box("ftyp", Array("jxl \0\0\0\0jxl ".utf8))
      var start = 0
      for (number, end) in (cuts + [bare.count]).enumerated() {
        let isLast: UInt8 = end == bare.count ? 0x80 : 0
        bytes += box("jxlp", [isLast, 0, 0, UInt8(number)] + bare[start..<end])
        start = end
      }
      let path = folder.path("parts.jxl")
      try Data(bytes).write(to: URL(filePath: path))
      let truth = try await Self.truth(path, in: folder)
      let header = try Self.header(bytes, "\(cuts)")
      #expect(header.width == truth.width && header.height == truth.height, "\(cuts)")
      #expect(header.hasAlpha)
    }
  }

  /// Exif in PNG counts before the pixels, and not after them.
  @Test func agreesOverExifInPNG() async throws {
    let folder = try TemporaryFolder()
    let plain = try Places.bytes("grey.png")
    let block = exif(3, [0, 6, 0, 0])
    let prefixed = Array("Exif\0\0".utf8) + block
    let text = chunk("iTXt", Array("XML:com.adobe.xmp".utf8) + [UInt8](repeating: 0, count: 6_000))
    let cases: [(name: String, chunks: [UInt8], place: Int)] = [
      ("before", chunk("eXIf", block), 33), ("after", chunk("eXIf", block), plain.count - 12),
      ("prefixed", chunk("eXIf", prefixed), 33), ("after a text", text + chunk("eXIf", block), 33),
      ("twice", chunk("eXIf", exif(3, [0, 8, 0, 0])) + chunk("eXIf", block), 33),
    ]
    for (name, chunks, place) in cases {
      var bytes = plain
      bytes.insert(contentsOf: chunks, at: place)
      let path = folder.path("exif.png")
      try Data(bytes).write(to: URL(filePath: path))
      let truth = try await Self.truth(path, in: folder)
      let header = try Self.header(bytes, name)
      #expect(header.width == truth.width && header.height == truth.height, "\(name): \(truth)")
      #expect(header.orientation.rawValue == truth.orientation, "\(name)")
      // Over a network the answer is the same, whatever precedes the Exif chunk.
      var reader = HeaderReader(fileSize: bytes.count)
      var ahead = ReadAhead.network
      while case .needs(let wanted) = reader.reading, let window = ahead.next(for: wanted) {
        let part = window.clamped(to: 0..<bytes.count)
        reader.add(bytes.span.extracting(part), at: part.lowerBound)
      }
      guard case .header(let probed) = reader.reading else {
        Issue.record("\(name): \(reader.reading)")
        continue
      }
      #expect(probed == header, "\(name)")
    }
  }

  /// A GIF whose first frame is larger than its screen, or whose screen has no size.
  @Test(
    arguments: [
      [6, 0, 4, 0], [0, 0, 0, 0], [255, 0, 255, 0], [0, 0, 50, 0],
      // 641 x 480 and 2048 x 2048: libnsgif trusts other sizes less than browsers do.
      [0x81, 2, 0xE0, 1], [0, 8, 0, 8],
    ] as [[UInt8]])
  func agreesOverAFrameLargerThanItsScreen(_ screen: [UInt8]) async throws {
    let folder = try TemporaryFolder()
    var bytes = try Places.bytes("animated.gif")
    bytes.replaceSubrange(6..<10, with: screen)
    let path = folder.path("screen.gif")
    try Data(bytes).write(to: URL(filePath: path))
    let truth = try await Self.truth(path, in: folder)
    let header = try Self.header(bytes, "screen.gif")
    #expect(header.width == truth.width && header.height == truth.height, "\(truth)")
  }
}

/// A block of Exif with one entry, the orientation. `further` follows the directory, at byte 26.
private func exif(
  _ type: UInt8, count: UInt8 = 1, _ value: [UInt8], _ further: [UInt8] = []
) -> [UInt8] {
  Array("MM\0*".utf8) + [0, 0, 0, 8, 0, 1, 0x01, 0x12, 0, type, 0, 0, 0, count] + value
    + [0, 0, 0, 0] + further
}

private func chunk(_ name: String, _ content: [UInt8]) -> [UInt8] {
  let body = Array(name.utf8) + content
  // CRC-32 of PNG (W3C PNG, annex D).
  var crc: UInt32 = 0xFFFF_FFFF
  for byte in body {
    crc ^= UInt32(byte)
    for _ in 0..<8 { crc = crc & 1 == 1 ? crc >> 1 ^ 0xEDB8_8320 : crc >> 1 }
  }
  func big(_ value: UInt32) -> [UInt8] { (0..<4).map { UInt8(value >> (24 - 8 * $0) & 0xFF) } }
  return big(UInt32(content.count)) + body + big(~crc)
}
