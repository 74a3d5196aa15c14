internal import Glibc
internal import TesseraImageHeader

/// The colours of samples that a file describes by numbers instead of by an ICC profile: code points (ITU-T H.273,
/// "CICP"), or PNG's gamma and chromaticities.
struct CodedColours: Equatable, Hashable {
  var primaries: Primaries
  var transfer: Transfer

  /// The place of a colour by its x and y of CIE 1931.
  struct Chromaticity: Equatable, Hashable {
    var x, y: Double

    init(_ x: Double, _ y: Double) { (self.x, self.y) = (x, y) }

    static let d65 = Chromaticity(0.3127, 0.3290)

    /// X, Y and Z with a Y of 1.
    var tristimulus: Vector { Vector(x / y, 1, (1 - x - y) / y) }
  }

  /// Red, green, blue and white.
  struct Primaries: Equatable, Hashable {
    var red, green, blue, white: Chromaticity

    init(_ red: Chromaticity, _ green: Chromaticity, _ blue: Chromaticity, _ white: Chromaticity) {
      (self.red, self.green, self.blue, self.white) = (red, green, blue, white)
    }

    static let bt709 = Primaries(
      .init(0.640, 0.330), .init(0.300, 0.600), .init(0.150, 0.060), .d65)

    /// By code point (H.273, table 2). Nil for one that is reserved, or says nothing.
    init?(code: Int) {
      switch code {
      case 1: self = .bt709
      case 4:
        self.init(
          .init(0.67, 0.33), .init(0.21, 0.71), .init(0.14, 0.08), .init(0.310, 0.316))
      case 5:
        self.init(.init(0.64, 0.33), .init(0.29, 0.60), .init(0.15, 0.06), .d65)
      case 6, 7:
        self.init(.init(0.630, 0.340), .init(0.310, 0.595), .init(0.155, 0.070), .d65)
      case 8:
        self.init(
          .init(0.681, 0.319), .init(0.243, 0.692), .init(0.145, 0.049), .init(0.310, 0.316))
      case 9:
        self.init(.init(0.708, 0.292), .init(0.170, 0.797), .init(0.131, 0.046), .d65)
      case 11:
        self.init(
          .init(0.680, 0.320), .init(0.265, 0.690), .init(0.150, 0.060), .init(0.314, 0.351))
      case 12:
        self.init(.init(0.680, 0.320), .init(0.265, 0.690), .init(0.150, 0.060), .d65)
      case 22:
        self.init(.init(0.630, 0.340), .init(0.295, 0.605), .init(0.155, 0.077), .d65)
      default: return nil
      }
    }
  }

  /// How samples lead to light.
  enum Transfer: Equatable, Hashable {
    /// IEC 61966-2-1.
    case sRGB
    /// A power of the sample.
    case gamma(Double)
    /// SMPTE ST 2084: light in candelas.
    case pq
    /// ARIB STD-B67 and ITU-R BT.2100: light of the scene.
    case hlg

    /// By code point (H.273, table 3). Nil for one that is reserved, or says nothing.
    init?(code: Int) {
      switch code {
      // Curves of cameras: browsers show their samples as those of sRGB.
      case 1, 6, 11, 12, 13, 14, 15: self = .sRGB
      case 4: self = .gamma(2.2)
      case 5: self = .gamma(2.8)
      case 8: self = .gamma(1)
      case 16: self = .pq
      case 17: self = .gamma(2.6)
      case 18: self = .hlg
      default: return nil
      }
    }
  }

  /// Colours that need no conversion.
  static let sRGB = CodedColours(primaries: .bt709, transfer: .sRGB)

  init(primaries: Primaries, transfer: Transfer) {
    (self.primaries, self.transfer) = (primaries, transfer)
  }

  /// By code points. One that says nothing counts as that of sRGB.
  init(primaries: Int, transfer: Int) {
    self.init(
      primaries: Primaries(code: primaries) ?? .bt709, transfer: Transfer(code: transfer) ?? .sRGB)
  }

  /// Whether light goes beyond the white of a page.
  var isHDR: Bool { transfer == .pq || transfer == .hlg }
}

// MARK: Matrices

/// Three numbers: red, green and blue, or X, Y and Z.
struct Vector: Equatable {
  var x, y, z: Double

  init(_ x: Double, _ y: Double, _ z: Double) { (self.x, self.y, self.z) = (x, y, z) }

  func map(_ body: (Double) -> Double) -> Vector { Vector(body(x), body(y), body(z)) }
}

/// Three rows.
struct Matrix: Equatable {
  var rows: (Vector, Vector, Vector)

  static func == (one: Matrix, other: Matrix) -> Bool { one.rows == other.rows }

  init(_ first: Vector, _ second: Vector, _ third: Vector) { rows = (first, second, third) }

  static func diagonal(_ value: Vector) -> Matrix {
    Matrix(Vector(value.x, 0, 0), Vector(0, value.y, 0), Vector(0, 0, value.z))
  }

  var transposed: Matrix {
    let (a, b, c) = rows
    return Matrix(Vector(a.x, b.x, c.x), Vector(a.y, b.y, c.y), Vector(a.z, b.z, c.z))
  }

  static func * (matrix: Matrix, vector: Vector) -> Vector {
    func product(_ row: Vector) -> Double {
      row.x * vector.x + row.y * vector.y + row.z * vector.z
    }
    return Vector(product(matrix.rows.0), product(matrix.rows.1), product(matrix.rows.2))
  }

  static func * (one: Matrix, other: Matrix) -> Matrix {
    let columns = other.transposed.rows
    return Matrix(one * columns.0, one * columns.1, one * columns.2).transposed
  }

  /// Nil if there is none.
  var inverse: Matrix? {
    let (a, b, c) = rows
    func cross(_ one: Vector, _ other: Vector) -> Vector {
      Vector(
        one.y * other.z - one.z * other.y, one.z * other.x - one.x * other.z,
        one.x * other.y - one.y * other.x)
    }
    let first = cross(b, c)
    let determinant = a.x * first.x + a.y * first.y + a.z * first.z
    guard determinant.isFinite, abs(determinant) > 1e-9 else { return nil }
    return Matrix(
      first.map { $0 / determinant }, cross(c, a).map { $0 / determinant },
      cross(a, b).map { $0 / determinant }
    ).transposed
  }
}

extension CodedColours.Primaries {
  /// From linear red, green and blue to X, Y and Z, in which white has a Y of 1 (SMPTE RP 177). Nil if the primaries
  /// are not those of a colour space.
  var toXYZ: Matrix? {
    guard [red, green, blue, white].allSatisfy({ $0.y > 0 }) else { return nil }
    let columns = Matrix(red.tristimulus, green.tristimulus, blue.tristimulus).transposed
    guard let scale = columns.inverse.map({ $0 * white.tristimulus }),
      scale.x > 0, scale.y > 0, scale.z > 0
    else { return nil }
    return columns * .diagonal(scale)
  }

  /// As ``toXYZ``, for an eye that is used to the white of ICC profiles (D50), by Bradford's cones.
  var toD50: Matrix? {
    let cones = Matrix(
      Vector(0.8951, 0.2664, -0.1614), Vector(-0.7502, 1.7135, 0.0367),
      Vector(0.0389, -0.0685, 1.0296))
    guard let toXYZ, let back = cones.inverse else { return nil }
    let (own, target) = (cones * white.tristimulus, cones * Self.d50)
    let scale = Vector(target.x / own.x, target.y / own.y, target.z / own.z)
    return back * .diagonal(scale) * cones * toXYZ
  }

  /// ICC.1:2022, 7.2.16.
  static let d50 = Vector(0.9642, 1, 0.8249)
}

/// Where files state their colours by numbers.
extension CodedColours {
  /// The colours that a file states instead of a profile, or that take precedence over it. Nil if there are none.
  static func stated(in source: SourceData, _ format: ImageFormat) -> CodedColours? {
    switch format {
    case .png: ofPNG(source.bytes)
    case .avif, .heic: source.header.flatMap(of)
    default: nil
    }
  }

  /// Whether these numbers count although there is a profile: PNG (third edition, 11.3.2) says so of code points, and
  /// they are all that a PNG with a profile is read for.
  func precedesProfile(in format: ImageFormat) -> Bool { format == .png }

  // MARK: PNG

  /// PNG (third edition, 11.3.2): `cICP` comes before a profile, and a profile and `sRGB` before gamma and
  /// chromaticities.
  private static func ofPNG(_ bytes: UnsafeRawBufferPointer) -> CodedColours? {
    let chunks = PNGContainer.chunksBeforePixels(of: bytes)
    func body(_ name: String, _ count: Int) -> [UInt8]? {
      chunks.first { $0.name == name && $0.body.count == count }.map { Array(bytes[$0.body]) }
    }
    // Code points that are reserved, or say nothing, leave the colours to the other chunks.
    if let codes = body("cICP", 4), codes[2] == 0, Primaries(code: Int(codes[0])) != nil,
      Transfer(code: Int(codes[1])) != nil
    {
      var colours = CodedColours(primaries: Int(codes[0]), transfer: Int(codes[1]))
      // As on the display of a studio (BT.1886), unlike AVIF: so do browsers.
      if [1, 6, 14, 15].contains(codes[1]) { colours.transfer = .gamma(2.4) }
      return colours
    }
    guard !chunks.contains(where: { $0.name == "iCCP" || $0.name == "sRGB" }),
      let stated = body("gAMA", 4).map({ number($0[...]) }), stated > 0
    else { return nil }
    var colours = CodedColours(primaries: .bt709, transfer: .gamma(100_000 / stated))
    // So near to 1/2.2 that it is not seen (libpng's own threshold): the curve of sRGB itself.
    if abs(stated / 45_455 - 1) < 0.05 { colours.transfer = .sRGB }
    if let places = body("cHRM", 32) {
      let numbers = stride(from: 0, to: 32, by: 4).map { number(places[$0..<$0 + 4]) / 100_000 }
      let points = stride(from: 0, to: 8, by: 2).map {
        Chromaticity(numbers[$0], numbers[$0 + 1])
      }
      colours.primaries = Primaries(points[1], points[2], points[3], points[0])
      if colours.primaries.isLike(.bt709) { colours.primaries = .bt709 }
    }
    return colours
  }

  private static func number(_ bytes: ArraySlice<UInt8>) -> Double {
    Double(bytes.reduce(0) { $0 << 8 | Int($1) })
  }

  // MARK: AVIF and HEIC

  private static func of(_ header: ImageHeader) -> CodedColours? {
    guard let primaries = header.coded.primaries, let transfer = header.coded.transfer else {
      return nil
    }
    return CodedColours(primaries: primaries, transfer: transfer)
  }
}

extension CodedColours.Primaries {
  /// Whether the places differ by less than what files round them to.
  fileprivate func isLike(_ other: CodedColours.Primaries) -> Bool {
    zip([red, green, blue, white], [other.red, other.green, other.blue, other.white]).allSatisfy {
      abs($0.x - $1.x) < 0.001 && abs($0.y - $1.y) < 0.001
    }
  }
}
