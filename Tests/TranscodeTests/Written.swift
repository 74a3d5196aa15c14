import Foundation
import TesseraCVips
import TesseraPlan
import TesseraSystem
import TesseraTestSupport
import TesseraWorkers
import Testing

@testable import TesseraTranscode

/// Suites that call libvips, one test at a time: its error buffer is one for the whole process.
@Suite(.serialized) struct LibvipsTests {
  /// Whether libvips is set up as in a worker. Its loaders are not blocked, because other suites
  /// load images at the same time; the tests' own reader starts it, because only one thread may.
  static let isReady: Bool = {
    let isStarted = (try? Pixels(Places.fixture("one-pixel.png").path)) != nil
    vips_concurrency_set(1)
    vips_cache_set_max(0)
    return isStarted
  }()
}

// MARK: Bytes, written from the formats' specifications

/// A number, the most significant byte first.
func big(_ number: Int, _ count: Int) -> [UInt8] { little(number, count).reversed() }

/// A number, the least significant byte first.
func little(_ number: Int, _ count: Int) -> [UInt8] {
  (0..<count).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
}

/// ISO/IEC 15948, annex D.
func checksum(_ bytes: [UInt8]) -> Int {
  var sum: UInt32 = .max
  for byte in bytes {
    sum ^= UInt32(byte)
    for _ in 0..<8 { sum = sum >> 1 ^ (sum & 1 == 1 ? 0xEDB8_8320 : 0) }
  }
  return Int(sum ^ .max)
}

/// A zlib stream of stored blocks (RFC 1950, RFC 1951).
func stored(_ bytes: [UInt8]) -> [UInt8] {
  var result: [UInt8] = [0x78, 0x01]
  var rest = bytes[...]
  repeat {
    let block = rest.prefix(65_535)
    rest = rest.dropFirst(block.count)
    result += [rest.isEmpty ? 1 : 0] + little(block.count, 2) + little(~block.count, 2) + block
  } while !rest.isEmpty
  var (low, high) = (1, 0)
  for byte in bytes {
    low = (low + Int(byte)) % 65_521
    high = (high + low) % 65_521
  }
  return result + big(high << 16 | low, 4)
}

/// A profile of grey whose samples are light itself (ICC.1:2022, 8.4).
func greyProfile() -> [UInt8] {
  let curve = Array("curv".utf8) + big(0, 4) + big(1, 4) + big(256, 2) + [0, 0]
  let white = Array("XYZ ".utf8) + big(0, 4) + big(63_190, 4) + big(65_536, 4) + big(54_061, 4)
  let start = 128 + 4 + 24
  let table =
    big(2, 4) + Array("wtpt".utf8) + big(start, 4) + big(20, 4) + Array("kTRC".utf8)
    + big(start + 20, 4) + big(16, 4)
  let head =
    big(start + 36, 4) + big(0, 4) + big(0x0210_0000, 4) + Array("mntrGRAYXYZ ".utf8) + big(0, 12)
    + Array("acsp".utf8) + big(0, 28) + Array(white.suffix(12))
  return head + big(0, 128 - head.count) + table + white + curve
}

/// A chunk of a PNG file.
func chunk(_ name: String, _ body: [UInt8] = []) -> [UInt8] {
  let content = Array(name.utf8) + body
  return big(body.count, 4) + content + big(checksum(content), 4)
}

let pngMark: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

/// The body of an IHDR chunk.
func pngHeader(
  _ width: Int, _ height: Int, depth: Int = 8, colour: Int, interlace: Int = 0
) -> [UInt8] {
  big(width, 4) + big(height, 4) + [UInt8(depth), UInt8(colour), 0, 0, UInt8(interlace)]
}

/// A PNG file of these rows, which have no filter, with further chunks before the pixels.
func png(
  _ header: [UInt8], _ rows: [[UInt8]], _ others: [UInt8] = []
) -> [UInt8] {
  pngMark + chunk("IHDR", header) + others + chunk("IDAT", stored(rows.flatMap { [0] + $0 }))
    + chunk("IEND")
}

/// A box of the ISO base media file format.
func box(_ name: String, _ body: [UInt8]) -> [UInt8] {
  big(body.count + 8, 4) + Array(name.utf8) + body
}

/// An AVIF file whose only image states these code points, as far as its header.
func avif(primaries: Int, transfer: Int) -> [UInt8] {
  let codes = Array("nclx".utf8) + big(primaries, 2) + big(transfer, 2) + big(6, 2) + [0x80]
  let properties = box("ispe", big(0, 4) + big(16, 4) + big(16, 4)) + box("colr", codes)
  let associations = box("ipma", big(0, 4) + big(1, 4) + big(1, 2) + [2, 1, 2])
  let items = box("iprp", box("ipco", properties) + associations)
  return box("ftyp", Array("avif".utf8) + big(0, 4))
    + box("meta", big(0, 4) + box("pitm", big(0, 4) + big(1, 2)) + items)
}

// MARK: Images

extension Raster {
  /// 8-bit sRGB, from a function of the position.
  static func drawn(
    _ width: Int, _ height: Int, bands: Int = 3, _ pixel: (_ x: Int, _ y: Int) -> [Int]
  ) throws -> Raster {
    let samples = (0..<height).flatMap { y in
      (0..<width).flatMap { x in pixel(x, y).map { UInt8($0) } }
    }
    return try of(samples: samples, width: width, height: height, bands: bands)
  }

  /// The bytes of the pixels, row by row.
  var bytes: [UInt8] {
    get throws {
      var size = 0
      let memory = try #require(vips_image_write_to_memory(handle, &size))
      defer { g_free(memory) }
      return Array(UnsafeRawBufferPointer(start: memory, count: size))
    }
  }
}

/// Calls `body` with a file as a source.
func withSource<Value>(
  _ bytes: [UInt8], _ body: (SourceData) throws -> Value
) rethrows -> Value {
  try bytes.withUnsafeBytes { try body(SourceData($0)) }
}

/// A file of a whole image.
func planned(
  _ size: Size, _ format: OutputFormat = .webp, quality: Int? = 80, effort: Int? = 4,
  keeping metadata: MetadataPolicy = .strip
) -> PlannedFile {
  PlannedFile(
    crop: nil, size: size,
    encoding: Encoding(
      format: format, quality: quality, effort: effort, background: nil, isAnimated: false,
      metadata: metadata), fallback: nil)
}

/// A request to decode a source and to make no files of it.
func decoding(
  _ format: String, _ size: Size, base: Size? = nil, alpha: Bool = false, frames: Int = 1,
  keepsProfile: Bool = false, lanes: Lanes = .off
) -> TranscodeJob {
  TranscodeJob(
    format: format,
    expected: SourceFacts(size: size, hasAlpha: alpha, frames: frames),
    decode: DecodePlan(
      base: base ?? size, isAnimated: frames > 1, keepsProfile: keepsProfile, lanes: lanes),
    failOn: .error, maximumPixels: 100_000_000, maximumFrames: 100, files: [], placeholders: [])
}

/// Leaves a message in libvips' buffer, as a query may do.
func leaveMessage(_ text: String) {
  text.withCString { text in withVaList([text]) { vips_verror("test", "%s", $0) } }
}

/// As a worker does with the memory of its job.
func append(_ bytes: [UInt8], to file: borrowing File) throws(TranscodeFailure) {
  do throws(SystemError) {
    try file.write(bytes)
  } catch {
    throw TranscodeFailure(.local, error.description)
  }
}
