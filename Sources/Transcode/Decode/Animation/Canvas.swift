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
