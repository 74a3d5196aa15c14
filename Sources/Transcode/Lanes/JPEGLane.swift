internal import TesseraCJPEG
internal import TesseraCPixels
internal import TesseraCVips
internal import TesseraPlan

/// Decodes, resizes and turns the usual JPEG files. Luma and chroma are resized as they are stored, and
/// converted to red, green and blue afterwards, when there are few pixels: libvips converts all of them.
///
/// Baseline and progressive, grey and YCbCr with chroma at full or half resolution on each axis.
final class JPEGLane: Lane {
  /// Nil once it was decoded: what libvips may need then is free again.
  private var file: OpaquePointer?
  let header: (width: Int, height: Int, bands: Int)
  let isPlain: Bool

  /// Reads the header. Nil if the file is of another kind.
  init?(_ source: SourceData) {
    let bytes = source.bytes.bindMemory(to: UInt8.self)
    guard let file = tessera_jpeg_planes_open(bytes.baseAddress, bytes.count) else { return nil }
    self.file = file
    header = (
      Int(tessera_jpeg_planes_width(file)), Int(tessera_jpeg_planes_height(file)),
      Int(tessera_jpeg_planes_count(file))
    )
    isPlain = tessera_jpeg_is_plain(bytes.baseAddress, bytes.count) != 0
  }

  deinit { tessera_jpeg_planes_free(file) }

  /// The result is upright. libjpeg does the reduction.
  func decode(like origin: Raster, shrink: Int, to size: Size) throws(VipsError) -> Raster? {
    guard let file else { return nil }
    defer {
      tessera_jpeg_planes_free(file)
      self.file = nil
    }
    guard isLike(origin), tessera_jpeg_planes_start(file, Int32(shrink)) == 0 else { return nil }
    let result = try origin.blank(width: size.width, height: size.height)
    vips_autorot_remove_angle(result.handle)
    guard let samples = result.handle.pointee.data,
      Self.resize(file, header.bands, Turn(orientation: origin.orientation), samples, size)
    else { return nil }
    if header.bands == 3 { tessera_ycc_to_rgb(samples, size.width * size.height) }
    return result
  }

  /// Resizes all planes into one interleaved image.
  private static func resize(
    _ file: OpaquePointer, _ bands: Int, _ turn: Turn, _ samples: UnsafeMutablePointer<UInt8>,
    _ size: Size
  ) -> Bool {
    var resamplers: [OpaquePointer] = []
    defer { for resampler in resamplers { tessera_resampler_free(resampler) } }
    for index in 0..<bands {
      let plane = tessera_jpeg_planes_plane(file, Int32(index))
      guard let resampler = resampler(of: plane, bands, turn, samples + index, size) else {
        return false
      }
      resamplers.append(resampler)
    }
    while true {
      switch tessera_jpeg_planes_read(file) {
      case 0: return true
      case 1: add(rowsOf: file, to: resamplers)
      default: return false
      }
    }
  }

  private static func add(rowsOf file: OpaquePointer, to resamplers: [OpaquePointer]) {
    for (index, resampler) in zip(Int32(0)..., resamplers) {
      for row in 0..<tessera_jpeg_planes_row_count(file, index) {
        tessera_resampler_add_row(resampler, tessera_jpeg_planes_row(file, index, row))
      }
    }
  }

  /// Nil if the reduction is too large for a resampler, or if memory is used up.
  private static func resampler(
    of plane: tessera_jpeg_plane, _ bands: Int, _ turn: Turn,
    _ samples: UnsafeMutablePointer<UInt8>, _ size: Size
  ) -> OpaquePointer? {
    let stored = turn.swapsSides ? Size(size.height, size.width) : size
    let across = tessera_axis(
      source: plane.width, length: plane.across, result: stored.width, turn.mirrorsAcross)
    let down = tessera_axis(
      source: plane.height, length: plane.down, result: stored.height, turn.mirrorsDown)
    let most = Double(Resampling.mostReduction)
    guard abs(across.step) <= most, abs(down.step) <= most else { return nil }
    let rowLength = size.width * bands
    // Stored rows become columns if the sides are swapped.
    return turn.swapsSides
      ? tessera_resampler_new(across, down, 0, samples, bands, rowLength)
      : tessera_resampler_new(across, down, 0, samples, rowLength, bands)
  }
}

/// How stored samples are turned upright: mirrored along their own axes, then the axes are swapped.
private struct Turn {
  let mirrorsAcross: Bool
  let mirrorsDown: Bool
  let swapsSides: Bool

  /// - Parameter orientation: by Exif 2.32, 4.6.4 A: 1 to 8.
  init(orientation: Int) {
    mirrorsAcross = [2, 3, 7, 8].contains(orientation)
    mirrorsDown = [3, 4, 6, 7].contains(orientation)
    swapsSides = orientation >= 5
  }
}

extension tessera_axis {
  /// - Parameter length: how many samples of the source the image covers.
  fileprivate init(source: Int32, length: Double, result: Int, _ isMirrored: Bool) {
    self.init(
      source: source, result: Int32(result), start: isMirrored ? length : 0,
      step: (isMirrored ? -length : length) / Double(result))
  }
}
