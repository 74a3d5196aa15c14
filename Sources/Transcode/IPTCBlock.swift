/// An APP13 segment's content: Photoshop's image resources, of which one is IPTC's record (IIM 4.2). Others are
/// previews, paths and the like.
enum IPTCBlock {
  private static let signature = Array("Photoshop 3.0\0".utf8)
  private static let iptc = 0x0404
  /// Content location (code, name), city, sub-location, state, country (code, name): what of record 2 tells a
  /// place.
  private static let places: Set<UInt8> = [26, 27, 90, 92, 95, 100, 101]

  /// The block with IPTC's record alone, without the place where that is not to be kept. Nil where there is
  /// nothing left, or where it can't be read.
  static func clean(_ block: [UInt8], keepsLocation: Bool) -> [UInt8]? {
    // A TIFF holds the record by itself.
    let record = block.first == 0x1C ? block : resource(iptc, in: block)
    guard let record, let kept = datasets(record, keepsLocation: keepsLocation), !kept.isEmpty
    else {
      return nil
    }
    let padding = [UInt8](repeating: 0, count: kept.count % 2)
    return signature + Array("8BIM".utf8) + UInt16(iptc).bigEndianBytes + [0, 0]
      + UInt32(kept.count).bigEndianBytes + kept + padding
  }

  /// The content of an image resource.
  private static func resource(_ number: Int, in block: [UInt8]) -> [UInt8]? {
    guard block.starts(with: signature) else { return nil }
    var offset = signature.count
    // Mark, number, a name of even length with its length before it, length, content of even length.
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
    while offset + 5 <= record.count, record[offset] == 0x1C {
      let length = Int(record[offset + 3]) << 8 | Int(record[offset + 4])
      // Longer ones have a length of a length; nobody writes them.
      guard length < 0x8000, offset + 5 + length <= record.count else { return nil }
      let tellsPlace = record[offset + 1] == 2 && places.contains(record[offset + 2])
      if keepsLocation || !tellsPlace { kept += record[offset..<offset + 5 + length] }
      offset += 5 + length
    }
    return kept
  }
}
