internal import TesseraImageHeader

/// The frames of a GIF (GIF 89a), each as a GIF of its own.
///
/// libvips draws GIFs itself, but as if their canvas were opaque if no frame has a transparent colour, and takes the first
/// frame for the canvas if that has the size of a monitor or a side over 2,048. Browsers show what no frame covers, and what a
/// frame is removed from, as transparent.
struct GIFAnimation: Animation {
  static var format: ImageFormat { .gif }
  let width: Int
  let height: Int
  let plays: Int? = nil
  private(set) var frames: [AnimationFrame] = []

  private let bytes: UnsafeRawBufferPointer
  /// The flags of the screen and, behind the signature and the screen, the colours that frames share.
  private let shared: Range<Int>

  /// - Parameters:
  ///   - width: the canvas.
  init?(_ bytes: UnsafeRawBufferPointer, width: Int, height: Int) {
    guard bytes.count >= 13 else { return nil }
    self.bytes = bytes
    (self.width, self.height) = (width, height)
    shared = 13..<13 + GIFStructure.paletteSize(Int(bytes[10]))
    var offset = shared.upperBound
    var disposal = 0
    var control: [Range<Int>] = []
    // Up to the trailer, or to bytes that are not a block.
    while offset + 9 < bytes.count, [0x21, 0x2C].contains(bytes[offset]) {
      switch bytes[offset] {
      case 0x2C:
        guard var frame = frame(at: offset) else { return nil }
        let start = offset + 9
        offset += 11 + GIFStructure.paletteSize(Int(bytes[offset + 9]))
        guard let end = endOfData(from: offset) else { return nil }
        offset = end
        frame.data = control + [start..<end]
        frame.disposal =
          disposal == 2
          ? .background : disposal == 3 ? (frames.isEmpty ? .background : .previous) : .none
        frames.append(frame)
        (disposal, control) = (0, [])
      default:
        guard let end = endOfData(from: offset + 2) else { return nil }
        // Graphic control (section 23): three bits of its flags say how the frame is removed.
        if bytes[offset + 1] == 0xF9 {
          (disposal, control) = (Int(bytes[offset + 3]) >> 2 & 7, [offset..<end])
        }
        offset = end
      }
    }
  }

  /// An image descriptor (section 20). Nil if the frame is not inside the canvas.
  private func frame(at start: Int) -> AnimationFrame? {
    func short(_ place: Int) -> Int { Int(bytes[place]) | Int(bytes[place + 1]) << 8 }
    var frame = AnimationFrame()
    (frame.x, frame.y) = (short(start + 1), short(start + 3))
    (frame.width, frame.height) = (short(start + 5), short(start + 7))
    frame.isBlended = true
    guard frame.width > 0, frame.height > 0, frame.x + frame.width <= width,
      frame.y + frame.height <= height
    else { return nil }
    return frame
  }

  /// Behind the sub-blocks that begin at a place (section 15).
  private func endOfData(from start: Int) -> Int? {
    var offset = start
    while offset < bytes.count {
      let length = Int(bytes[offset])
      offset += 1 + length
      if length == 0 { return offset }
    }
    return nil
  }

  func file(of frame: AnimationFrame) -> [UInt8] {
    let size = [frame.width & 0xFF, frame.width >> 8, frame.height & 0xFF, frame.height >> 8]
      .map { UInt8($0) }
    let controls = frame.data.dropLast().flatMap { bytes[$0] }
    return Array("GIF89a".utf8) + size + bytes[10..<13] + bytes[shared] + controls
      + [0x2C, 0, 0, 0, 0] + size + frame.data.suffix(1).flatMap { bytes[$0] } + [0x3B]
  }
}
