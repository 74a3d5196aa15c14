/// A Gaussian blur of sigma 1.5 with black around the image, for rows that come one after the other.
///
/// The reference implementation computes it recursively (Charalampidis 2016, "Recursive
/// Implementation of the Gaussian Filter Using Truncated Cosine Functions"), with radius 5. The
/// cosines are zero at that radius, so the filter is the same as nine taps; these are exact, do not
/// accumulate errors, and need no value of the pixel before.
struct Blur {
  /// How many rows and columns it reads on either side of a pixel.
  static let reach = 4
  private static let window = 2 * reach + 1

  /// The impulse response at distances 0 to 4: equations 37 to 56 of the paper, computed in
  /// double precision.
  private static let taps: (Float, Float, Float, Float, Float) = (
    0.2646211054881985, 0.21292859201042216, 0.10933537277746032, 0.036011114658364415,
    0.009414367809653747
  )

  private let stride: Int
  /// The last nine rows, blurred horizontally.
  private(set) var rows: [Floats]

  init(stride: Int) {
    self.stride = stride
    rows = Array(repeating: .zero, count: Self.window * stride)
  }

  /// Forgets all rows.
  mutating func clear() {
    for index in rows.indices { rows[index] = .zero }
  }

  /// Takes the next row, with `Floats` of zeros on either side.
  mutating func take(_ line: [Floats], row: Int) {
    precondition(line.count == stride + 2)
    let start = row % Self.window * stride
    let bytes = unsafe line.span.bytes
    let taps = Self.taps
    for index in 0..<stride {
      // Pixels at a distance. Every pattern of bits is a Float, so that reading them is safe.
      func at(_ distance: Int) -> Floats {
        let offset = ((index + 1) * laneCount + distance) * MemoryLayout<Float>.size
        return unsafe bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: Floats.self)
      }
      var sum = at(0) * taps.0
      sum += (at(-1) + at(1)) * taps.1
      sum += (at(-2) + at(2)) * taps.2
      sum += (at(-3) + at(3)) * taps.3
      sum += (at(-4) + at(4)) * taps.4
      rows[start + index] = sum
    }
  }

  /// The window around a row: rows to `reach` behind it must have been taken.
  func window(around row: Int) -> Window {
    func start(_ distance: Int) -> Int { (row + distance + Self.window) % Self.window * stride }
    return Window(
      centre: start(0), one: (start(-1), start(1)), two: (start(-2), start(2)),
      three: (start(-3), start(3)), four: (start(-4), start(4)))
  }

  /// Where nine rows start in `rows`.
  struct Window {
    let centre: Int
    let one: (Int, Int)
    let two: (Int, Int)
    let three: (Int, Int)
    let four: (Int, Int)

    /// Blurs one place of the rows vertically.
    @inline(__always)
    func sum(_ rows: Span<Floats>, _ index: Int) -> Floats {
      let taps = Blur.taps
      var sum = rows[centre + index] * taps.0
      sum += (rows[one.0 + index] + rows[one.1 + index]) * taps.1
      sum += (rows[two.0 + index] + rows[two.1 + index]) * taps.2
      sum += (rows[three.0 + index] + rows[three.1 + index]) * taps.3
      sum += (rows[four.0 + index] + rows[four.1 + index]) * taps.4
      return sum
    }
  }
}
