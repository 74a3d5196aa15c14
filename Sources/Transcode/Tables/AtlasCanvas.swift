internal import TesseraCatalog
internal import TesseraPlan
internal import TesseraWire

/// An image that others are drawn on, one beside the other.
struct AtlasCanvas {
  private let atlas: TableJob.Atlas
  private var samples: [UInt8]
  private var hasAlpha = false

  init(_ atlas: TableJob.Atlas) throws(TranscodeFailure) {
    let (bytes, overflow) = atlas.size.width.multipliedReportingOverflow(by: atlas.size.height)
    // libwebp's limit; a coordinator asks for much less.
    guard atlas.size.width > 0, atlas.size.height > 0, atlas.size.longerSide <= 16_383, !overflow
    else { throw TranscodeFailure(.encode, "an atlas of an impossible size") }
    self.atlas = atlas
    samples = [UInt8](repeating: 0, count: bytes * 4)
  }

  mutating func draw(_ raster: Raster, x: Int, y: Int) throws(VipsError) {
    let (width, height) = (raster.width, raster.height)
    guard x >= 0, y >= 0, x <= atlas.size.width - width, y <= atlas.size.height - height else {
      throw VipsError(message: "the image has no room in the atlas")
    }
    let row = TableRow(pixels: .webp, background: .white)
    let isTransparent = try raster.withSamples { source, bands in
      for line in 0..<height {
        let start = ((y + line) * atlas.size.width + x) * 4
        row.write(
          source[(line * width * bands)...], bands: bands, count: width,
          to: &samples[start..<start + width * 4])
      }
      return bands == 4
    }
    hasAlpha = hasAlpha || isTransparent
  }

  /// The atlas as a WebP file. Without alpha if no image has any: the space between images is black then.
  func encoded() throws(TranscodeFailure) -> [UInt8] {
    // libwebp does not report a failed allocation, see Encoder.
    guard AddressSpace.has(atlas.size.area * 20) else { throw .atlasMemory }
    do throws(VipsError) {
      let raster = try Raster.of(
        samples: hasAlpha ? samples : samples.enumerated().compactMap { $0 % 4 == 3 ? nil : $1 },
        width: atlas.size.width, height: atlas.size.height, bands: hasAlpha ? 4 : 3)
      if let bytes = try WebPStill.encode(
        raster, quality: atlas.quality, effort: atlas.effort)
      {
        return bytes
      }
    } catch {
      throw TranscodeFailure(encoding: error, format: "webp")
    }
    throw .atlasMemory
  }
}

extension TranscodeFailure {
  fileprivate static var atlasMemory: TranscodeFailure {
    TranscodeFailure(
      .outOfMemory, "encoding an atlas needed more memory than limits.memory allows")
  }
}
