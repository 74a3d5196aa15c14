import Foundation
import TesseraImageHeader
import TesseraTestSupport
import Testing

/// Files that encoders have written, whole and cut off.
@Suite struct FileEndTests {
  private static func isWhole(_ bytes: [UInt8], _ format: ImageFormat) -> Bool {
    FileEnd.isThere(bytes.span, format)
  }

  /// The start of a box.
  private static func box(_ length: UInt8, _ type: String) -> [UInt8] {
    [0, 0, 0, length] + Array(type.utf8)
  }

  @Test(arguments: [
    "jpg": ImageFormat.jpeg, "png": .png, "webp": .webp, "avif": .avif, "heic": .heic,
  ])
  func aCutFileHasNoEnd(_ ending: String, _ format: ImageFormat) async throws {
    let folder = try TemporaryFolder()
    let path = folder.path("x.\(ending)")
    let made = try await Tool.run(
      "/usr/bin/vips", ["copy", Places.fixture("plain.jpg").path, path])
    try #require(made.status == 0, "\(made.errors)")
    let bytes = [UInt8](try Data(contentsOf: URL(filePath: path)))
    #expect(Self.isWhole(bytes, format))
    // In the data of the image, which is the last part.
    for count in bytes.count / 2..<bytes.count {
      #expect(!Self.isWhole(Array(bytes.prefix(count)), format), "\(count)")
    }
    #expect(!Self.isWhole([UInt8](), format))
  }

  /// A bare code stream of JPEG XL does not say how long it is; one in boxes does.
  @Test func boxesLeadToTheEnd() {
    #expect(!Self.isWhole([0xFF, 0x0A, 0x01], .jxl))
    let boxes: [UInt8] = Self.box(12, "JXL ") + [0x0D, 0x0A, 0x87, 0x0A]
    #expect(Self.isWhole(boxes, .jxl))
    #expect(!Self.isWhole(Array(boxes.dropLast()), .jxl))
    // The last box may go to the end of the file, and a length may have 64 bits.
    #expect(Self.isWhole(boxes + Self.box(0, "jxlc") + [1], .jxl))
    let long: [UInt8] = Self.box(1, "jxlc") + [0, 0, 0, 0, 0, 0, 0, 17, 1]
    #expect(Self.isWhole(boxes + long, .jxl))
    #expect(!Self.isWhole(boxes + long.dropLast(), .jxl))
    #expect(!Self.isWhole(boxes + Self.box(7, "jxlc"), .jxl))
  }
}
