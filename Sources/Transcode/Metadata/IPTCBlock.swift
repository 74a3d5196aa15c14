/// The content of a JPEG's APP13 segment: Photoshop image resources, one of which is the IPTC
/// record (IIM 4.2). The others are previews, paths and the like.
enum IPTCBlock {
  static let signature = Array("Photoshop 3.0\0".utf8)
  /// The number of the image resource that holds the IPTC record.
  private static let iptcResource = 0x0404
  /// Begins every dataset of a record.
  private static let tagMarker: UInt8 = 0x1C
  /// Datasets of record 2 that state a location: content location (code, name), city, sub-location,
  /// state, country (code, name).
  private static let locations: Set<UInt8> = [26, 27, 90, 92, 95, 100, 101]

  /// The block reduced to the IPTC record, without its location unless that is to be kept. Nil if
  /// nothing is left, or if the block cannot be read.
  static func clean(_ block: [UInt8], keepsLocation: Bool) -> [UInt8]? {
    // A TIFF file holds the bare record.
    let record = block.first == tagMarker ? block : resource(iptcResource, in: block)
    guard let record, let kept = datasets(record, keepsLocation: keepsLocation), !kept.isEmpty
    else {
      return nil
    }
    let padding = [UInt8](repeating: 0, count: kept.count % 2)
    return signature + Array("8BIM".utf8) + UInt16(iptcResource).bigEndianBytes + [0, 0]
      + UInt32(kept.count).bigEndianBytes + kept + padding
  }

  /// The content of the image resource with this number.
  private static func resource(_ number: Int, in block: [UInt8]) -> [UInt8]? {
    guard block.starts(with: signature) else { return nil }
    var offset = signature.count
    // A resource is "8BIM", its number, a name (length byte, then text, padded to an even size),
    // its length, and its content, padded to an even size.
    while offset + 12 <= block.count, block[offset..<offset + 4].elementsEqual("8BIM".utf8) {
      let found = Int(block[offset + 4]) << 8 | Int(block[offset + 5])
      let name = (Int(block[offset + 6]) + 2) / 2 * 2
      let start = offset + 6 + name + 4
      guard start <= block.count else { return nil }
      let length = block[start - 4..<start].reduce(0) { $0 << 8 | Int($1) }
      guard start + length <= block.count else { return nil }
      if found == number { return Array(block[start..<start + length]) }
      offset = start + length + length % 2
    }
    return nil
  }

  private static func datasets(_ record: [UInt8], keepsLocation: Bool) -> [UInt8]? {
    var kept: [UInt8] = []
    var offset = 0
    while offset + 5 <= record.count, record[offset] == tagMarker {
      let length = Int(record[offset + 3]) << 8 | Int(record[offset + 4])
      // From 0x8000 on the number is the length of a longer length field, which no known program
      // writes.
      guard length < 0x8000, offset + 5 + length <= record.count else { return nil }
      let isLocation = record[offset + 1] == 2 && locations.contains(record[offset + 2])
      if keepsLocation || !isLocation { kept += record[offset..<offset + 5 + length] }
      offset += 5 + length
    }
    return kept
  }
}
