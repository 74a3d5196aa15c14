/// An entry of the list that says which properties an item has (`ipma`; ISO/IEC 23008-12, section 9.3.1).
struct HEIFAssociation {
  /// Of the property, from 1; 0 means no property.
  var index: Int
  /// The entry as it is stored.
  var bytes: [UInt8]
  /// Where in the file.
  var offset: Int

  /// - Parameter isWide: whether indices have 15 bits, not 7. The upper bit says whether the property is essential.
  init(_ file: borrowing HeaderView, at offset: Int, isWide: Bool) throws(HeaderStop) {
    self.offset = offset
    bytes = []
    for place in offset..<offset + (isWide ? 2 : 1) { bytes.append(UInt8(try file.byte(place))) }
    index = bytes.dropFirst().reduce(Int(bytes[0] & 0x7F)) { $0 << 8 | Int($1) }
  }
}
