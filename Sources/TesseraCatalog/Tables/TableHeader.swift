/// The first 64 bytes of a file of pixels, version 1. `Pipelines/CATALOG.md` describes the format.
///
/// A header that was read is consistent in itself, and with the length of its file: every place that follows
/// from it is inside the file.
package struct TableHeader: Sendable, Equatable {
  package static let size = TableFormat.headerSize

  package let pixels: TablePixels
  /// Of a cell, in pixels.
  package let width: Int
  package let height: Int
  package let rowBytes: Int
  package let count: Int
  package let entryBytes: Int
  package let pixelOffset: Int
  package let fileBytes: Int

  package init(
    pixels: TablePixels, width: Int, height: Int, rowBytes: Int, count: Int, entryBytes: Int,
    pixelOffset: Int, fileBytes: Int
  ) {
    self.pixels = pixels
    (self.width, self.height) = (width, height)
    (self.rowBytes, self.count, self.entryBytes) = (rowBytes, count, entryBytes)
    (self.pixelOffset, self.fileBytes) = (pixelOffset, fileBytes)
  }

  package var bytes: [UInt8] {
    var bytes = TableFormat.magic
    func add(_ value: Int, _ count: Int) {
      for place in 0..<count { bytes.append(UInt8(truncatingIfNeeded: value >> (8 * place))) }
    }
    for value in [TableFormat.version, pixels.code ?? 0, TableFormat.sRGB, 0] { add(value, 2) }
    for value in [width, height, rowBytes, count] { add(value, 4) }
    for value in [entryBytes, Self.size, pixelOffset, fileBytes] { add(value, 8) }
    return bytes
  }

  /// The bytes of the index.
  package var index: Range<Int> { Self.size..<Self.size + count * TableFormat.entrySize }

  /// Reads and checks a header.
  ///
  /// - Parameters:
  ///   - bytes: the first 64 bytes of the file, or fewer if it has fewer.
  ///   - fileSize: the length of the whole file.
  package init(_ bytes: [UInt8], fileSize: Int) throws(TableError) {
    guard bytes.count >= Self.size else { throw TableError("the file is cut off in its header") }
    guard bytes.starts(with: TableFormat.magic) else { throw TableError("not a table of pixels") }
    let version = bytes.number(at: 8, 2)
    guard version == TableFormat.version else {
      throw TableError("version \(version) of the format; this program reads version 1")
    }
    guard let pixels = TablePixels(code: bytes.number(at: 10, 2)) else {
      throw TableError("unknown pixel format \(bytes.number(at: 10, 2))")
    }
    guard bytes.number(at: 12, 2) == TableFormat.sRGB, bytes.number(at: 14, 2) == 0 else {
      throw TableError("unknown colour space, or reserved bytes that are not zero")
    }
    self.init(
      pixels: pixels, width: bytes.number(at: 16, 4), height: bytes.number(at: 20, 4),
      rowBytes: bytes.number(at: 24, 4), count: bytes.number(at: 28, 4),
      entryBytes: bytes.number(at: 32, 8), pixelOffset: bytes.number(at: 48, 8),
      fileBytes: bytes.number(at: 56, 8))
    guard bytes.number(at: 40, 8) == Self.size else {
      throw TableError("the index does not follow the header")
    }
    try checkSizes(pixels.bytesPerPixel ?? 0)
    guard fileSize == fileBytes else {
      throw TableError("the file has \(fileSize) bytes, and its header states \(fileBytes)")
    }
  }

  /// Whether the numbers fit together. None of them is trusted before that, so no sum or product may overflow.
  private func checkSizes(_ bytesPerPixel: Int) throws(TableError) {
    // Used sizes have 16 bits.
    guard (1...Int(UInt16.max)).contains(width), (1...Int(UInt16.max)).contains(height) else {
      throw TableError("impossible size \(width) x \(height) of a cell")
    }
    let rows = rowBytes.multipliedReportingOverflow(by: height)
    guard rowBytes >= width * bytesPerPixel, rowBytes % TableFormat.alignment == 0,
      !rows.overflow, entryBytes >= rows.partialValue, entryBytes % TableFormat.alignment == 0
    else { throw TableError("impossible lengths of rows or entries") }
    let index = count.multipliedReportingOverflow(by: TableFormat.entrySize)
    let pixels = count.multipliedReportingOverflow(by: entryBytes)
    let end = pixelOffset.addingReportingOverflow(pixels.partialValue)
    guard count > 0, !index.overflow, !pixels.overflow, !end.overflow,
      pixelOffset % TableFormat.pageBytes == 0, pixelOffset >= Self.size,
      pixelOffset - Self.size >= index.partialValue, fileBytes == end.partialValue
    else { throw TableError("impossible number or place of entries") }
  }
}

extension [UInt8] {
  /// A little-endian number without a sign; one that is too large for `Int` is negative, which no check accepts.
  func number(at offset: Int, _ count: Int) -> Int {
    var value: UInt64 = 0
    for place in (0..<count).reversed() { value = value << 8 | UInt64(self[offset + place]) }
    return Int(exactly: value) ?? -1
  }
}

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

/// The constants of the format of tables, version 1. `Pipelines/CATALOG.md` describes it.
enum TableFormat {
  static let version = 1
  /// As in PNG: a byte that is not text, the name, and line ends that a transfer as text would change.
  static let magic: [UInt8] = [0x89, 0x54, 0x53, 0x50, 0x0D, 0x0A, 0x1A, 0x0A]
  static let sRGB = 1
  static let headerSize = 64
  /// Of an entry of the index.
  static let entrySize = 24
  /// Of rows and entries: what Core Animation, and the caches of most processors, align rows to.
  static let alignment = 64
  /// Where pixels begin: the size of a memory page of Apple's and of recent Android systems, so that a
  /// mapping of the pixels alone is possible.
  static let pageBytes = 16 << 10
}

/// How the pixels of a table are stored. The raw value is the catalog's word and the extension of a
/// file's name.
public enum TablePixels: String, Codable, Sendable, CaseIterable {
  /// Blue, green, red, alpha; 8 bits each; the colours are multiplied by alpha. What Core Graphics and
  /// most displays use.
  case bgra8
  /// Red, green, blue, alpha; 8 bits each; the colours are multiplied by alpha. What Android's bitmaps and
  /// most graphics interfaces use.
  case rgba8
  /// 16 bits, little-endian: red in the upper 5, green in 6, blue in the lower 5; no alpha.
  case rgb565
  /// The brightness; no alpha.
  case grey8
  /// No ready pixels, but an atlas: all images in one WebP file, for the web.
  case webp

  /// The number of the format in a file's header; nil for an atlas.
  package var code: Int? {
    switch self {
    case .bgra8: 1
    case .rgba8: 2
    case .rgb565: 3
    case .grey8: 4
    case .webp: nil
    }
  }

  /// Nil for an atlas.
  public var bytesPerPixel: Int? {
    switch self {
    case .bgra8, .rgba8: 4
    case .rgb565: 2
    case .grey8: 1
    case .webp: nil
    }
  }

  package init?(code: Int) {
    guard let pixels = Self.allCases.first(where: { $0.code == code }) else { return nil }
    self = pixels
  }
}

/// Why a file is not a table of pixels, or not a whole one.
public struct TableError: Error, Sendable, Hashable, CustomStringConvertible {
  /// A sentence without its full stop.
  public var description: String

  package init(_ description: String) { self.description = description }
}
