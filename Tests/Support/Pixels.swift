import Foundation
import TesseraCDecoders
import TesseraCVips

/// An image's pixels, read by libvips.
public struct Pixels: Sendable {
  public let width: Int
  public let height: Int
  public let bands: Int
  /// The number of frames, which are stacked in `height`.
  public let frames: Int
  /// Row by row, all bands of a pixel together.
  public let samples: [UInt8]

  public struct Failure: Error {
    public var message: String
  }

  /// Reads all frames of a file as 8-bit samples in the file's colour space.
  public init(_ path: String) throws {
    guard Self.isStarted else { throw Failure(message: "libvips did not start") }
    let bytes = [UInt8](try Data(contentsOf: URL(filePath: path)))
    // libvips reads the bytes until the pixels are in memory.
    (width, height, bands, frames, samples) = try bytes.withUnsafeBytes { bytes in
      let image = try Self.open(bytes, path)
      defer { tessera_vips_unref(image) }
      var size = 0
      guard let memory = vips_image_write_to_memory(image, &size) else {
        throw Failure(message: String(cString: vips_error_buffer()))
      }
      defer { g_free(memory) }
      let height = Int(vips_image_get_height(image))
      return (
        Int(vips_image_get_width(image)), height, Int(vips_image_get_bands(image)),
        height / Int(vips_image_get_page_height(image)),
        Array(UnsafeRawBufferPointer(start: memory, count: size))
      )
    }
  }

  private static func open(
    _ bytes: UnsafeRawBufferPointer, _ path: String
  ) throws -> UnsafeMutablePointer<VipsImage> {
    var opened: UnsafeMutablePointer<VipsImage>?
    let (start, count, strict) = (bytes.baseAddress, bytes.count, VIPS_FAIL_ON_ERROR)
    let status =
      switch path.split(separator: ".").last {
      case "webp": tessera_vips_load_webp(start, count, &opened, -1, 1, strict)
      case "gif": tessera_vips_load_gif(start, count, &opened, -1, strict)
      case "png": tessera_vips_load_png(start, count, &opened, strict)
      case "avif", "heic": tessera_vips_load_heif(start, count, &opened, strict)
      case "jxl": openJXL(bytes, &opened)
      default: tessera_vips_load_jpeg(start, count, &opened, 1, strict)
      }
    guard status == 0, let opened else {
      throw Failure(message: String(cString: vips_error_buffer()))
    }
    return opened
  }

  private static func openJXL(
    _ bytes: UnsafeRawBufferPointer, _ opened: inout UnsafeMutablePointer<VipsImage>?
  ) -> Int32 {
    var image = tessera_decoded_image()
    var reason = [CChar](repeating: 0, count: 256)
    let start = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
    guard tessera_jxl_decode(start, bytes.count, .max, &image, &reason) == 0 else { return -1 }
    free(image.profile)
    return tessera_vips_from_owned_samples(
      image.samples, Int32(image.width), Int32(image.height), image.bands,
      image.is_wide != 0 ? VIPS_FORMAT_USHORT : VIPS_FORMAT_UCHAR,
      image.colours == tessera_grey ? VIPS_INTERPRETATION_B_W : VIPS_INTERPRETATION_sRGB, &opened)
  }

  private static let isStarted = vips_init("tests") == 0

  /// Writes an image as PNG with libvips' own command.
  ///
  /// - Parameter colour: red, green and blue of a pixel, 0 to 255.
  public static func make(
    _ path: String, width: Int, height: Int, _ colour: (_ x: Int, _ y: Int) -> [Int]
  ) async throws {
    var file = Array("P6 \(width) \(height) 255\n".utf8)
    for y in 0..<height { for x in 0..<width { file += colour(x, y).map { UInt8($0) } } }
    let plain = path + ".ppm"
    try Data(file).write(to: URL(filePath: plain))
    let result = try await Tool.run("/usr/bin/vips", ["copy", plain, path])
    try FileManager.default.removeItem(atPath: plain)
    guard result.status == 0 else { throw Failure(message: result.errors) }
  }

  /// The samples of a pixel.
  public subscript(x: Int, y: Int) -> [Int] {
    let start = (y * width + x) * bands
    return samples[start..<start + bands].map(Int.init)
  }

  /// The mean of each band, to the nearest whole number.
  public var mean: [Int] {
    (0..<bands).map { band in
      let sum = stride(from: band, to: samples.count, by: bands).reduce(0) { $0 + Int(samples[$1]) }
      return (sum + width * height / 2) / (width * height)
    }
  }

  /// The samples at a position, in shares of width and height.
  public func at(_ x: Double, _ y: Double) -> [Int] {
    self[min(width - 1, Int(x * Double(width))), min(height - 1, Int(y * Double(height)))]
  }
}

/// The largest difference between two colours in any of the first three channels.
public func distance(_ first: [Int], _ second: [Int]) -> Int {
  zip(first.prefix(3), second.prefix(3)).map { abs($0 - $1) }.max() ?? 255
}
