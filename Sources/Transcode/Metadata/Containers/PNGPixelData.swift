internal import TesseraBytes

/// The compressed pixels of a PNG file (ISO/IEC 15948, sections 7 to 10).
enum PNGPixelData {
  /// Whether the data inflates to exactly the rows of the image: nothing is missing, and nothing is
  /// hidden after the last row.
  ///
  /// - Parameters:
  ///   - parts: the bodies of the IDAT chunks, in order.
  ///   - header: the body of the IHDR chunk.
  static func isComplete(_ parts: [Slice<UnsafeRawBufferPointer>], header: [UInt8]) -> Bool {
    guard let expected = rowBytes(header) else { return false }
    do throws(Inflate.Failure) {
      return try inflatedBytes(parts, limit: expected) == expected
    } catch {
      return false
    }
  }

  /// How many bytes the parts inflate to, as one stream; nil if the stream does not end with the
  /// last part, or has more than `limit` bytes. Only a buffer of 64 KiB is held in memory.
  private static func inflatedBytes(
    _ parts: [Slice<UnsafeRawBufferPointer>], limit: Int
  ) throws(Inflate.Failure) -> Int? {
    let inflate = Inflate()
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    var (count, hasEnded) = (0, false)
    for part in parts {
      let input = Array(part)
      var offset = 0
      // Output that no longer fits into the buffer is left to the next part: the checksum at the stream's end
      // is read after all output.
      while offset < input.count {
        if hasEnded { return nil }
        let step = try inflate.step(input.span.extracting(offset...), into: &buffer)
        guard step.consumed > 0 || step.produced > 0 else { return nil }
        offset += step.consumed
        count += step.produced
        guard count <= limit else { return nil }
        hasEnded = step.hasEnded
      }
    }
    return hasEnded ? count : nil
  }

  /// The size of all rows with their filter bytes, over all passes if the image is interlaced. Nil
  /// if the header is not valid.
  private static func rowBytes(_ header: [UInt8]) -> Int? {
    guard header.count == 13 else { return nil }
    let width = header[..<4].reduce(0) { $0 << 8 | Int($1) }
    let height = header[4..<8].reduce(0) { $0 << 8 | Int($1) }
    // Samples per pixel, by colour type.
    guard let samples = [0: 1, 2: 3, 3: 1, 4: 2, 6: 4][header[9]] else { return nil }
    let bits = samples * Int(header[8])
    func bytes(_ columns: Int, _ rows: Int) -> Int {
      columns > 0 && rows > 0 ? rows * (1 + (columns * bits + 7) / 8) : 0
    }
    guard header[12] == 1 else { return bytes(width, height) }
    return adam7.reduce(0) { sum, pass in
      sum
        + bytes(
          (width - pass.x + pass.across - 1) / pass.across,
          (height - pass.y + pass.down - 1) / pass.down)
    }
  }

  /// The passes of an interlaced image (section 8.2): the first pixel of each, and the distances
  /// between its pixels.
  private static let adam7: [(x: Int, y: Int, across: Int, down: Int)] = [
    (0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2),
    (0, 1, 1, 2),
  ]
}
