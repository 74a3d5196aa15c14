internal import TesseraBytes
internal import TesseraCatalog
internal import TesseraText

/// A small PNG (ISO/IEC 15948) without compression, which a dozen rows need not have.
enum PNG {
  /// - Parameter samples: RGBA, or RGB if `hasAlpha` is false; rows from top to bottom.
  static func encode(width: Int, height: Int, hasAlpha: Bool, _ samples: [UInt8]) -> [UInt8] {
    let row = samples.count / max(1, height)
    // Each row begins with its filter: none.
    var rows: [UInt8] = []
    for start in stride(from: 0, to: samples.count, by: max(1, row)) {
      rows += [0] + samples[start..<min(start + row, samples.count)]
    }
    let header = big(width) + big(height) + [8, hasAlpha ? 6 : 2, 0, 0, 0]
    return [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
      + chunk("IHDR", header) + chunk("IDAT", stored(rows)) + chunk("IEND", [])
  }

  /// A zlib stream (RFC 1950) of one stored block (RFC 1951, section 3.2.4), for up to 65,535 bytes.
  private static func stored(_ bytes: [UInt8]) -> [UInt8] {
    let count = UInt16(truncatingIfNeeded: bytes.count)
    var (low, high): (UInt32, UInt32) = (1, 0)
    for byte in bytes {
      low = (low + UInt32(byte)) % 65_521
      high = (high + low) % 65_521
    }
    let length = [UInt8(count & 255), UInt8(count >> 8), UInt8(~count & 255), UInt8(~count >> 8)]
    return [0x78, 0x01, 0x01] + length + bytes + big(Int(high << 16 | low))
  }

  private static func chunk(_ type: String, _ data: [UInt8]) -> [UInt8] {
    let body = Array(type.utf8) + data
    return big(data.count) + body + big(Int(CRC32.of(body)))
  }

  private static func big(_ number: Int) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(number >> $0 & 255) }
  }
}

extension PlaceholderPixels {
  /// About half a kilobyte, which a browser scales up smoothly.
  private static let mostPixels = 12

  /// The pixels as a `data:` URL.
  var dataURL: String {
    let step = max(1, (max(width, height) + Self.mostPixels - 1) / Self.mostPixels)
    let (columns, rows) = (max(1, width / step), max(1, height / step))
    let hasAlpha = stride(from: 3, to: samples.count, by: 4).contains { samples[$0] != 255 }
    var small: [UInt8] = []
    for row in 0..<rows {
      for column in 0..<columns {
        let pixel = average(column * width / columns, row * height / rows, step)
        small += hasAlpha ? pixel : Array(pixel.prefix(3))
      }
    }
    let png = PNG.encode(width: columns, height: rows, hasAlpha: hasAlpha, small)
    return "data:image/png;base64,\(Base64.encode(png))"
  }

  /// Of a square of pixels, as far as it is inside.
  private func average(_ left: Int, _ top: Int, _ side: Int) -> [UInt8] {
    var sums = [0, 0, 0, 0]
    var count = 0
    for y in top..<min(top + side, height) {
      for x in left..<min(left + side, width) {
        for channel in 0..<4 { sums[channel] += Int(samples[(y * width + x) * 4 + channel]) }
        count += 1
      }
    }
    return sums.map { UInt8($0 / max(1, count)) }
  }
}
