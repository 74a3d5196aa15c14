internal import TesseraImageHeader

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
