internal import TesseraImageHeader
internal import TesseraPlan

/// Decodes animations that libvips does not show as browsers do: each frame by libvips, onto one canvas.
enum AnimationDecoder {
  /// The frames one below the other, as libvips holds animations.
  ///
  /// - Parameters:
  ///   - still: the same file as libvips opens it, for what all frames have in common.
  ///   - count: how many frames, from the first.
  static func decode(
    _ animation: any Animation, like still: Raster, frames count: Int, failOn: FailOn
  ) throws(VipsError) -> Raster {
    let (width, height) = (animation.width, animation.height)
    // A failed allocation ends a Swift process, so the memory is tested first; libvips makes a copy.
    guard AddressSpace.has(2 * width * height * 4 * (count + 2)) else { throw .memory }
    var canvas = Canvas(width: width, height: height)
    var strip: [UInt8] = []
    strip.reserveCapacity(width * height * 4 * count)
    for frame in animation.frames.prefix(count) {
      let part = Canvas.Part(x: frame.x, y: frame.y, width: frame.width, height: frame.height)
      let before = frame.disposal == .previous ? canvas : nil
      let samples = try samples(
        of: animation.file(of: frame), type(of: animation).format, failOn)
      guard samples.count == part.width * part.height * 4 else {
        throw VipsError(message: "a frame has another size than it states")
      }
      canvas.draw(samples, in: part, isBlended: frame.isBlended)
      strip += canvas.samples
      if let before { canvas = before }
      if frame.disposal == .background { canvas.clear(part) }
    }
    let image = try Raster.of(samples: strip, width: width, height: height * count, bands: 4)
    for field in [Raster.profileField, Raster.orientationField, "loop", "delay"]
    where still.hasField(field) {
      image.copyField(field, from: still)
    }
    image.set("page-height", height)
    image.set("n-pages", animation.frames.count)
    if let plays = animation.plays { image.set("loop", plays) }
    let delays = animation.frames.prefix(count).compactMap(\.delay)
    if !delays.isEmpty { image.set("delay", numbers: delays) }
    return image
  }

  /// Red, green, blue and alpha of a frame, in the file's own colours.
  private static func samples(of file: [UInt8], _ format: ImageFormat, _ failOn: FailOn)
    throws(VipsError) -> [UInt8]
  {
    let result = file.withUnsafeBytes { bytes in
      Result { () throws(VipsError) in
        let image = try Raster.load(SourceData(bytes), format: format, .init(failOn: failOn))
        return try image.withoutField(Raster.profileField).samples()
      }
    }
    return try result.get()
  }
}
