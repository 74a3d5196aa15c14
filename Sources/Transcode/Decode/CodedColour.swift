/// Colours that are described by code points (ITU-T H.273), in the `colr` box of type `nclx` of an
/// AVIF or HEIC file.
enum CodedColour {
  /// SMPTE EG 432-1: the primaries and the white point of Display P3.
  static let displayP3 = 12

  /// The code point of the colour primaries; nil if the file states none.
  ///
  /// - Parameter beginning: the first bytes of the file; item properties precede the image data.
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
