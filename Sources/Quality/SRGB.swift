/// The transfer function of sRGB (IEC 61966-2-1).
enum SRGB {
  /// Linear light from 0 to 1 of every 8-bit sample.
  static let light: [Float] = (0..<256).map { Float(linear(Double($0) / 255)) }

  /// The same at every 1/4096: blends with a background lie between samples. Straight lines between
  /// these points differ from the curve by at most 3e-8, a quarter of a unit in the last place at 1.
  private static let fineLight: [Float] = (0...4096).map { Float(linear(Double($0) / 4096)) }

  /// Linear light of a value from 0 to 1.
  static func light(of value: Float) -> Float {
    let place = value * 4096
    let index = min(Int(place), 4095)
    let low = fineLight[index]
    return low + (place - Float(index)) * (fineLight[index + 1] - low)
  }

  private static func linear(_ value: Double) -> Double {
    guard value > 0.04045 else { return value / 12.92 }
    // x to the power of 2.4 is x² times the fifth root of x².
    let base = (value + 0.055) / 1.055
    return base * base * Elementary.fifthRoot(base * base)
  }
}
