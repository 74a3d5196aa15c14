/// Colours told by code points (ITU-T H.273) in the `colr` box of an AVIF or HEIC file, of type `nclx`.
enum CodedColour {
  /// SMPTE EG 432-1, which has the primaries and the white of Display P3.
  static let displayP3 = 12

  /// The code of the primaries; nil where there is none.
  ///
  /// - Parameter beginning: the first bytes of the file: properties stand before pixels.
  static func primaries(of beginning: [UInt8]) -> Int? {
    let mark = Array("colrnclx".utf8)
    var offset = 0
    while offset + mark.count + 2 <= beginning.count {
      if beginning[offset] == mark[0], beginning[offset..<offset + mark.count].elementsEqual(mark) {
        return Int(beginning[offset + mark.count]) << 8 | Int(beginning[offset + mark.count + 1])
      }
      offset += 1
    }
    return nil
  }
}
