internal import TesseraBytes
internal import TesseraImageHeader

/// The frames of an animated PNG (W3C PNG, third edition, 4.9 and 11.3.6), each as a PNG file of its own.
struct APNG: Animation {
  static var format: ImageFormat { .png }
  let width: Int
  let height: Int
  let plays: Int?
  private(set) var frames: [AnimationFrame] = []

  private let bytes: UnsafeRawBufferPointer
  /// What all frames share: palette and transparency.
  private var shared: [Range<Int>] = []

  /// Nil if the file has no animation. What is damaged ends it: the frames before are shown, as browsers do, which ignore
  /// the numbers of its chunks, too.
  init?(_ bytes: UnsafeRawBufferPointer) {
    // Before all chunks are listed: most files have no animation.
    let beginning = PNGContainer.chunksBeforePixels(of: bytes)
    guard let control = beginning.first(where: { $0.name == "acTL" }), control.body.count == 8,
      let header = beginning.first, header.name == "IHDR", header.body.count == 13,
      let chunks = PNGContainer.chunks(of: bytes)
    else { return nil }
    self.bytes = bytes
    let reader = Reader(bytes: bytes)
    (width, height) = (
      reader.number(header.body.lowerBound), reader.number(header.body.lowerBound + 4)
    )
    plays = reader.number(control.body.lowerBound + 4)
    loop: for chunk in chunks {
      switch chunk.name {
      case "PLTE", "tRNS": shared.append(chunk.range)
      case "fcTL":
        guard chunk.body.count == 26, let frame = frame(reader, chunk.body.lowerBound + 4) else {
          break loop
        }
        frames.append(frame)
      // Before the first frame begins, it is an image for those who do not know animations.
      case "IDAT" where frames.count == 1: frames[0].data.append(chunk.body)
      case "fdAT" where chunk.body.count > 4 && !frames.isEmpty:
        frames[frames.count - 1].data.append(chunk.body.dropFirst(4))
      default: break
      }
    }
    frames.removeAll { $0.data.isEmpty }
    guard let first = frames.first else { return nil }
    // Nothing is there to be brought back.
    if first.disposal == .previous { frames[0].disposal = .background }
  }

  private func frame(_ reader: Reader, _ start: Int) -> AnimationFrame? {
    var frame = AnimationFrame()
    (frame.width, frame.height) = (reader.number(start), reader.number(start + 4))
    (frame.x, frame.y) = (reader.number(start + 8), reader.number(start + 12))
    let (over, under) = (reader.short(start + 16), reader.short(start + 18))
    frame.delay = over * 1_000 / (under == 0 ? 100 : under)
    guard let disposal = AnimationFrame.Disposal(rawValue: Int(bytes[start + 20])),
      bytes[start + 21] <= 1,
      frame.width > 0, frame.height > 0, frame.x + frame.width <= width,
      frame.y + frame.height <= height
    else { return nil }
    frame.disposal = disposal
    frame.isBlended = bytes[start + 21] == 1
    return frame
  }

  func file(of frame: AnimationFrame) -> [UInt8] {
    // The signature, and the header with another size.
    var header = UInt32(frame.width).bigEndianBytes + UInt32(frame.height).bigEndianBytes
    header += bytes[24..<29]
    return Array(bytes[..<8]) + PNGContainer.written("IHDR", header)
      + shared.flatMap { bytes[$0] }
      + PNGContainer.written("IDAT", frame.data.flatMap { bytes[$0] })
      + PNGContainer.written("IEND", [])
  }

  private struct Reader {
    let bytes: UnsafeRawBufferPointer

    func number(_ start: Int) -> Int { bytes[start..<start + 4].reduce(0) { $0 << 8 | Int($1) } }
    func short(_ start: Int) -> Int { Int(bytes[start]) << 8 | Int(bytes[start + 1]) }
  }
}
