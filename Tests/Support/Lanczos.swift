import Foundation

/// Lanczos resampling as the textbook has it, in floating point: what faster code is compared with.
public enum Lanczos {
  /// The place of a result's samples in the source, along one axis. The centre of sample `i` is at
  /// `start + (i + 0.5) * step`, in samples of the source.
  public struct Axis: Sendable {
    public var source: Int
    public var result: Int
    public var start: Double
    public var step: Double

    public init(source: Int, result: Int, start: Double, step: Double) {
      (self.source, self.result, self.start, self.step) = (source, result, start, step)
    }

    /// The whole source.
    public init(_ source: Int, to result: Int) {
      self.init(source: source, result: result, start: 0, step: Double(source) / Double(result))
    }

    /// The weights of the source's samples for one of the result's; they add up to 1.
    fileprivate func weights(of index: Int) -> [(sample: Int, weight: Double)] {
      let scale = max(1, abs(step))
      let centre = start + (Double(index) + 0.5) * step
      func kernel(_ x: Double) -> Double {
        if x == 0 { return 1 }
        let angle = Double.pi * x
        return abs(x) < 3 ? sin(angle) / angle * sin(angle / 3) / (angle / 3) : 0
      }
      let all = (0..<source).map { ($0, kernel((Double($0) + 0.5 - centre) / scale)) }
      let sum = all.reduce(0) { $0 + $1.1 }
      return all.filter { $0.1 != 0 }.map { ($0.0, $0.1 / sum) }
    }
  }

  /// - Parameter plane: row by row.
  public static func resample(_ plane: [Double], _ across: Axis, _ down: Axis) -> [Double] {
    let columns = (0..<across.result).map(across.weights)
    var narrow: [Double] = []
    for row in 0..<down.source {
      for taps in columns {
        narrow.append(taps.reduce(0) { $0 + plane[row * across.source + $1.sample] * $1.weight })
      }
    }
    var result: [Double] = []
    for row in 0..<down.result {
      let taps = down.weights(of: row)
      for column in 0..<across.result {
        result.append(
          taps.reduce(0) { $0 + narrow[$1.sample * across.result + column] * $1.weight })
      }
    }
    return result
  }

  /// Resamples 8-bit samples, all bands of a pixel together. With two or four bands, the last is
  /// alpha, and colours count as much as they are opaque.
  public static func resample(
    _ samples: [UInt8], bands: Int, _ across: Axis, _ down: Axis
  ) -> [UInt8] {
    let alpha = bands % 2 == 0 ? bands - 1 : nil
    let planes = (0..<bands).map { band in
      let plane = stride(from: 0, to: samples.count, by: bands).map { pixel in
        let opacity = alpha.map { $0 == band ? 1 : Double(samples[pixel + $0]) / 255 } ?? 1
        return Double(samples[pixel + band]) * opacity
      }
      return resample(plane, across, down)
    }
    func byte(_ value: Double) -> UInt8 { UInt8(max(0, min(255, value.rounded()))) }
    return (0..<across.result * down.result).flatMap { pixel in
      (0..<bands).map { band in
        guard let alpha, band != alpha else { return byte(planes[band][pixel]) }
        let opacity = planes[alpha][pixel]
        return opacity < 0.01 ? 0 : byte(max(0, planes[band][pixel]) * 255 / opacity)
      }
    }
  }
}
