internal import Glibc

/// Light of HDR, brought to what a page shows: the reference white of ITU-R BT.2408 (203 cd/m²) near the page's, the
/// lights above compressed by the curve of BT.2390, and colours outside BT.709 made paler until they fit.
struct ToneMapping {
  /// In cd/m².
  private static let white = 203.0

  /// The brightest light of the source in cd/m².
  private let peak: Double
  private let transfer: CodedColours.Transfer
  private let toBT709: Matrix
  private let luminance: Vector

  /// Nil if the primaries are not those of a colour space.
  init?(_ colours: CodedColours, peak: Double = 1_000) {
    guard let toXYZ = colours.primaries.toXYZ,
      let fromXYZ = CodedColours.Primaries.bt709.toXYZ?.inverse
    else { return nil }
    self.peak = peak
    transfer = colours.transfer
    toBT709 = fromXYZ * toXYZ
    luminance = toXYZ.rows.1
  }

  /// Linear light of BT.709 in 0...1 for samples in 0...1.
  func light(of samples: Vector) -> Vector {
    let source = displayed(samples)
    let brightest = max(source.x, source.y, source.z)
    // One factor for all three, so that the hue stays.
    let factor = brightest > 0 ? Self.compressed(brightest, from: peak) / brightest : 0
    return inGamut(toBT709 * source.map { $0 * factor / Self.white })
  }

  /// Light on a display in cd/m².
  private func displayed(_ samples: Vector) -> Vector {
    guard transfer == .hlg else { return samples.map { min(PQ.light(of: $0), peak) } }
    // BT.2100: the light of the scene, then the opto-optical transfer of a display of 1,000 cd/m².
    let scene = samples.map(HLG.light(of:))
    let brightness = luminance.x * scene.x + luminance.y * scene.y + luminance.z * scene.z
    let factor = brightness > 0 ? 1_000 * pow(brightness, 0.2) : 0
    return scene.map { min($0 * factor, peak) }
  }

  /// BT.2390-11, 5.4: from a display with this peak to one whose peak is the reference white, both black at 0.
  static func compressed(_ light: Double, from peak: Double) -> Double {
    let whole = PQ.sample(of: peak)
    let (value, most) = (PQ.sample(of: light) / whole, PQ.sample(of: white) / whole)
    let knee = 1.5 * most - 0.5
    guard value > knee else { return light }
    let t = (value - knee) / (1 - knee)
    let (t2, t3) = (t * t, t * t * t)
    let result =
      (2 * t3 - 3 * t2 + 1) * knee + (t3 - 2 * t2 + t) * (1 - knee) + (-2 * t3 + 3 * t2) * most
    return PQ.light(of: result * whole)
  }

  /// The colour of the same luminance and hue that is nearest to this one, and can be shown: after BT.2407, towards
  /// the grey.
  private func inGamut(_ light: Vector) -> Vector {
    let grey = min(max(0.2126 * light.x + 0.7152 * light.y + 0.0722 * light.z, 0), 1)
    var share = 1.0
    for value in [light.x, light.y, light.z] {
      if value < 0 { share = min(share, grey / (grey - value)) }
      if value > 1 { share = min(share, (1 - grey) / (value - grey)) }
    }
    return light.map { min(max(grey + ($0 - grey) * share, 0), 1) }
  }
}

/// The perceptual quantizer (SMPTE ST 2084; BT.2100, table 4): samples in 0...1, light in 0...10,000 cd/m².
enum PQ {
  private static let (m1, m2) = (2610.0 / 16384, 2523.0 / 4096 * 128)
  private static let (c1, c2, c3) = (3424.0 / 4096, 2413.0 / 4096 * 32, 2392.0 / 4096 * 32)

  static func light(of sample: Double) -> Double {
    let power = pow(sample, 1 / m2)
    return 10_000 * pow(max(power - c1, 0) / (c2 - c3 * power), 1 / m1)
  }

  static func sample(of light: Double) -> Double {
    let power = pow(light / 10_000, m1)
    return pow((c1 + c2 * power) / (1 + c3 * power), m2)
  }
}

/// Hybrid log-gamma (BT.2100, table 5): samples and light of the scene in 0...1.
enum HLG {
  static func light(of sample: Double) -> Double {
    let (a, b, c) = (0.17883277, 0.28466892, 0.55991073)
    return sample <= 0.5 ? sample * sample / 3 : (exp((sample - c) / a) + b) / 12
  }
}
