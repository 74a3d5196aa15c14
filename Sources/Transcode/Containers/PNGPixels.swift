private import TesseraCZlib

/// The compressed pixels of a PNG (ISO/IEC 15948, sections 7 to 10).
enum PNGPixels {
  /// Whether they unpack to all rows of the picture, and end with them: nothing is missing, nothing is hidden
  /// behind.
  ///
  /// - Parameters:
  ///   - parts: of the chunks IDAT, in their order.
  ///   - header: of the chunk IHDR.
  static func areWhole(_ parts: [Slice<UnsafeRawBufferPointer>], header: [UInt8]) -> Bool {
    guard let expected = rowBytes(header) else { return false }
    var stream = z_stream()
    guard tessera_inflate_init(&stream) == Z_OK else { return false }
    defer { inflateEnd(&stream) }
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    var count = 0
    var status = Z_OK
    for part in parts {
      var input = Array(part)
      let isRead = input.withUnsafeMutableBufferPointer { input -> Bool in
        stream.next_in = input.baseAddress
        stream.avail_in = UInt32(input.count)
        // A turn that fills the buffer may leave more in the stream's own window.
        var isFull = true
        while stream.avail_in > 0 || isFull {
          guard status == Z_OK, count <= expected else {
            return status == Z_STREAM_END && stream.avail_in == 0
          }
          let before = count
          status = buffer.withUnsafeMutableBufferPointer { output in
            stream.next_out = output.baseAddress
            stream.avail_out = UInt32(output.count)
            let status = inflate(&stream, Z_NO_FLUSH)
            count += output.count - Int(stream.avail_out)
            // No progress for want of input is no error.
            return status == Z_BUF_ERROR && stream.avail_in == 0 ? Z_OK : status
          }
          isFull = count - before == buffer.count
        }
        return true
      }
      guard isRead else { return false }
    }
    return status == Z_STREAM_END && count == expected
  }

  /// All rows with their filter bytes, of all passes where it is interlaced.
  private static func rowBytes(_ header: [UInt8]) -> Int? {
    guard header.count == 13 else { return nil }
    let width = header[..<4].reduce(0) { $0 << 8 | Int($1) }
    let height = header[4..<8].reduce(0) { $0 << 8 | Int($1) }
    guard let samples = [0: 1, 2: 3, 3: 1, 4: 2, 6: 4][header[9]] else { return nil }
    let bits = samples * Int(header[8])
    func bytes(_ columns: Int, _ rows: Int) -> Int {
      columns > 0 && rows > 0 ? rows * (1 + (columns * bits + 7) / 8) : 0
    }
    guard header[12] == 1 else { return bytes(width, height) }
    // Where each of Adam7's passes begins, and how far apart its pixels are.
    let passes = [
      (0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2),
      (0, 1, 1, 2),
    ]
    return passes.reduce(0) { sum, pass in
      let (x, y, across, down) = pass
      return sum
        + bytes((width - x + across - 1) / across, (height - y + down - 1) / down)
    }
  }
}
