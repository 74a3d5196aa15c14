internal import TesseraPlan
internal import TesseraSystem
internal import TesseraWire

/// From frames in memory to a file with the metadata that is asked for, and no other.
enum Encoder {
  /// - Parameter stored: the source, where its picture may be used as it is stored.
  static func write(
    _ frames: [Picture], as output: TranscodeJob.Output, or stored: StoredPicture? = nil
  ) throws(TranscodeFailure) {
    let encoding = output.file.encoding
    let pixels = frames.reduce(0) { $0 + $1.width * $1.height }
    // libaom, libjxl and libwebp do not fail where memory is refused: they crash, or write half a file.
    let memory = pixels * encoding.format.encoderBytesPerPixel
    guard AddressSpace.has(memory) else { throw .encoderMemory }
    let encoded: EncodedBytes
    let kept: MetadataPolicy
    let xmp: [UInt8]
    var exif: [UInt8]?
    do throws(VipsError) {
      var picture = try Picture.stacked(frames)
      let isFlattened = encoding.background != nil && picture.hasAlpha
      // The background is told in sRGB, and so must be what it is laid under.
      if isFlattened { picture = try picture.onScreen().withoutField(Picture.profileField) }
      (picture, kept) = try picture.prepared(
        keeping: encoding.metadata, isAnimation: frames.count > 1)
      if let colour = encoding.background, picture.hasAlpha {
        picture = try picture.flattened(red: colour.red, green: colour.green, blue: colour.blue)
      }
      xmp = picture.xmp
      if encoding.format == .jxl, kept.contains(.exif) { exif = try picture.exifBlock() }
      encoded = try encode(picture, encoding, strips: kept.isEmpty)
    } catch {
      throw TranscodeFailure(encoding: error, format: encoding.format.rawValue)
    }
    do {
      try encoded.withBytes { bytes in
        guard output.file.isMet(by: Span(_unsafeBytes: bytes)) else {
          throw AddressSpace.has(memory * 2)
            ? TranscodeFailure(.encode, "the \(encoding.format.rawValue) file came out damaged")
            : .encoderMemory
        }
        guard
          let clean = Containers.clean(
            bytes, encoding.format, keeping: kept, exif: exif, xmp: xmp)
        else {
          throw TranscodeFailure(
            .encode, "the \(encoding.format.rawValue) file that was made could not be read back")
        }
        let smaller = try stored?.smaller(than: clean, as: output.file)
        try File(output.path, .create).write(smaller ?? clean)
      }
    } catch let error as TranscodeFailure {
      throw error
    } catch {
      throw TranscodeFailure(.local, "\(error)")
    }
  }

  private static func encode(
    _ picture: Picture, _ encoding: Encoding, strips: Bool
  ) throws(VipsError) -> EncodedBytes {
    // The coordinator sends both wherever the format has them; a PNG has neither.
    let (quality, effort) = (encoding.quality ?? 0, encoding.effort ?? 0)
    return switch encoding.format {
    case .webp: try picture.webp(quality: quality, effort: effort)
    case .jpeg: try picture.jpeg(quality: quality)
    case .png: try picture.png()
    case .avif: try picture.avif(quality: quality, effort: effort, strips: strips)
    case .jxl: try picture.jxl(quality: quality, effort: effort, strips: strips)
    }
  }
}

extension OutputFormat {
  /// Address space that the encoder needs beside the picture, for each of its pixels; measured with noise
  /// of 5 and 21 megapixels (libwebp 1.2.4, libaom 3.6, libjxl 0.7).
  fileprivate var encoderBytesPerPixel: Int {
    switch self {
    case .webp: 17
    case .avif: 25
    case .jxl: 70
    case .jpeg: 6
    // The file of a picture of noise, twice.
    case .png: 10
    }
  }
}

extension TranscodeFailure {
  fileprivate static var encoderMemory: TranscodeFailure {
    TranscodeFailure(.outOfMemory, "encoding needed more memory than limits.memory allows")
  }
}
