/// The constants of the format of tables, version 1. `Examples/catalog/TABLES.md` describes it.
enum TableFormat {
  static let version = 1
  /// As in PNG: a byte that is not text, the name, and line ends that a transfer as text would change.
  static let magic: [UInt8] = [0x89, 0x54, 0x53, 0x50, 0x0D, 0x0A, 0x1A, 0x0A]
  static let sRGB = 1
  static let headerSize = 64
  /// Of an entry of the index.
  static let entrySize = 24
  /// Of rows and entries: what Core Animation, and the caches of most processors, align rows to.
  static let alignment = 64
  /// Where pixels begin: the size of a memory page of Apple's and of recent Android systems, so that a
  /// mapping of the pixels alone is possible.
  static let pageBytes = 16 << 10
}
