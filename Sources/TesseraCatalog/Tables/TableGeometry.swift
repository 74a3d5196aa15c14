/// Where the parts of a file of pixels are. All entries of a file have equal places, so an entry is found
/// without reading any other.
package struct TableGeometry: Sendable, Equatable {
  package let pixels: TablePixels
  /// Of a cell, in pixels.
  package let width: Int
  package let height: Int
  /// From the start of a row to that of the next one.
  package let rowBytes: Int
  /// From the start of an entry to that of the next one.
  package let entryBytes: Int

  /// Longer sides are not for tables: a cell of this size takes 4 MiB.
  package static let longestSide = 1_024
  /// The number of entries of one file. With more, a new image would change a larger part of all pixels;
  /// with fewer, an app would open more files.
  package static let maximumCount = 2_000

  /// Nil for an atlas, and for sides that no table has.
  package init?(_ pixels: TablePixels, width: Int, height: Int) {
    guard let bytes = pixels.bytesPerPixel, (1...Self.longestSide).contains(width),
      (1...Self.longestSide).contains(height)
    else { return nil }
    self.pixels = pixels
    (self.width, self.height) = (width, height)
    rowBytes = Self.rounded(width * bytes, to: TableFormat.alignment)
    entryBytes = rowBytes * height
  }

  static func rounded(_ bytes: Int, to alignment: Int) -> Int {
    (bytes + alignment - 1) / alignment * alignment
  }

  /// The header of a file with this many entries.
  package func header(count: Int) -> TableHeader {
    let pixelOffset = Self.rounded(
      TableFormat.headerSize + count * TableFormat.entrySize, to: TableFormat.pageBytes)
    return TableHeader(
      pixels: pixels, width: width, height: height, rowBytes: rowBytes, count: count,
      entryBytes: entryBytes, pixelOffset: pixelOffset,
      fileBytes: pixelOffset + count * entryBytes)
  }
}
