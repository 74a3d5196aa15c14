internal import Glibc

/// ICC profiles of coded colours (ICC.1:2022), from which LittleCMS converts as from one that a file embeds.
extension CodedColours {
  /// The profile for samples of red, green and blue. Nil if the primaries are not those of a colour space.
  ///
  /// HDR becomes a table of colours after ``ToneMapping``, all others a matrix and a curve.
  func profile() -> [UInt8]? {
    guard let toD50 = primaries.toD50 else { return nil }
    if isHDR {
      return ToneMapping(self).map {
        Self.profile(space: "Lab ", [("A2B0", Self.table($0))])
      }
    }
    let columns = toD50.transposed.rows
    return Self.profile(
      space: "XYZ ",
      [
        ("rXYZ", Self.place(columns.0)), ("gXYZ", Self.place(columns.1)),
        ("bXYZ", Self.place(columns.2)), ("rTRC", curve), ("gTRC", curve), ("bTRC", curve),
      ])
  }

  private static func profile(
    space: String, _ tags: [(name: String, data: [UInt8])]
  ) -> [UInt8] {
    let tags = tags + [("wtpt", place(Primaries.d50))]
    var table = tags.count.bigEndian32
    var data: [UInt8] = []
    for (name, content) in tags {
      let start = 128 + 4 + tags.count * 12 + data.count
      table += Array(name.utf8) + start.bigEndian32 + content.count.bigEndian32
      data += content + [UInt8](repeating: 0, count: (4 - content.count % 4) % 4)
    }
    // Version 4.4, of a display; no date, no maker.
    var head = (128 + table.count + data.count).bigEndian32 + 0.bigEndian32
    head += 0x0440_0000.bigEndian32 + Array("mntrRGB \(space)".utf8)
    head += [UInt8](repeating: 0, count: 12) + Array("acsp".utf8)
    head += [UInt8](repeating: 0, count: 68 - head.count)
    head += fixed(Primaries.d50.x) + fixed(Primaries.d50.y) + fixed(Primaries.d50.z)
    return head + [UInt8](repeating: 0, count: 128 - head.count) + table + data
  }

  /// `XYZType` (10.31).
  private static func place(_ value: Vector) -> [UInt8] {
    Array("XYZ ".utf8) + 0.bigEndian32 + fixed(value.x) + fixed(value.y) + fixed(value.z)
  }

  /// `parametricCurveType` (10.18): a power, or the curve of sRGB.
  private var curve: [UInt8] {
    let numbers: (kind: Int, values: [Double])
    if case .gamma(let exponent) = transfer {
      numbers = (0, [exponent])
    } else {
      numbers = (3, [2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045])
    }
    return Array("para".utf8) + 0.bigEndian32 + numbers.kind.bigEndian16 + [0, 0]
      + numbers.values.flatMap(Self.fixed)
  }

  /// `s15Fixed16Number`.
  private static func fixed(_ value: Double) -> [UInt8] {
    Int((value * 65_536).rounded()).bigEndian32
  }

  // MARK: Tables

  /// So fine that what lies between two colours of the table is not seen.
  private static let steps = 33

  /// `lut16Type` (10.10) from samples to L*a*b*: 33 steps a channel, in between LittleCMS interpolates.
  private static func table(_ mapping: ToneMapping) -> [UInt8] {
    var bytes = Array("mft2".utf8) + 0.bigEndian32 + [3, 3, UInt8(steps), 0]
    for number in [1, 0, 0, 0, 1, 0, 0, 0, 1] { bytes += fixed(Double(number)) }
    bytes += 2.bigEndian16 + 2.bigEndian16
    let straight = 0.bigEndian16 + 0xFFFF.bigEndian16
    bytes += straight + straight + straight
    guard let toD50 = Primaries.bt709.toD50 else { return bytes }
    let levels = (0..<steps).map { Double($0) / Double(steps - 1) }
    for red in levels {
      for green in levels {
        for blue in levels {
          bytes += lab(toD50 * mapping.light(of: Vector(red, green, blue)))
        }
      }
    }
    return bytes + straight + straight + straight
  }

  /// L*a*b* in the 16 bits of `lut16Type` (table 42): 100 is 0xFF00, and a* and b* of 0 are 0x8000.
  private static func lab(_ value: Vector) -> [UInt8] {
    let white = Primaries.d50
    func root(_ ratio: Double) -> Double {
      ratio > 216.0 / 24_389 ? cbrt(ratio) : (24_389.0 / 27 * ratio + 16) / 116
    }
    let (x, y, z) = (root(value.x / white.x), root(value.y / white.y), root(value.z / white.z))
    let numbers = [
      (116 * y - 16) * 652.8, (500 * (x - y) + 128) * 256, (200 * (y - z) + 128) * 256,
    ]
    return numbers.flatMap { Int(min(max($0.rounded(), 0), 65_535)).bigEndian16 }
  }
}

extension Int {
  fileprivate var bigEndian16: [UInt8] { UInt16(truncatingIfNeeded: self).bigEndianBytes }
  fileprivate var bigEndian32: [UInt8] { UInt32(truncatingIfNeeded: self).bigEndianBytes }
}
