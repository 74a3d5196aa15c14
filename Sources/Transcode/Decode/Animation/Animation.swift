internal import TesseraImageHeader
internal import TesseraPlan

/// Frames that are drawn onto one canvas, each of which can be decoded as a file of its own.
protocol Animation {
  /// Of the frames' files.
  static var format: ImageFormat { get }
  /// The canvas.
  var width: Int { get }
  var height: Int { get }
  /// How often the animation is shown; 0 is without an end. Nil if libvips reads it.
  var plays: Int? { get }
  var frames: [AnimationFrame] { get }

  /// A frame as a file with one image.
  func file(of frame: AnimationFrame) -> [UInt8]
}

struct AnimationFrame {
  var width = 0
  var height = 0
  var x = 0
  var y = 0
  /// In milliseconds; nil if libvips reads it.
  var delay: Int?
  var disposal = Disposal.none
  /// Whether the frame shows through onto what is there; otherwise it replaces it.
  var isBlended = false
  /// The pieces of the source that are the frame's pixels, and how they are to be read.
  var data: [Range<Int>] = []

  /// What becomes of a frame's part of the canvas after it was shown.
  enum Disposal: Int {
    case none, background, previous
  }
}

extension Animation {
  /// Whether a part of the canvas may be transparent although no frame is.
  var leavesHoles: Bool {
    frames.contains { $0.disposal == .background }
      || frames.first.map { $0.width < width || $0.height < height } == true
  }
}

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

/// What an animation has drawn so far: red, green, blue and alpha in 8 bits, not multiplied.
struct Canvas {
  let width: Int
  let height: Int
  private(set) var samples: [UInt8]

  init(width: Int, height: Int) {
    (self.width, self.height) = (width, height)
    samples = [UInt8](repeating: 0, count: width * height * 4)
  }

  /// A part of a canvas.
  struct Part {
    var x, y, width, height: Int
  }

  /// Makes a part transparent.
  mutating func clear(_ part: Part) {
    for y in part.y..<part.y + part.height {
      let start = (y * width + part.x) * 4
      for place in start..<start + part.width * 4 { samples[place] = 0 }
    }
  }

  /// Draws an image of a part's size.
  ///
  /// - Parameter isBlended: whether what is there shows through; otherwise it is replaced.
  mutating func draw(_ image: [UInt8], in part: Part, isBlended: Bool) {
    for y in 0..<part.height {
      var from = y * part.width * 4
      var to = ((part.y + y) * width + part.x) * 4
      for _ in 0..<part.width {
        if isBlended {
          blend(image, from, to)
        } else {
          for channel in 0..<4 { samples[to + channel] = image[from + channel] }
        }
        from += 4
        to += 4
      }
    }
  }

  /// Porter and Duff's "over" for colours that are not multiplied by alpha (PNG, third edition, 13.16).
  private mutating func blend(_ image: [UInt8], _ from: Int, _ to: Int) {
    let alpha = Int(image[from + 3])
    if alpha == 0 { return }
    let below = Int(samples[to + 3]) * (255 - alpha)
    let whole = alpha * 255 + below
    for channel in 0..<3 {
      let sum = Int(image[from + channel]) * alpha * 255 + Int(samples[to + channel]) * below
      samples[to + channel] = UInt8((sum + whole / 2) / whole)
    }
    samples[to + 3] = UInt8((whole + 127) / 255)
  }
}
