internal import Synchronization
internal import TesseraSystem

/// The lines of items that a run looks at, until its catalog is written: in a file without a name, in any order.
final class LineSpool: Sendable {
  /// Where a line is.
  struct Place: Sendable {
    var range: Range<Int>
    /// Whether that is in the parent.
    var isInParent: Bool
    /// The item's line in the manifest.
    var line: Int

    fileprivate static let width = 16
    fileprivate static let parentBit: UInt64 = 1 << 63
  }

  private let lines: SharedFile
  private let places: SharedFile
  private let waiting = Mutex(Waiting())

  /// Lines that are not in the file yet.
  private struct Waiting {
    var bytes: [UInt8] = []
    var start = 0

    static let most = 1 << 18
  }

  /// - Parameter directory: for its files.
  init(in directory: String) throws(SystemError) {
    lines = SharedFile(try File.temporary(in: directory))
    places = SharedFile(try File.temporary(in: directory))
  }

  /// Sets the line of a slot.
  ///
  /// - Parameter line: the item's in the manifest.
  func put(_ text: [UInt8], in slot: Int, line: Int) throws(SystemError) {
    let start = try waiting.withLock { waiting throws(SystemError) in
      let start = waiting.start + waiting.bytes.count
      waiting.bytes += text
      if waiting.bytes.count > Waiting.most { try write(&waiting) }
      return start
    }
    try note(Place(range: start..<start + text.count, isInParent: false, line: line), slot)
  }

  /// Has a slot take its line from the parent.
  func keep(_ range: Range<Int>, in slot: Int, line: Int) throws(SystemError) {
    try note(Place(range: range, isInParent: true, line: line), slot)
  }

  private func note(_ place: Place, _ slot: Int) throws(SystemError) {
    var bytes: [UInt8] = []
    let start = UInt64(place.range.lowerBound) | (place.isInParent ? Place.parentBit : 0)
    withUnsafeBytes(of: start) { bytes += $0 }
    withUnsafeBytes(of: UInt32(clamping: place.range.count)) { bytes += $0 }
    withUnsafeBytes(of: UInt32(clamping: place.line)) { bytes += $0 }
    try places.file.write(bytes, at: slot * Place.width)
  }

  /// The places of some slots; an empty one for each that has no line.
  func places(of slots: Range<Int>) throws(SystemError) -> [Place] {
    let bytes = try places.file.read(
      slots.count * Place.width, at: slots.lowerBound * Place.width)
    return slots.indices.map { slot in
      let offset = (slot - slots.lowerBound) * Place.width
      guard offset + Place.width <= bytes.count else {
        return Place(range: 0..<0, isInParent: false, line: 0)
      }
      return bytes.withUnsafeBytes { bytes in
        let start = bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
        let count = bytes.loadUnaligned(fromByteOffset: offset + 8, as: UInt32.self)
        let line = bytes.loadUnaligned(fromByteOffset: offset + 12, as: UInt32.self)
        let lower = Int(start & ~Place.parentBit)
        return Place(
          range: lower..<lower + Int(count), isInParent: start & Place.parentBit != 0,
          line: Int(line))
      }
    }
  }

  /// A line that was put into a slot.
  func read(_ range: Range<Int>) throws(SystemError) -> [UInt8] {
    try waiting.withLock { waiting throws(SystemError) in
      if range.upperBound > waiting.start { try write(&waiting) }
    }
    return try lines.file.read(range.count, at: range.lowerBound)
  }

  private func write(_ waiting: inout Waiting) throws(SystemError) {
    try lines.file.write(waiting.bytes, at: waiting.start)
    waiting.start += waiting.bytes.count
    waiting.bytes.removeAll(keepingCapacity: true)
  }
}
