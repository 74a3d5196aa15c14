public import Foundation
public import TesseraCatalog

/// A file of ready pixels, mapped into memory: an image is drawn without reading a file, decoding it, or copying its
/// pixels first. The system reads the pages that are used, and drops them when memory is short.
///
///     let table = try PixelTable(contentsOf: file)
///     table.withPixels(of: "p1") { pixels in draw(pixels) }
///
/// Opening checks everything that a lookup depends on, so that no file, whatever is in it, leads outside of its bytes.
/// It may be used from any thread.
public final class PixelTable: Sendable {
  /// How pixels are stored.
  public let pixels: TablePixels
  /// Of a cell, in pixels: the most that an image has.
  public let width: Int
  /// Of a cell, in pixels: the most that an image has.
  public let height: Int
  /// The number of images.
  public let count: Int

  let file: MappedTable
  private let header: TableHeader
  private let entries: [TableIndex.Entry]

  /// Maps a file and checks it.
  ///
  /// - Parameter file: a `file:` URL.
  /// - Throws: `TableError` if it is missing, damaged, cut off or something else.
  public init(contentsOf file: URL) throws(TableError) {
    let mapped = try MappedTable(file)
    header = try TableHeader(Array(mapped.bytes.prefix(TableHeader.size)), fileSize: mapped.count)
    // The header is consistent with the file's length, so the index is inside of it.
    entries = try TableIndex.entries(Array(mapped.bytes[header.index]), header)
    self.file = mapped
    (pixels, width, height) = (header.pixels, header.width, header.height)
    count = header.count
  }

  /// The pixels of one image, in the file's memory.
  public struct Pixels {
    /// From the first row to the end of the last one. Valid only inside of the closure that receives them.
    public let bytes: UnsafeRawBufferPointer
    /// In pixels.
    public let width: Int
    /// In pixels.
    public let height: Int
    /// From the start of a row to that of the next one.
    public let rowBytes: Int
    /// How pixels are stored.
    public let format: TablePixels
  }

  /// Calls `body` with the pixels of an image. Returns nil, without a call, if the file does not have the image.
  public func withPixels<Value>(
    of id: String, _ body: (Pixels) throws -> Value
  ) rethrows -> Value? {
    guard let place = place(of: id) else { return nil }
    // The object keeps the mapping, and must stay until the closure has returned.
    return try withExtendedLifetime(self) { try body(pixels(at: place)) }
  }

  func place(of id: String) -> Int? { TableIndex.place(of: TableHash.of(id), in: entries) }

  func pixels(at place: Int) -> Pixels {
    let entry = entries[place]
    let start = header.pixelOffset + place * header.entryBytes
    let end = start + header.rowBytes * entry.height
    return Pixels(
      bytes: UnsafeRawBufferPointer(rebasing: file.bytes[start..<end]), width: entry.width,
      height: entry.height, rowBytes: header.rowBytes, format: pixels)
  }

  /// Whether the file is the one that a catalog describes.
  func matches(_ described: CatalogTable.File, _ format: TablePixels) -> Bool {
    pixels == format && width == described.width && height == described.height
      && count == described.count && file.count == described.bytes
  }
}
