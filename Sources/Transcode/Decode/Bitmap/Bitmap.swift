/// The pixels of a Windows bitmap, decoded by this module: libvips would read them through
/// ImageMagick, which must never see untrusted bytes.
struct Bitmap {
  var width: Int
  var height: Int
  /// 3 (red, green, blue) or 4 (with alpha, not premultiplied).
  var bands: Int
  /// Rows from top to bottom, without padding.
  var samples: [UInt8]
  /// An ICC profile; empty if there is none.
  var profile: [UInt8] = []
}

/// Why a bitmap cannot be decoded.
struct BitmapError: Error {
  /// A predicate for "the file …".
  var reason: String

  static let cutOff = BitmapError(reason: "is truncated")
  static let outOfMemory = BitmapError(reason: "is too large: out of memory")
}
