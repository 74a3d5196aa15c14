extension ImageHeader {
  /// Reads an image's header from the first bytes of its file.
  ///
  /// - Parameters:
  ///   - bytes: the beginning of the file, of any length.
  ///   - isWhole: true if `bytes` is the whole file, so that no more bytes can follow.
  ///   - isExact: whether to request more bytes if the size is known but later bytes may change
  ///     it: Exif after a profile (PNG), the samples of components (JPEG 2000). If false, the bytes at hand
  ///     decide.
  /// - Returns: the header, the range of bytes that is needed next, or why this is not an image.
  ///   With `isWhole` the answer is never ``HeaderReading/needs(_:)``.
  public static func read(
    _ bytes: Span<UInt8>, isWhole: Bool, isExact: Bool = true
  ) -> HeaderReading {
    let view = HeaderView(
      bytes, prefix: bytes.count, fileSize: isWhole ? bytes.count : nil, isExact: isExact)
    return read(view)
  }

  static func read(_ file: borrowing HeaderView) -> HeaderReading {
    var format: ImageFormat?
    do throws(HeaderStop) {
      format = try Signature.format(of: file)
      guard let format else { return .rejected(UnknownContent.rejection(of: file)) }
      let header = try FormatTable.reader(of: format).read(file)
      return header.rejection.map { .rejected($0) } ?? .header(header)
    } catch {
      return reading(after: error, format: format, fileSize: file.fileSize)
    }
  }

  /// Why the values are impossible; nil if they are possible.
  private var rejection: HeaderRejection? {
    // A side of 0 would make the plan divide by zero.
    let sides = 1...HeaderLimits.longestSide
    guard sides.contains(pixelWidth), sides.contains(pixelHeight) else {
      return .init(
        .malformed, "\(format.withArticle) image of \(pixelWidth) x \(pixelHeight) pixels")
    }
    // The most is TIFF's: a complex number of two 64-bit halves (libtiff's
    // SAMPLEFORMAT_COMPLEXIEEEFP).
    guard (1...128).contains(bitsPerChannel) else {
      return .init(
        .malformed, "\(format.withArticle) image with \(bitsPerChannel) bits per channel")
    }
    return nil
  }

  private static func reading(
    after stop: HeaderStop, format: ImageFormat?, fileSize: Int?
  ) -> HeaderReading {
    switch stop {
    case .needs(let range): return .needs(range)
    case .ended:
      return .rejected(
        .init(.truncated, "cut off after \(fileSize ?? 0) bytes, before the image size"))
    case .malformed(let reason):
      let name = format.map { "\($0.withArticle) image" } ?? "an image"
      return .rejected(.init(.malformed, "\(name), but \(reason)"))
    }
  }
}
