/// Counts the colours of an image as far as a palette is worth it.
enum PaletteCount {
  /// Of a palette in WebP and PNG.
  static let most = 256
  /// Of each colour. With fewer, a palette takes more than it saves: of 38 such files none was smaller with one.
  static let fewestPixels = 10

  /// Whether the image has few enough colours, for a palette and for its pixels.
  ///
  /// - Parameter samples: in 8 bits, row by row: three bands, or four with alpha.
  static func fits(_ samples: UnsafeBufferPointer<UInt8>, bands: Int) -> Bool {
    let most = min(most, samples.count / bands / fewestPixels)
    // Open addressing; 0 is an empty place, so a colour is stored with a bit above it.
    var table = [UInt64](repeating: 0, count: 4 * Self.most)
    return table.withUnsafeMutableBufferPointer { table in
      var (count, last) = (0, 0 as UInt64)
      for place in stride(from: 0, to: samples.count, by: bands) {
        var colour: UInt64 = 1
        for band in 0..<bands { colour = colour << 8 | UInt64(samples[place + band]) }
        if colour == last { continue }
        last = colour
        // Fibonacci hashing (Knuth, volume 3, 6.4).
        var slot = Int(truncatingIfNeeded: (colour &* 0x9E37_79B9_7F4A_7C15) >> 54)
        while table[slot] != colour {
          if table[slot] == 0 {
            count += 1
            if count > most { return false }
            table[slot] = colour
          } else {
            slot = (slot + 1) % table.count
          }
        }
      }
      return true
    }
  }
}
