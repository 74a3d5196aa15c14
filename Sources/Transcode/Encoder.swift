internal import TesseraFiles
internal import TesseraPlan
internal import TesseraWire

/// From frames in memory to a file without metadata.
enum Encoder {
  static func write(
    _ frames: [Picture], as output: TranscodeJob.Output
  ) throws(TranscodeFailure) {
    let encoding = output.file.encoding
    let encoded: EncodedBytes
    do throws(VipsError) {
      var picture = try Picture.stacked(frames).stripped(keepingAnimation: frames.count > 1)
      if let colour = encoding.background, picture.hasAlpha {
        picture = try picture.flattened(red: colour.red, green: colour.green, blue: colour.blue)
      }
      encoded = try encode(picture, encoding)
    } catch {
      throw TranscodeFailure(encoding: error, format: encoding.format.rawValue)
    }
    do {
      try encoded.withBytes { bytes in
        let file = try File(output.path, .create)
        guard encoding.format == .webp else { return try file.write(bytes.bytes) }
        guard let clean = WebPContainer.withoutMetadata(bytes) else {
          throw TranscodeFailure(.encode, "libwebp could not read back the WebP file it made")
        }
        try file.write(clean)
      }
    } catch let error as TranscodeFailure {
      throw error
    } catch {
      throw TranscodeFailure(.local, "\(error)")
    }
  }

  private static func encode(
    _ picture: Picture, _ encoding: Encoding
  ) throws(VipsError) -> EncodedBytes {
    // The coordinator sends both wherever the format has them; a PNG has neither.
    let (quality, effort) = (encoding.quality ?? 0, encoding.effort ?? 0)
    return switch encoding.format {
    case .webp: try picture.webp(quality: quality, effort: effort)
    case .jpeg: try picture.jpeg(quality: quality)
    case .png: try picture.png()
    case .avif: try picture.avif(quality: quality, effort: effort)
    case .jxl: try picture.jxl(quality: quality, effort: effort)
    }
  }
}
