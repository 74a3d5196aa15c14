/// How much work it is to encode, in one unit for all formats: a pixel in WebP at an effort of 4.
extension OutputFormat {
  /// Of a pixel: medians over 19 photographs at 512 pixels (libwebp 1.2.4, libaom 3.6, libjxl 0.7, x265 3.5), as in the table of
  /// Tests/Benchmarks/ENCODERS.md.
  package func work(_ effort: Int?) -> Double {
    switch self {
    case .webp: Self.interpolated(effort ?? 4, [(0, 0.3), (2, 0.53), (4, 1), (6, 1.98)])
    case .avif: Self.interpolated(effort ?? 2, [(0, 0.84), (2, 2.83), (4, 20.3), (9, 100)])
    case .jxl: Self.interpolated(effort ?? 5, [(3, 0.8), (5, 1.88), (7, 3.14), (9, 30)])
    case .heic: 10.7  // with its preset "slow", which libheif sets
    case .jpeg: 0.2
    case .png: 0.6
    }
  }

  private static func interpolated(_ effort: Int, _ table: [(effort: Int, work: Double)]) -> Double
  {
    for (low, high) in zip(table, table.dropFirst()) where effort <= high.effort {
      let part = Double(effort - low.effort) / Double(high.effort - low.effort)
      return low.work + (high.work - low.work) * max(0, part)
    }
    return table.last?.work ?? 1
  }
}
