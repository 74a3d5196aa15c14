internal import TesseraImageHeader

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
