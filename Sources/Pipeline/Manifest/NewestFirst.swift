internal import TesseraManifest
internal import TesseraSystem

/// The entries of a manifest from its end to its beginning: what was added last is fetched first. They
/// wait in a file, each followed by its length, so that memory does not grow with the manifest.
struct NewestFirst: ~Copyable {
  private let file: File
  private var end = 0

  /// - Parameter directory: where the file is; it has no name there.
  init(in directory: String) throws(SystemError) {
    file = try File.temporary(in: directory)
  }

  mutating func add(_ entry: ManifestEntry, position: Int) throws(SystemError) {
    let bytes = entry.packed(position: position)
    try file.write(bytes + Self.length(bytes.count))
    end += bytes.count + Self.lengthSize
  }

  /// The last entry that was added and not returned yet, with its position.
  mutating func next() throws(SystemError) -> (ManifestEntry, Int)? {
    guard end > 0 else { return nil }
    let length = try file.read(Self.lengthSize, at: end - Self.lengthSize)
      .reduce(0) { $0 << 8 | Int($1) }
    let start = end - Self.lengthSize - length
    guard start >= 0, let record = ManifestEntry.unpacked(try file.read(length, at: start)) else {
      throw SystemError("read back an entry from", "a temporary file", code: 5)  // EIO
    }
    end = start
    return record
  }

  private static let lengthSize = 8

  private static func length(_ count: Int) -> [UInt8] {
    (0..<lengthSize).reversed().map { UInt8(truncatingIfNeeded: count >> ($0 * 8)) }
  }
}
