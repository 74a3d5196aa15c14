/// What a picture's first bytes say of it.
///
/// Sizes are in pixels. `pixelWidth` and `pixelHeight` are as stored; `width` and `height` are as
/// displayed, after `orientation`. What the bytes read do not tell is nil, never guessed.
package struct ImageHeader: Sendable, Equatable {
  package var format: ImageFormat
  package var pixelWidth: Int
  package var pixelHeight: Int
  package var orientation: Orientation
  /// Whether pixels may be translucent.
  package var hasAlpha: Bool
  /// Whether there is more than one frame; nil where only the rest of the file would tell.
  package var isAnimated: Bool?
  package var bitsPerChannel: Int
  package var hasICCProfile: Bool

  package init(
    format: ImageFormat, pixelWidth: Int, pixelHeight: Int, orientation: Orientation = .upright,
    hasAlpha: Bool = false, isAnimated: Bool? = false, bitsPerChannel: Int = 8,
    hasICCProfile: Bool = false
  ) {
    self.format = format
    self.pixelWidth = pixelWidth
    self.pixelHeight = pixelHeight
    self.orientation = orientation
    self.hasAlpha = hasAlpha
    self.isAnimated = isAnimated
    self.bitsPerChannel = bitsPerChannel
    self.hasICCProfile = hasICCProfile
  }

  package var width: Int { orientation.swapsSides ? pixelHeight : pixelWidth }
  package var height: Int { orientation.swapsSides ? pixelWidth : pixelHeight }
}

/// The answer to "what do these first bytes say?".
package enum HeaderReading: Sendable, Equatable {
  case header(ImageHeader)
  /// Ask again when the file's first so many bytes are there. Always more than were given.
  case needs(prefix: Int)
  case refused(HeaderRefusal)
}

/// Why bytes are not a picture that Tessera can read.
package struct HeaderRefusal: Error, Sendable, Equatable {
  package enum Kind: String, Sendable {
    /// No picture at all: a web page, a JSON answer, text, nothing.
    case notImage = "not-image"
    /// A picture in a format that this version does not read.
    case unsupportedFormat = "unsupported-format"
    /// It starts like a picture and then contradicts itself.
    case malformed
    /// The file ends before its size is told.
    case truncated
  }

  package var kind: Kind
  /// A clause that fits after "the file is": "an HTML page, not a picture".
  package var reason: String

  package init(_ kind: Kind, _ reason: String) {
    self.kind = kind
    self.reason = reason
  }
}

extension ImageHeader {
  /// Reads a picture's header from the first bytes of its file.
  ///
  /// - Parameters:
  ///   - bytes: the file's beginning, however much there is of it.
  ///   - isWhole: true where `bytes` is the whole file, so that asking for more is no use.
  ///   - seeksOrientation: whether to ask for more where the size is known and the orientation
  ///     stands at the file's end (WebP). Otherwise the picture counts as upright.
  /// - Returns: the header, how many bytes it takes to know more, or why this is no picture. With
  ///   `isWhole` the answer is never ``HeaderReading/needs(prefix:)``.
  package static func read(
    _ bytes: Span<UInt8>, isWhole: Bool, seeksOrientation: Bool = true
  ) -> HeaderReading {
    do throws(HeaderStop) {
      guard let format = try Signature.format(of: bytes, isWhole: isWhole) else {
        return .refused(Signature.refusal(of: bytes))
      }
      let header: ImageHeader
      switch format {
      case .jpeg: header = try JPEGHeader.read(bytes)
      case .png: header = try PNGHeader.read(bytes)
      case .gif: header = try GIFHeader.read(bytes)
      case .webp:
        header = try WebPHeader.read(
          bytes, isWhole: isWhole, seeksOrientation: seeksOrientation)
      default:
        return .refused(
          .init(
            .unsupportedFormat,
            "\(format.article) \(format.displayName) picture, which this version does not read"))
      }
      guard header.pixelWidth > 0, header.pixelHeight > 0 else {
        return .refused(
          .init(
            .malformed,
            "a \(format.displayName) picture of \(header.pixelWidth) x \(header.pixelHeight) pixels"
          ))
      }
      return .header(header)
    } catch {
      switch error {
      case .needs(let prefix):
        guard isWhole else { return .needs(prefix: prefix) }
        return .refused(
          .init(.truncated, "cut off: it ends after \(bytes.count) bytes, before its size is told"))
      case .malformed(let reason): return .refused(.init(.malformed, reason))
      }
    }
  }
}

extension ImageFormat {
  /// "a" or "an", as the name is spoken.
  fileprivate var article: String {
    switch self {
    case .avif, .svg, .ico: "an"
    default: "a"
    }
  }
}

/// What nothing in a file can lift.
enum HeaderCeiling {
  /// Segments, fill bytes or chunks that are looked at in one file.
  static let steps = 4_096
}

/// Why a format's reader could not go on.
enum HeaderStop: Error {
  case needs(prefix: Int)
  case malformed(String)
}
