import Foundation
import TesseraCatalog
import TesseraTestSupport

/// A file of pixels whose bytes follow from ids and places, so that each byte can be checked.
struct TableFixture {
  struct Image {
    var id: String
    var width: Int
    var height: Int
  }

  static let images = (0..<9).map { Image(id: "id \($0) ä", width: 3 + $0, height: 12 - $0) }

  let geometry: TableGeometry
  let bytes: [UInt8]

  init(_ pixels: TablePixels = .bgra8, _ images: [Image] = images) throws {
    let sorted = images.map { ($0, TableHash.of($0.id)) }
      .sorted { $0.1.lexicographicallyPrecedes($1.1) }
    guard
      let geometry = TableGeometry(
        pixels, width: images.map(\.width).max() ?? 0, height: images.map(\.height).max() ?? 0)
    else { throw TableError("no such table") }
    self.geometry = geometry
    let header = geometry.header(count: images.count)
    var bytes =
      header.bytes
      + TableIndex.bytes(
        sorted.map { .init(hash: $0.1, width: $0.0.width, height: $0.0.height) })
    bytes += [UInt8](repeating: 0, count: header.pixelOffset - bytes.count)
    for (image, _) in sorted {
      var entry = [UInt8](repeating: 0, count: geometry.entryBytes)
      for row in 0..<image.height {
        for place in 0..<image.width * (pixels.bytesPerPixel ?? 0) {
          entry[row * geometry.rowBytes + place] = Self.byte(image.id, row, place)
        }
      }
      bytes += entry
    }
    self.bytes = bytes
  }

  static func byte(_ id: String, _ row: Int, _ place: Int) -> UInt8 {
    UInt8(truncatingIfNeeded: id.utf8.reduce(7) { $0 &* 31 &+ Int($1) } &+ row &* 17 &+ place)
  }
}
