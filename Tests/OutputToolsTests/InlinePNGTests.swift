import TesseraBytes
import TesseraText
import Testing

@testable import TesseraCatalog
@testable import tessera

/// What is wrong with a PNG.
private struct PNGError: Error {
  var reason: String
  init(_ reason: String) { self.reason = reason }
}

/// A reader of PNGs (ISO/IEC 15948) with one IDAT chunk of one stored block, which accepts nothing else.
private struct StrictPNG {
  var width = 0
  var height = 0
  var channels = 0
  var samples: [UInt8] = []

  init(_ bytes: [UInt8]) throws {
    var rest = bytes[...]
    try Self.expect(Self.take(8, &rest) == [137, 80, 78, 71, 13, 10, 26, 10], "signature")
    let header = try Self.chunk("IHDR", &rest)
    try Self.expect(header.count == 13, "length of IHDR")
    (width, height) = (Self.number(header[0..<4]), Self.number(header[4..<8]))
    try Self.expect(header[8] == 8 && [2, 6].contains(header[9]), "type of pixels")
    channels = header[9] == 6 ? 4 : 3
    try Self.expect(Array(header[10...]) == [0, 0, 0], "methods")
    let rows = try Self.inflate(try Self.chunk("IDAT", &rest))
    try Self.expect(try Self.chunk("IEND", &rest).isEmpty && rest.isEmpty, "end")
    let row = 1 + width * channels
    try Self.expect(rows.count == row * height, "number of rows")
    for start in stride(from: 0, to: rows.count, by: row) {
      try Self.expect(rows[start] == 0, "filter")
      samples += rows[start + 1..<start + row]
    }
  }

  private static func expect(_ condition: Bool, _ reason: String) throws {
    if !condition { throw PNGError(reason) }
  }

  private static func take(_ count: Int, _ rest: inout ArraySlice<UInt8>) throws -> [UInt8] {
    try expect(rest.count >= count, "cut off")
    defer { rest = rest.dropFirst(count) }
    return Array(rest.prefix(count))
  }

  private static func number(_ bytes: some Collection<UInt8>) -> Int {
    bytes.reduce(0) { $0 * 256 + Int($1) }
  }

  private static func chunk(_ type: String, _ rest: inout ArraySlice<UInt8>) throws -> [UInt8] {
    let length = number(try take(4, &rest))
    let name = try take(4, &rest)
    try expect(name == Array(type.utf8), "\(type) expected")
    let data = try take(length, &rest)
    var sum: UInt32 = .max
    for byte in name + data {
      sum ^= UInt32(byte)
      for _ in 0..<8 { sum = sum & 1 == 1 ? sum >> 1 ^ 0xEDB8_8320 : sum >> 1 }
    }
    try expect(number(try take(4, &rest)) == Int(~sum), "CRC of \(type)")
    return data
  }

  private static func inflate(_ stream: [UInt8]) throws -> [UInt8] {
    var rest = stream[...]
    let start = try take(2, &rest)
    // RFC 1950: deflate, no dictionary, and a check of both bytes.
    try expect(start[0] == 0x78 && start[1] & 32 == 0 && number(start) % 31 == 0, "zlib header")
    // RFC 1951, section 3.2.4: the last block, stored, from a byte boundary on.
    try expect(try take(1, &rest) == [1], "block")
    let lengths = try take(4, &rest)
    let count = Int(lengths[0]) | Int(lengths[1]) << 8
    try expect((Int(lengths[2]) | Int(lengths[3]) << 8) == count ^ 0xFFFF, "NLEN")
    let data = try take(count, &rest)
    var (low, high) = (1, 0)
    for byte in data {
      low = (low + Int(byte)) % 65_521
      high = (high + low) % 65_521
    }
    try expect(number(rest) == high << 16 | low && rest.count == 4, "Adler-32")
    return data
  }
}

/// Small PNGs in pages and style sheets.
@Suite struct InlinePNGTests {
  @Test(arguments: [(1, 1), (3, 2), (2, 3), (12, 12), (1, 12), (12, 1), (100, 100)])
  func everyPixelIsThere(_ width: Int, _ height: Int) throws {
    for hasAlpha in [false, true] {
      let count = width * height * (hasAlpha ? 4 : 3)
      let samples = (0..<count).map { UInt8(($0 * 7 + 200) % 256) }
      let image = try StrictPNG(
        PNG.encode(width: width, height: height, hasAlpha: hasAlpha, samples))
      #expect((image.width, image.height) == (width, height))
      #expect(image.channels == (hasAlpha ? 4 : 3))
      #expect(image.samples == samples)
    }
  }

  private static func pixels(
    _ width: Int, _ height: Int, _ pixel: (_ x: Int, _ y: Int) -> [UInt8]
  ) -> PlaceholderPixels {
    var samples: [UInt8] = []
    for y in 0..<height { for x in 0..<width { samples += pixel(x, y) } }
    return PlaceholderPixels(width: width, height: height, samples: samples)
  }

  private static func drawn(_ pixels: PlaceholderPixels) throws -> StrictPNG {
    let url = pixels.dataURL
    let start = "data:image/png;base64,"
    try #require(url.hasPrefix(start))
    return try StrictPNG(try #require(Base64.decode(String(url.dropFirst(start.count)))))
  }

  /// The longer side has twelve pixels at most: of more, squares are averaged.
  @Test(arguments: [
    (1, 1, 1), (12, 1, 1), (12, 12, 1), (1, 12, 1), (13, 13, 2), (24, 12, 2), (12, 24, 2),
    (25, 1, 3), (1, 25, 3), (32, 32, 3), (36, 20, 3), (37, 5, 4),
  ])
  func largeOnesAreMadeOfSquares(_ width: Int, _ height: Int, _ side: Int) throws {
    func pixel(_ x: Int, _ y: Int) -> [UInt8] {
      [UInt8(x * 6), UInt8(y * 6), UInt8((x + y) * 3 % 256), UInt8(x * y % 256)]
    }
    let small = try Self.drawn(Self.pixels(width, height, pixel))
    let (columns, rows) = (max(1, width / side), max(1, height / side))
    #expect((small.width, small.height, small.channels) == (columns, rows, 4))
    #expect(max(small.width, small.height) <= 12)
    var expected: [UInt8] = []
    for row in 0..<rows {
      for column in 0..<columns {
        let (left, top) = (column * width / columns, row * height / rows)
        var square: [[UInt8]] = []
        for y in top..<top + side where y < height {
          for x in left..<left + side where x < width { square.append(pixel(x, y)) }
        }
        expected += (0..<4).map { channel in
          UInt8(square.reduce(0) { $0 + Int($1[channel]) } / square.count)
        }
      }
    }
    #expect(small.samples == expected)
  }

  @Test func onlyTransparentPixelsNeedAlpha() throws {
    let opaque = Self.pixels(2, 2) { x, y in [UInt8(x), UInt8(y), 9, 255] }
    let plain = try Self.drawn(opaque)
    #expect(plain.channels == 3 && plain.samples == [0, 0, 9, 1, 0, 9, 0, 1, 9, 1, 1, 9])
    for place in 0..<4 {
      let other = Self.pixels(2, 2) { x, y in [255, 254, 255, y * 2 + x == place ? 254 : 255] }
      #expect(try Self.drawn(other).channels == 4)
      #expect(try Self.drawn(other).samples == other.samples)
    }
  }
}
