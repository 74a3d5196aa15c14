internal import TesseraCVips
internal import TesseraCWebPMux

/// Encodes a still image without metadata straight through libwebp, and decodes it again: the same bytes and samples
/// as through libvips, without the fixed costs of its operations.
enum WebPStill {
  /// - Parameter image: 8-bit sRGB, with or without alpha.
  /// - Returns: nil if libwebp reports an error.
  static func encode(
    _ image: Raster, quality: Int, effort: Int, alphaQuality: Int = 100
  ) throws(VipsError) -> [UInt8]? {
    var config = WebPConfig()
    guard WebPConfigPreset(&config, WEBP_PRESET_DEFAULT, Float(quality)) != 0 else { return nil }
    config.method = Int32(effort)
    config.alpha_quality = Int32(alphaQuality)
    return try encode(image, &config)
  }

  /// Encodes without loss, at an effort of 1: more costs 8 % of the time of encoding such images, and makes their files 0.1 %
  /// smaller.
  ///
  /// - Returns: nil also for an image of more colours than a palette has. Of 201 of these, 9 were smaller without loss.
  static func lossless(_ image: Raster) throws(VipsError) -> [UInt8]? {
    guard try image.withSamples({ PaletteCount.fits($0, bands: $1) }) else { return nil }
    var config = WebPConfig()
    // How much time is spent, for this kind of file.
    guard WebPConfigPreset(&config, WEBP_PRESET_DEFAULT, 75) != 0 else { return nil }
    config.lossless = 1
    config.method = 1
    return try encode(image, &config)
  }

  private static func encode(
    _ image: Raster, _ config: inout WebPConfig
  ) throws(VipsError) -> [UInt8]? {
    // libvips' savers, too, take grey for sRGB.
    let image = try (image.isSRGB ? image : image.convertedToSRGB()).inMemory()
    guard let samples = image.handle.pointee.data else { return nil }
    let samplesPerRow = Int32(image.width) * vips_image_get_bands(image.handle)
    // Otherwise the samples become luma and chroma as soon as they are read.
    let isLossless = config.lossless
    return encode(&config) { picture in
      picture.use_argb = isLossless
      picture.width = Int32(image.width)
      picture.height = Int32(image.height)
      return image.hasAlpha
        ? WebPPictureImportRGBA(&picture, samples, samplesPerRow)
        : WebPPictureImportRGB(&picture, samples, samplesPerRow)
    }
  }

  /// The samples of a file that this process has made; nil if libwebp can't decode it.
  static func decode(_ file: [UInt8]) -> RGBImage? {
    var features = WebPBitstreamFeatures()
    guard WebPGetFeatures(file, file.count, &features) == VP8_STATUS_OK else { return nil }
    let (width, height) = (Int(features.width), Int(features.height))
    let channels = features.has_alpha != 0 ? 4 : 3
    let count = width * height * channels
    let samples = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      let decode = channels == 4 ? WebPDecodeRGBAInto : WebPDecodeRGBInto
      let decoded = decode(
        file, file.count, buffer.baseAddress, count, Int32(width * channels))
      filled = decoded == nil ? 0 : count
    }
    return try? RGBImage(
      width: width, height: height, channels: channels, samples: samples)
  }

  /// - Parameter fill: sets the size and the samples of an image of libwebp; returns 0 if it can't.
  private static func encode(
    _ config: inout WebPConfig, _ fill: (inout WebPPicture) -> Int32
  ) -> [UInt8]? {
    var picture = WebPPicture()
    guard WebPPictureInit(&picture) != 0 else { return nil }
    defer { WebPPictureFree(&picture) }
    guard fill(&picture) != 0 else { return nil }
    var writer = WebPMemoryWriter()
    WebPMemoryWriterInit(&writer)
    defer { WebPMemoryWriterClear(&writer) }
    let isEncoded = withUnsafeMutablePointer(to: &writer) { writer in
      picture.writer = WebPMemoryWrite
      picture.custom_ptr = UnsafeMutableRawPointer(writer)
      return WebPEncode(&config, &picture) != 0
    }
    guard isEncoded else { return nil }
    return Array(UnsafeBufferPointer(start: writer.mem, count: writer.size))
  }
}

extension Raster {
  /// Whether the samples are three or four bands of 8-bit sRGB.
  fileprivate var isSRGB: Bool {
    isEightBit && vips_image_get_interpretation(handle) == VIPS_INTERPRETATION_sRGB
  }
}

/// Counts the colours of an image as far as a palette is worth it.
enum PaletteCount {
  /// Of a palette in WebP and PNG.
  static let most = 256
  /// Of each colour. With fewer, a palette takes more than it saves: of 38 such files none was smaller with one.
  static let fewestPixels = 10

  /// Whether the image has few enough colours, for a palette and for its pixels.
  ///
  /// - Parameter samples: in 8 bits, row by row: three bands, or four with alpha.
  static func fits(_ samples: UnsafeBufferPointer<UInt8>, bands: Int) -> Bool {
    let most = min(most, samples.count / bands / fewestPixels)
    // Open addressing; 0 is an empty place, so a colour is stored with a bit above it.
    var table = [UInt64](repeating: 0, count: 4 * Self.most)
    return table.withUnsafeMutableBufferPointer { table in
      var (count, last) = (0, 0 as UInt64)
      for place in stride(from: 0, to: samples.count, by: bands) {
        var colour: UInt64 = 1
        for band in 0..<bands { colour = colour << 8 | UInt64(samples[place + band]) }
        if colour == last { continue }
        last = colour
        // Fibonacci hashing (Knuth, volume 3, 6.4).
        var slot = Int(truncatingIfNeeded: (colour &* 0x9E37_79B9_7F4A_7C15) >> 54)
        while table[slot] != colour {
          if table[slot] == 0 {
            count += 1
            if count > most { return false }
            table[slot] = colour
          } else {
            slot = (slot + 1) % table.count
          }
        }
      }
      return true
    }
  }
}
