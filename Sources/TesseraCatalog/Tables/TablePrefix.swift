/// The leading bits that the hashes of a file's entries share. A table is split by them, so that a new image
/// changes one file only, wherever it is in the manifest.
package struct TablePrefix: Sendable, Equatable, CustomStringConvertible {
  /// `0` and `1`; empty for all hashes.
  package let description: String

  /// All hashes.
  package static let all = TablePrefix("")

  private init(_ description: String) { self.description = description }

  /// The two prefixes that are one bit longer, in ascending order.
  package var halves: [TablePrefix] {
    [TablePrefix(description + "0"), TablePrefix(description + "1")]
  }

  /// The least and the greatest hash with this prefix, in hexadecimal.
  package var range: ClosedRange<String> {
    let bits = TableHash.size * 8
    func text(filledWith bit: Character) -> String {
      let all = description + String(repeating: bit, count: max(0, bits - description.count))
      return stride(from: 0, to: bits, by: 4).map { place in
        let digit = all.dropFirst(place).prefix(4).reduce(0) { $0 * 2 + ($1 == "1" ? 1 : 0) }
        return String(digit, radix: 16)
      }.joined()
    }
    return text(filledWith: "0")...text(filledWith: "1")
  }

  /// Whether a hash has the prefix.
  package func contains(_ hash: [UInt8]) -> Bool { Self.matches(description, hash) }

  package static func matches(_ bits: String, _ hash: [UInt8]) -> Bool {
    bits.utf8.count <= hash.count * 8
      && bits.utf8.enumerated().allSatisfy { place, bit in
        (hash[place / 8] >> UInt8(7 - place % 8) & 1 == 1) == (bit == UInt8(ascii: "1"))
      }
  }

  /// Splits a table into files, in ascending order: each bucket that does not fit in one file is split by
  /// its next bit. A bucket without entries gets no file.
  ///
  /// - Parameter content: what a bucket has; nil if it has no entries.
  package static func split<Content>(
    _ content: (TablePrefix) async throws -> Content?, fits: (Content) -> Bool
  ) async rethrows -> [(prefix: TablePrefix, content: Content)] {
    var files: [(TablePrefix, Content)] = []
    var open = [all]
    while let prefix = open.popLast() {
      guard let found = try await content(prefix) else { continue }
      // Two images never share all bits: an id is in a table once.
      if fits(found) || prefix.description.count == TableHash.size * 8 {
        files.append((prefix, found))
      } else {
        open += prefix.halves.reversed()
      }
    }
    return files
  }
}
