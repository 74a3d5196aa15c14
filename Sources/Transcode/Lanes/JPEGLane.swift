internal import TesseraCJPEG
internal import TesseraCPixels
internal import TesseraPlan

/// Decodes the usual JPEG files into planes, which libvips would convert to red, green and blue: that
/// doubles what has to be resized.
///
/// Baseline and progressive, grey and YCbCr with chroma at full or half resolution on each axis.
enum JPEGLane {
  /// The image, upright and at this size.
  ///
  /// - Parameters:
  ///   - shrink: how much of the reduction libjpeg does: 1, 2, 4 or 8.
  ///   - orientation: the source's, by Exif.
  ///   - size: upright.
  /// - Returns: nil if the file is damaged in any way or of another kind, and if memory is used up.
  ///   libvips then says what is wrong with it, or decodes it.
  static func decode(
    _ source: SourceData, shrink: Int, orientation: Int, to size: Size
  ) -> Planes? {
    let bytes = source.bytes.bindMemory(to: UInt8.self)
    guard let file = tessera_jpeg_planes_open(bytes.baseAddress, bytes.count, Int32(shrink)) else {
      return nil
    }
    defer { tessera_jpeg_planes_free(file) }
    let count = tessera_jpeg_planes_count(file)
    guard let result = Planes(size, isGrey: count == 1) else { return nil }
    var resamplers: [OpaquePointer] = []
    defer { for resampler in resamplers { tessera_resampler_free(resampler) } }
    let turn = Turn(orientation: orientation)
    for (index, target) in zip(0..<count, result.coloured) {
      let plane = tessera_jpeg_planes_plane(file, index)
      guard let resampler = resampler(from: plane, to: target, of: size, turn) else { return nil }
      resamplers.append(resampler)
    }
    while true {
      switch tessera_jpeg_planes_read(file) {
      case 0: return result
      case 1: add(rowsOf: file, to: resamplers)
      default: return nil
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
    from plane: tessera_jpeg_plane, to target: UnsafeMutablePointer<UInt8>, of size: Size,
    _ turn: Turn
  ) -> OpaquePointer? {
    let stored = turn.swapsSides ? Size(size.height, size.width) : size
    let across = tessera_axis(
      source: plane.width, length: plane.across, result: stored.width, turn.mirrorsAcross)
    let down = tessera_axis(
      source: plane.height, length: plane.down, result: stored.height, turn.mirrorsDown)
    let most = Double(Resampling.mostReduction)
    guard abs(across.step) <= most, abs(down.step) <= most else { return nil }
    // Stored rows become columns if the sides are swapped.
    return turn.swapsSides
      ? tessera_resampler_new(across, down, 0, target, 1, size.width)
      : tessera_resampler_new(across, down, 0, target, size.width, 1)
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
