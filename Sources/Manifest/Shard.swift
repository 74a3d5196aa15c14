internal import TesseraBytes

/// One part of a manifest, for runs on several machines: `3/8` is the fourth of eight.
///
/// An item is in the shard whose index is the first 16 hexadecimal digits of the SHA-256 of its id in
/// UTF-8, as a number, modulo the number of shards. This rule never changes: other programs rely on it.
package struct Shard: Sendable, Hashable, CustomStringConvertible {
  /// From 0.
  package let index: Int
  /// The number of shards.
  package let count: Int

  /// More shards than this are a mistake: each has a state of its own.
  package static let maximumCount = 100_000

  /// Nil unless `index` is from 0 to `count` - 1.
  package init?(_ index: Int, of count: Int) {
    guard (1...Self.maximumCount).contains(count), (0..<count).contains(index) else { return nil }
    self.index = index
    self.count = count
  }

  /// Nil unless the text is like `3/8`.
  package init?(_ text: String) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false).map { Int($0) }
    guard parts.count == 2, let index = parts[0], let count = parts[1] else { return nil }
    self.init(index, of: count)
  }

  package var description: String { "\(index)/\(count)" }

  package func owns(_ id: String) -> Bool { Self.index(of: id, among: count) == index }

  /// Whether a line that can't be used is reported by this shard: one of them reports it.
  package func owns(line: Int) -> Bool { line % count == index }

  /// The index of the shard that an item is in.
  package static func index(of id: String, among count: Int) -> Int {
    guard let number = UInt64(SHA256.of(id).prefix(16), radix: 16) else {
      preconditionFailure("a SHA-256 begins with 16 hexadecimal digits")
    }
    return Int(number % UInt64(count))
  }
}
