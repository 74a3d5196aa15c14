import Foundation

/// The perceived difference of two colours: CIEDE2000 (CIE 142-2001, as formulated by Sharma, Wu
/// and Dalal, 2005).
public enum ColourDifference {
  /// The difference of two sRGB colours: red, green and blue, 0 to 255.
  public static func between(_ first: [Double], _ second: [Double]) -> Double {
    ofLab(lab(first), lab(second))
  }

  /// CIE L*a*b* with the white point of sRGB, D65.
  static func lab(_ colour: [Double]) -> [Double] {
    let light = colour.prefix(3).map { sample in
      let part = sample / 255
      return part <= 0.04045 ? part / 12.92 : pow((part + 0.055) / 1.055, 2.4)
    }
    let matrix = [
      [0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750],
      [0.0193339, 0.1191920, 0.9503041],
    ]
    let white = [0.95047, 1, 1.08883]
    let roots = zip(matrix, white).map { row, white in
      let value = zip(row, light).map { $0 * $1 }.reduce(0, +) / white
      return value > 216.0 / 24389 ? cbrt(value) : (24389.0 / 27 * value + 16) / 116
    }
    return [116 * roots[1] - 16, 500 * (roots[0] - roots[1]), 200 * (roots[1] - roots[2])]
  }

  static func ofLab(_ first: [Double], _ second: [Double]) -> Double {
    let chroma = (hypot(first[1], first[2]) + hypot(second[1], second[2])) / 2
    let seventh = pow(chroma, 7)
    let stretch = 1.5 - 0.5 * (seventh / (seventh + pow(25, 7))).squareRoot()
    let (a, b) = (first[1] * stretch, second[1] * stretch)
    let (c1, c2) = (hypot(a, first[2]), hypot(b, second[2]))
    func angle(_ x: Double, _ y: Double) -> Double {
      if x == 0 && y == 0 { return 0 }
      let degrees = atan2(y, x) * 180 / .pi
      return degrees < 0 ? degrees + 360 : degrees
    }
    let (h1, h2) = (angle(a, first[2]), angle(b, second[2]))
    var turn = c1 * c2 == 0 ? 0 : h2 - h1
    if turn > 180 { turn -= 360 } else if turn < -180 { turn += 360 }
    func sine(_ degrees: Double) -> Double { sin(degrees * .pi / 180) }
    func cosine(_ degrees: Double) -> Double { cos(degrees * .pi / 180) }
    let lightness = second[0] - first[0]
    let saturation = c2 - c1
    let hue = 2 * (c1 * c2).squareRoot() * sine(turn / 2)
    var mean = h1 + h2
    if c1 * c2 != 0 {
      mean = abs(h1 - h2) <= 180 ? mean / 2 : (mean < 360 ? (mean + 360) / 2 : (mean - 360) / 2)
    }
    let (l, c) = ((first[0] + second[0]) / 2, (c1 + c2) / 2)
    let weight =
      1 - 0.17 * cosine(mean - 30) + 0.24 * cosine(2 * mean) + 0.32 * cosine(3 * mean + 6)
      - 0.2 * cosine(4 * mean - 63)
    let scaleL = 1 + 0.015 * pow(l - 50, 2) / (20 + pow(l - 50, 2)).squareRoot()
    let scaleC = 1 + 0.045 * c
    let scaleH = 1 + 0.015 * c * weight
    let bend = 30 * exp(-pow((mean - 275) / 25, 2))
    let high = pow(c, 7)
    let rotation = -2 * (high / (high + pow(25, 7))).squareRoot() * sine(2 * bend)
    let (x, y, z) = (lightness / scaleL, saturation / scaleC, hue / scaleH)
    return (x * x + y * y + z * z + rotation * y * z).squareRoot()
  }
}
