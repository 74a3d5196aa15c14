internal import TesseraPlan
internal import TesseraWire

/// Makes the files of a source that have its gain map: cropped and reduced as the image is.
struct GainMapOutput {
  private let metadata: GainMapMetadata
  /// The image in its own colours, which the map is for.
  private var image: Pyramid
  private var map: Pyramid
  private let source: Size
  /// How many samples of the map a pixel of the source has along a side.
  private let density: Double

  /// - Parameter frame: the decoded image, in its own colours.
  init(_ gainMap: GainMap, _ frame: Raster, base: Size, source: Size) {
    metadata = gainMap.metadata
    image = Pyramid([frame], base: base, source: source)
    let size = Size(gainMap.image.width, gainMap.image.height)
    map = Pyramid([gainMap.image], base: size, source: source)
    self.source = source
    density = Double(size.longerSide) / Double(source.longerSide)
  }

  /// Of the map. It is smooth, and an error in it is multiplied.
  private static let quality = 90

  /// - Parameter crop: with its place.
  mutating func bytes(of file: PlannedFile, crop: Crop?) throws(TranscodeFailure) -> [UInt8] {
    var file = file
    file.crop = crop
    let frames: (image: [Raster], map: [Raster])
    let small = PlannedFile(
      crop: crop, size: mapSize(of: file),
      encoding: Encoding(
        format: .jpeg, quality: Self.quality, effort: nil, background: nil, isAnimated: false),
      fallback: nil)
    do throws(VipsError) {
      frames = (try image.frames(for: file), try map.frames(for: small))
    } catch {
      throw TranscodeFailure(decoding: error)
    }
    let bytes = GainMapFile.bytes(
      image: try Encoder.encode(frames.image, as: file),
      map: try Encoder.encode(frames.map, as: small), metadata)
    guard let bytes else {
      throw TranscodeFailure(.encode, "the gain map could not be put beside its image")
    }
    return bytes
  }

  /// Half the image's, at most as many samples as there are.
  private func mapSize(of file: PlannedFile) -> Size {
    let shown = file.crop?.size ?? source
    func side(_ length: Int, _ shown: Int) -> Int {
      max(1, min((length + 1) / 2, Int((Double(shown) * density).rounded(.down))))
    }
    return Size(side(file.size.width, shown.width), side(file.size.height, shown.height))
  }
}
