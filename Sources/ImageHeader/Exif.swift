/// The orientation in a block of Exif, which is a small TIFF file (Exif 2.32, section 4.5).
enum Exif {
  /// The value of tag 0x0112 in the first directory; nil where there is none, where it is none of
  /// the eight, or where the block is damaged: a picture is never refused for its Exif.
  static func orientation(in block: Span<UInt8>) -> Orientation? {
    let isLittleEndian: Bool
    if block.matches("II*\0") {
      isLittleEndian = true
    } else if block.matches("MM\0*") {
      isLittleEndian = false
    } else {
      return nil
    }
    func short(_ offset: Int) throws(HeaderStop) -> Int {
      try isLittleEndian ? block.littleEndian16(offset) : block.bigEndian16(offset)
    }
    func long(_ offset: Int) throws(HeaderStop) -> Int {
      try isLittleEndian ? block.littleEndian32(offset) : block.bigEndian32(offset)
    }
    do throws(HeaderStop) {
      let directory = try long(4)
      let count = try short(directory)
      for index in 0..<count {
        let entry = directory + 2 + index * 12
        guard try short(entry) == 0x0112 else { continue }
        // Type 3 is SHORT, 4 LONG; some writers use the wrong one.
        switch try short(entry + 2) {
        case 3: return Orientation(rawValue: try short(entry + 8))
        case 4: return Orientation(rawValue: try long(entry + 8))
        default: return nil
        }
      }
      return nil
    } catch {
      return nil
    }
  }
}
