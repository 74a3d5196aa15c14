/// Counts the frames of a GIF or a WebP in a stream of its bytes, of which it keeps none.
///
/// A frame that begins counts, even if its bytes end too early: a decoder shows it.
package struct FrameCounter: Sendable {
  /// At least 1.
  package var count: Int { max(1, frames) }
  private var frames = 0

  /// What the next bytes are.
  private enum Part {
    /// GIF 89a, sections 17 to 24: the screen, what a block is, an extension's label, a frame's descriptor, and the length of a
    /// data sub-block.
    case screen, block, label, descriptor, data
    /// RFC 9649, section 2.3: the container's header, and that of a chunk.
    case container, chunk
    case end
  }

  private var part: Part
  private var bytes: [UInt8] = []
  /// The bytes of the part.
  private var length: Int
  /// Bytes before it that are of no interest.
  private var skipped = 0

  /// Nil for a format whose header says how many frames there are, or that has one.
  package init?(_ format: ImageFormat) {
    switch format {
    case .gif: (part, length) = (.screen, 13)
    case .webp: (part, length) = (.container, 12)
    default: return nil
    }
  }

  /// Adds the next bytes, in pieces of any length.
  package mutating func add(_ piece: RawSpan) {
    var rest = unsafe piece.withUnsafeBytes { unsafe Array($0) }[...]
    while part != .end, !rest.isEmpty {
      if skipped > 0 {
        let count = min(skipped, rest.count)
        skipped -= count
        rest = rest.dropFirst(count)
        continue
      }
      let wanted = rest.prefix(length - bytes.count)
      bytes += wanted
      rest = rest.dropFirst(wanted.count)
      if bytes.count == length { read() }
    }
  }

  private mutating func read() {
    let bytes = self.bytes
    self.bytes = []
    switch part {
    case .screen: expect(.block, 1, after: GIFStructure.paletteSize(Int(bytes[10])))
    case .block where bytes[0] == 0x21: expect(.label, 1)
    case .block where bytes[0] == 0x2C: expect(.descriptor, 9)
    // The trailer, or stray bytes after the last block.
    case .block, .end: part = .end
    case .label: expect(.data, 1)
    case .descriptor:
      frames += 1
      // A table of colours may follow, and the minimum code size.
      expect(.data, 1, after: GIFStructure.paletteSize(Int(bytes[8])) + 1)
    case .data: expect(bytes[0] == 0 ? .block : .data, 1, after: Int(bytes[0]))
    case .container: expect(.chunk, 8)
    case .chunk:
      if bytes.starts(with: "ANMF".utf8) { frames += 1 }
      let length = (4..<8).reversed().reduce(0) { $0 << 8 | Int(bytes[$1]) }
      // Chunks are padded to an even length.
      expect(.chunk, 8, after: length + length % 2)
    }
  }

  private mutating func expect(_ part: Part, _ length: Int, after skipped: Int = 0) {
    (self.part, self.length, self.skipped) = (part, length, skipped)
  }
}
