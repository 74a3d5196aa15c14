/// Whether a GIF file is whole: its blocks, walked by their lengths, come to the trailer.
///
/// libvips 8.14.1 decodes what there is of a cut GIF and says nothing, so this is asked before. Bytes
/// behind the last complete block count for nothing, and a file that ends exactly behind a frame,
/// without its trailer, has lost nothing that can be seen.
package enum GIFStructure {
  package static func isWhole(_ bytes: Span<UInt8>) -> Bool {
    guard bytes.count >= 13 else { return false }
    var offset = 13 + GIFHeader.paletteSize(Int(bytes[10]))
    var frames = 0
    while offset < bytes.count {
      switch bytes[offset] {
      case 0x3B: return frames > 0
      case 0x21: offset += 2
      case 0x2C:
        guard offset + 9 < bytes.count else { return false }
        offset += 11 + GIFHeader.paletteSize(Int(bytes[offset + 9]))
        frames += 1
      default: return frames > 0  // rubbish behind the last block
      }
      // Data in parts with their lengths, up to a length of nothing.
      while true {
        guard offset < bytes.count else { return false }
        let length = Int(bytes[offset])
        offset += 1 + length
        if length == 0 { break }
      }
    }
    return frames > 0
  }
}
