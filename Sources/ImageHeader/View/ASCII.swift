/// Classes of ASCII characters.
enum ASCII {
  /// A space, tab, line end, vertical tab or form feed.
  static func isBlank(_ byte: Int) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
}
