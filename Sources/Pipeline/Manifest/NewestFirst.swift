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

  mutating func add(_ item: Item) throws(SystemError) {
    let bytes = item.entry.packed(position: item.position)
    let numbers = [item.chunk, item.slot, bytes.count].flatMap(Self.bytes)
    try file.write(bytes + numbers)
    end += bytes.count + numbers.count
  }

  /// The last entry that was added and not returned yet, with the places of its item.
  mutating func next() throws(SystemError) -> Record? {
    guard end > 0 else { return nil }
    let numbers = try file.read(3 * Self.width, at: end - 3 * Self.width)
    let (chunk, slot, length) = (
      Self.number(numbers, 0), Self.number(numbers, 1), Self.number(numbers, 2)
    )
    let start = end - 3 * Self.width - length
    guard start >= 0, let record = ManifestEntry.unpacked(try file.read(length, at: start)) else {
      throw SystemError("read back an entry from", "a temporary file", code: 5)  // EIO
    }
    end = start
    return (record.0, record.position, chunk, slot)
  }

  typealias Record = (entry: ManifestEntry, position: Int, chunk: Int, slot: Int)

  private static let width = 8

  private static func bytes(_ number: Int) -> [UInt8] {
    (0..<width).reversed().map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
  }

  private static func number(_ bytes: [UInt8], _ place: Int) -> Int {
    bytes.dropFirst(place * width).prefix(width).reduce(0) { $0 << 8 | Int($1) }
  }
}
