/// A box of the ISO base media file format (ISO/IEC 14496-12).
struct Box {
  /// Four characters.
  var name: String
  var body: [UInt8]

  /// The box with its header: the length in four bytes, then the name.
  var bytes: [UInt8] { UInt32(body.count + 8).bigEndianBytes + Array(name.utf8) + body }

  /// The boxes in a sequence of bytes; nil if the bytes are not a sequence of whole boxes. 64-bit
  /// lengths are not read: no encoder used here writes them.
  static func list(_ bytes: ArraySlice<UInt8>) -> [Box]? {
    var boxes: [Box] = []
    var offset = bytes.startIndex
    while offset + 8 <= bytes.endIndex {
      let stated = bytes[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) }
      // 0 means up to the end.
      let length = stated == 0 ? bytes.endIndex - offset : stated
      guard length >= 8, offset + length <= bytes.endIndex else { return nil }
      boxes.append(
        Box(
          name: String(decoding: bytes[offset + 4..<offset + 8], as: UTF8.self),
          body: Array(bytes[offset + 8..<offset + length])))
      offset += length
    }
    return offset == bytes.endIndex ? boxes : nil
  }
}

extension FixedWidthInteger {
  /// The bytes of the number, the most significant first.
  var bigEndianBytes: [UInt8] {
    stride(from: Self.bitWidth - 8, through: 0, by: -8).map {
      UInt8(truncatingIfNeeded: self >> $0)
    }
  }
}
