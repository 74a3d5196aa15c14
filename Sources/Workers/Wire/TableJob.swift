package import TesseraCatalog
package import TesseraPlan

/// A request to a worker: the pixels of some entries of a table, or a whole atlas.
///
/// Two descriptors come with it: the published files of the entries, one after the other, and memory for the result.
/// The result is one file: an entry's bytes for each entry, or the encoded atlas.
package struct TableJob: Sendable, Equatable, Codable {
  package var pixels: TablePixels
  /// From the start of a row to that of the next one, and of an entry.
  package var rowBytes: Int
  package var entryBytes: Int
  /// What transparent pixels are drawn on in formats without alpha.
  package var background: Colour
  /// Nil if pixels are made.
  package var atlas: Atlas?
  package var maximumPixels: Int
  package var entries: [Entry]

  /// One image of a table.
  package struct Entry: Sendable, Equatable, Codable {
    /// Of the image's file among the source's bytes.
    package var offset: Int
    package var length: Int
    /// By its catalog name.
    package var format: String
    /// What the file must have.
    package var size: Size
    /// In the atlas; zero without one.
    package var x = 0
    package var y = 0

    package init(offset: Int, length: Int, format: String, size: Size) {
      (self.offset, self.length, self.format, self.size) = (offset, length, format, size)
    }
  }

  /// How an atlas is encoded.
  package struct Atlas: Sendable, Equatable, Codable {
    package var size: Size
    package var quality: Int
    package var effort: Int

    package init(size: Size, quality: Int, effort: Int) {
      (self.size, self.quality, self.effort) = (size, quality, effort)
    }
  }

  package init(
    pixels: TablePixels, rowBytes: Int, entryBytes: Int, background: Colour,
    atlas: Atlas? = nil, maximumPixels: Int, entries: [Entry]
  ) {
    self.pixels = pixels
    (self.rowBytes, self.entryBytes) = (rowBytes, entryBytes)
    (self.background, self.atlas) = (background, atlas)
    (self.maximumPixels, self.entries) = (maximumPixels, entries)
  }
}
