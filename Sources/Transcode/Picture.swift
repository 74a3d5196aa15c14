internal import TesseraCVips

/// A libvips image: a description of pixels that are computed when somebody asks for them.
///
/// Owns one reference; each operation gives a new picture. libvips' own message goes into the error
/// of the call that failed.
final class Picture {
  let image: UnsafeMutablePointer<VipsImage>

  init(_ image: UnsafeMutablePointer<VipsImage>) { self.image = image }

  deinit { tessera_vips_unref(image) }

  static func make(
    _ operation: (UnsafeMutablePointer<UnsafeMutablePointer<VipsImage>?>) -> Int32
  ) throws(VipsError) -> Picture {
    var out: UnsafeMutablePointer<VipsImage>?
    // Calls that only ask may leave a message behind; it must not be told as this call's.
    vips_error_clear()
    guard operation(&out) == 0, let out else { throw VipsError.current() }
    return Picture(out)
  }
}

/// What libvips said about a call that failed.
struct VipsError: Error {
  var message: String

  /// Takes the message from libvips' buffer, which is one for the whole process: a worker does one
  /// job at a time, so it is the right one.
  static func current() -> VipsError {
    defer { vips_error_clear() }
    let text = String(cString: vips_error_buffer())
    let lines = text.split(separator: "\n").map(String.init)
    var seen: Set<String> = []
    let message = lines.filter { seen.insert($0).inserted }.joined(separator: "; ")
    return VipsError(message: message.isEmpty ? "the decoder gave no reason" : message)
  }

  /// Whether an allocation failed, which under the worker's limit means the limit.
  var isOutOfMemory: Bool {
    message.contains("out of memory") || message.contains("Cannot allocate memory")
  }
}

/// The library, started once.
package enum Vips {
  /// - Returns: libvips' version, or nil where it could not start.
  package static func start() -> String? {
    guard vips_init("tessera-worker") == 0 else { return nil }
    vips_concurrency_set(1)  // one picture per worker, and as many workers as processors
    vips_cache_set_max(0)  // the cache would keep files open, and nothing is asked for twice
    tessera_vips_block_all_but_named()
    return [0, 1, 2].map { String(vips_version($0)) }.joined(separator: ".")
  }
}

// MARK: Reading

extension Picture {
  var width: Int { Int(vips_image_get_width(image)) }
  var height: Int { Int(vips_image_get_height(image)) }
  /// Of one frame.
  var pageHeight: Int { Int(tessera_vips_number(image, "page-height", Int32(height))) }
  /// Frames in the file, loaded or not.
  var frameCount: Int { Int(tessera_vips_number(image, "n-pages", 1)) }
  var hasAlpha: Bool { vips_image_hasalpha(image) != 0 }
  var swapsSides: Bool { vips_image_get_orientation_swap(image) != 0 }
  var orientation: Int { Int(vips_image_get_orientation(image)) }
  static let profileField = "icc-profile-data"

  /// In bytes; 0 where there is none.
  var profileLength: Int { blob(Self.profileField)?.count ?? 0 }
  var hasUsableProfile: Bool { tessera_vips_profile_is_usable(image) != 0 }
  var isCMYK: Bool { vips_image_get_interpretation(image) == VIPS_INTERPRETATION_CMYK }
  var isEightBit: Bool { vips_image_get_format(image) == VIPS_FORMAT_UCHAR }

  /// Whether its samples are red, green and blue, in eight or sixteen bits.
  var isRGB: Bool {
    let space = vips_image_get_interpretation(image)
    return space == VIPS_INTERPRETATION_sRGB || space == VIPS_INTERPRETATION_RGB16
  }

  /// What its samples are, in one word.
  var colourSpace: String {
    switch vips_image_get_interpretation(image) {
    case VIPS_INTERPRETATION_sRGB, VIPS_INTERPRETATION_RGB, VIPS_INTERPRETATION_RGB16,
      VIPS_INTERPRETATION_scRGB:
      "rgb"
    case VIPS_INTERPRETATION_B_W, VIPS_INTERPRETATION_GREY16: "grey"
    case VIPS_INTERPRETATION_CMYK: "cmyk"
    case VIPS_INTERPRETATION_LAB, VIPS_INTERPRETATION_LABQ, VIPS_INTERPRETATION_LABS: "lab"
    default: "other"
    }
  }

  var isGreyOrSRGB: Bool {
    let space = vips_image_get_interpretation(image)
    return space == VIPS_INTERPRETATION_sRGB || space == VIPS_INTERPRETATION_B_W
  }
}

// MARK: Operations

extension Picture {
  /// Where a picture's colours are told.
  enum Profile {
    case embedded
    /// libvips' own for four inks.
    case inks
    /// Display P3.
    case p3
  }

  /// Converts to 8-bit sRGB.
  func transformedToSRGB(from profile: Profile) throws(VipsError) -> Picture {
    guard hasAlpha, vips_image_get_format(image) == VIPS_FORMAT_USHORT else {
      return try Self.make { out in
        switch profile {
        case .embedded: tessera_vips_icc_to_srgb(image, out, nil)
        case .inks: tessera_vips_icc_to_srgb(image, out, "cmyk")
        case .p3: tessera_vips_icc_to_srgb(image, out, "p3")
        }
      }
    }
    // libvips 8.14.1 takes sixteen bits of alpha for eight, so that all but nothing is opaque.
    let bands = vips_image_get_bands(image)
    let colour = try Self.make { tessera_vips_extract_bands(image, $0, 0, bands - 1) }
    let alpha = try Self.make { tessera_vips_extract_bands(image, $0, bands - 1, 1) }
    let small = try Self.make { tessera_vips_upper_byte(alpha.image, $0) }
    let screen = try colour.transformedToSRGB(from: profile)
    return try Self.make { tessera_vips_bandjoin(screen.image, small.image, $0) }
  }

  /// In sRGB where a profile says otherwise.
  func onScreen() throws(VipsError) -> Picture {
    profileLength > 0 && hasUsableProfile ? try transformedToSRGB(from: .embedded) : self
  }

  /// Converts to 8-bit sRGB by the formulas of the colour space, without a profile.
  func convertedToSRGB() throws(VipsError) -> Picture {
    try Self.make { tessera_vips_colourspace(image, $0, VIPS_INTERPRETATION_sRGB) }
  }

  /// With an orientation that says how it is stored.
  func marked(orientation: Int) throws(VipsError) -> Picture {
    let copy = try Self.make { tessera_vips_copy_plain(image, $0) }
    vips_image_set_int(copy.image, "orientation", Int32(orientation))
    return copy
  }

  /// In four inks, by libvips' own profile.
  func inInks() throws(VipsError) -> Picture {
    try Self.make { tessera_vips_to_inks(image, $0) }.inMemory().withoutField(Self.profileField)
  }

  /// Turned upright, with the orientation's tag removed.
  func turnedUpright() throws(VipsError) -> Picture {
    try Self.make { tessera_vips_autorot(image, $0) }
  }

  func extracted(x: Int, y: Int, width: Int, height: Int) throws(VipsError) -> Picture {
    try Self.make {
      tessera_vips_extract_area(image, $0, Int32(x), Int32(y), Int32(width), Int32(height))
    }
  }

  /// Where the most interesting part of this size begins.
  func interestingPart(
    width: Int, height: Int, byEntropy: Bool
  ) throws(VipsError) -> (x: Int, y: Int) {
    let part = try Self.make {
      tessera_vips_smartcrop(image, $0, Int32(width), Int32(height), byEntropy ? 1 : 0)
    }
    return (-Int(vips_image_get_xoffset(part.image)), -Int(vips_image_get_yoffset(part.image)))
  }

  /// Resized to exactly this size with Lanczos' kernel. Colour under translucent pixels counts by
  /// its alpha, so that no dark fringes come in.
  func resized(width: Int, height: Int) throws(VipsError) -> Picture {
    if width == self.width && height == self.height { return self }
    let horizontal = Double(width) / Double(self.width)
    let vertical = Double(height) / Double(self.height)
    guard hasAlpha else {
      return try Self.make { tessera_vips_resize(image, $0, horizontal, vertical) }
    }
    let premultiplied = try Self.make { tessera_vips_premultiply(image, $0) }
    let small = try Self.make {
      tessera_vips_resize(premultiplied.image, $0, horizontal, vertical)
    }
    let straight = try Self.make { tessera_vips_unpremultiply(small.image, $0) }
    return try Self.make { tessera_vips_cast_uchar(straight.image, $0) }
  }

  /// Without alpha, on a colour.
  func flattened(red: UInt8, green: UInt8, blue: UInt8) throws(VipsError) -> Picture {
    try Self.make { tessera_vips_flatten(image, $0, Double(red), Double(green), Double(blue)) }
  }

  /// All pixels computed and kept in memory.
  func inMemory() throws(VipsError) -> Picture {
    vips_error_clear()
    guard let copy = vips_image_copy_memory(image) else { throw VipsError.current() }
    return Picture(copy)
  }

  /// Frames of one size, one below the other, as libvips holds animations.
  static func stacked(_ frames: [Picture]) throws(VipsError) -> Picture {
    guard let first = frames.first else { throw VipsError(message: "there is no frame") }
    if frames.count == 1 { return first }
    var images = frames.map { Optional($0.image) }
    let stack = try make { tessera_vips_stack(&images, $0, Int32(frames.count)) }
    // A copy of the description alone, so that its fields can be set.
    let own = try make { tessera_vips_copy_plain(stack.image, $0) }
    vips_image_set_int(own.image, "page-height", Int32(first.height))
    return own
  }

  /// 8-bit red, green, blue and alpha of each pixel.
  func samples() throws(VipsError) -> [UInt8] {
    let screen = try onScreen().convertedToSRGB()
    let full = screen.hasAlpha ? screen : try Self.make { tessera_vips_addalpha(screen.image, $0) }
    var size = 0
    guard let memory = vips_image_write_to_memory(full.image, &size) else {
      throw VipsError.current()
    }
    defer { g_free(memory) }
    return Array(UnsafeRawBufferPointer(start: memory, count: size))
  }

  /// Without an alpha band where that is opaque throughout: what a resize costs more with alpha is for
  /// nothing then (0.81 of the processor time of a PNG of 13 megapixels in four sizes is left). Of a picture
  /// in memory.
  func withoutOpaqueAlpha() throws(VipsError) -> Picture {
    guard hasAlpha, isEightBit else { return self }
    let bands = vips_image_get_bands(image)
    let alpha = try Self.make { tessera_vips_extract_bands(image, $0, bands - 1, 1) }
    var least = 0.0
    vips_error_clear()
    guard tessera_vips_least(alpha.image, &least) == 0 else { throw VipsError.current() }
    if least < 255 { return self }
    return try Self.make { tessera_vips_extract_bands(image, $0, 0, bands - 1) }
  }

  /// Red, green and blue in eight bits, in whatever profile.
  func inEightBits() throws(VipsError) -> Picture { isEightBit ? self : try convertedToSRGB() }

  func withoutField(_ name: String) throws(VipsError) -> Picture {
    let copy = try Self.make { tessera_vips_copy_plain(image, $0) }
    vips_image_remove(copy.image, name)
    return copy
  }
}

// MARK: Writing

extension Picture {
  // Each with all the metadata that the picture has, but for AVIF and JPEG XL where it has none.

  func webp(quality: Int, effort: Int) throws(VipsError) -> EncodedBytes {
    try EncodedBytes { tessera_vips_save_webp(image, $0, $1, Int32(quality), Int32(effort)) }
  }

  func jpeg(quality: Int) throws(VipsError) -> EncodedBytes {
    try EncodedBytes { tessera_vips_save_jpeg(image, $0, $1, Int32(quality)) }
  }

  func avif(quality: Int, effort: Int, strips: Bool) throws(VipsError) -> EncodedBytes {
    try EncodedBytes {
      tessera_vips_save_avif(image, $0, $1, Int32(quality), Int32(effort), strips ? 1 : 0)
    }
  }

  func jxl(quality: Int, effort: Int, strips: Bool) throws(VipsError) -> EncodedBytes {
    try EncodedBytes {
      tessera_vips_save_jxl(image, $0, $1, Int32(quality), Int32(effort), strips ? 1 : 0)
    }
  }

  func png() throws(VipsError) -> EncodedBytes {
    try EncodedBytes { tessera_vips_save_png(image, $0, $1) }
  }
}

/// An encoded file in memory that libvips allocated. Freed when it goes out of scope.
struct EncodedBytes: ~Copyable {
  private let data: UnsafeMutableRawPointer
  private let count: Int

  fileprivate init(
    _ save: (UnsafeMutablePointer<UnsafeMutableRawPointer?>, UnsafeMutablePointer<Int>) -> Int32
  ) throws(VipsError) {
    var data: UnsafeMutableRawPointer?
    var count = 0
    vips_error_clear()
    guard save(&data, &count) == 0, let data else { throw VipsError.current() }
    self.data = data
    self.count = count
  }

  deinit { g_free(data) }

  func withBytes<Value>(_ body: (UnsafeRawBufferPointer) throws -> Value) rethrows -> Value {
    try body(UnsafeRawBufferPointer(start: data, count: count))
  }
}
