/// The index of a file of pixels: for each image the hash of its id, and the part of its cell that it uses.
package enum TableIndex {
  package struct Entry: Sendable, Equatable {
    /// ``TableHash/of(_:)`` of the id: 16 bytes.
    package var hash: [UInt8]
    package var width: Int
    package var height: Int

    package init(hash: [UInt8], width: Int, height: Int) {
      (self.hash, self.width, self.height) = (hash, width, height)
    }
  }

  /// - Parameter entries: in the order of their hashes.
  package static func bytes(_ entries: [Entry]) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(entries.count * TableFormat.entrySize)
    for entry in entries {
      bytes += entry.hash
      for value in [entry.width, entry.height] {
        bytes += [UInt8(truncatingIfNeeded: value), UInt8(truncatingIfNeeded: value >> 8)]
      }
      bytes += [0, 0, 0, 0]
    }
    return bytes
  }

  /// Reads and checks an index: hashes ascend strictly, and used parts are inside of their cells.
  ///
  /// - Parameter bytes: those of ``TableHeader/index``.
  package static func entries(
    _ bytes: [UInt8], _ header: TableHeader
  ) throws(TableError) -> [Entry] {
    guard bytes.count == header.index.count else {
      throw TableError("the file is cut off in its index")
    }
    var entries: [Entry] = []
    entries.reserveCapacity(header.count)
    for place in stride(from: 0, to: bytes.count, by: TableFormat.entrySize) {
      let entry = Entry(
        hash: Array(bytes[place..<place + TableHash.size]), width: bytes.number(at: place + 16, 2),
        height: bytes.number(at: place + 18, 2))
      guard (1...header.width).contains(entry.width), (1...header.height).contains(entry.height),
        bytes.number(at: place + 20, 4) == 0
      else { throw TableError("an entry of the index is larger than its cell, or damaged") }
      if let last = entries.last, !last.hash.lexicographicallyPrecedes(entry.hash) {
        throw TableError("the index is not in ascending order")
      }
      entries.append(entry)
    }
    return entries
  }

  /// The place of a hash in entries that ascend; nil if it is not among them.
  package static func place(of hash: [UInt8], in entries: [Entry]) -> Int? {
    var (low, high) = (0, entries.count)
    while low < high {
      let middle = (low + high) / 2
      if entries[middle].hash.lexicographicallyPrecedes(hash) {
        low = middle + 1
      } else {
        high = middle
      }
    }
    return low < entries.count && entries[low].hash == hash ? low : nil
  }
}

/// The name of an image inside of tables: the first 16 bytes of the SHA-256 (FIPS 180-4) of its id in UTF-8.
///
/// SHA-256 is written out here, because this library has no dependencies: Foundation has no digests, and
/// CryptoKit is on Apple's systems only.
package enum TableHash {
  package static let size = 16

  package static func of(_ id: String) -> [UInt8] { Array(sha256(Array(id.utf8)).prefix(size)) }

  package static func sha256(_ message: [UInt8]) -> [UInt8] {
    // The first 32 bits of the fractional parts of the square roots of the first eight primes.
    var state: [UInt32] = [
      0x6A09_E667, 0xBB67_AE85, 0x3C6E_F372, 0xA54F_F53A, 0x510E_527F, 0x9B05_688C, 0x1F83_D9AB,
      0x5BE0_CD19,
    ]
    // A one bit, zeros up to a whole block, and the length in bits.
    var padded = message + [0x80]
    padded += [UInt8](repeating: 0, count: (120 - padded.count % 64) % 64)
    let bits = UInt64(message.count) * 8
    for shift in stride(from: 56, through: 0, by: -8) {
      padded.append(UInt8(truncatingIfNeeded: bits >> UInt64(shift)))
    }
    for block in stride(from: 0, to: padded.count, by: 64) {
      compress(&state, schedule(padded[block..<block + 64]))
    }
    return state.flatMap { word in
      [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: word >> UInt32($0)) }
    }
  }

  private static func schedule(_ block: ArraySlice<UInt8>) -> [UInt32] {
    var words: [UInt32] = []
    words.reserveCapacity(64)
    for place in stride(from: block.startIndex, to: block.endIndex, by: 4) {
      words.append(block[place..<place + 4].reduce(0) { $0 << 8 | UInt32($1) })
    }
    for place in 16..<64 {
      let (early, late) = (words[place - 15], words[place - 2])
      let first = turned(early, 7) ^ turned(early, 18) ^ early >> 3
      let second = turned(late, 17) ^ turned(late, 19) ^ late >> 10
      words.append(words[place - 16] &+ first &+ words[place - 7] &+ second)
    }
    return words
  }

  private static func compress(_ state: inout [UInt32], _ words: [UInt32]) {
    var (a, b, c, d) = (state[0], state[1], state[2], state[3])
    var (e, f, g, h) = (state[4], state[5], state[6], state[7])
    for (word, constant) in zip(words, constants) {
      let mixed = turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)
      let first = h &+ mixed &+ (e & f ^ ~e & g) &+ constant &+ word
      let second = (turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) &+ (a & b ^ a & c ^ b & c)
      (h, g, f, e) = (g, f, e, d &+ first)
      (d, c, b, a) = (c, b, a, first &+ second)
    }
    for (place, value) in [a, b, c, d, e, f, g, h].enumerated() { state[place] &+= value }
  }

  private static func turned(_ word: UInt32, _ count: UInt32) -> UInt32 {
    word >> count | word << (32 - count)
  }

  /// The first 32 bits of the fractional parts of the cube roots of the first 64 primes.
  private static let constants: [UInt32] = [
    0x428A_2F98, 0x7137_4491, 0xB5C0_FBCF, 0xE9B5_DBA5, 0x3956_C25B, 0x59F1_11F1, 0x923F_82A4,
    0xAB1C_5ED5, 0xD807_AA98, 0x1283_5B01, 0x2431_85BE, 0x550C_7DC3, 0x72BE_5D74, 0x80DE_B1FE,
    0x9BDC_06A7, 0xC19B_F174, 0xE49B_69C1, 0xEFBE_4786, 0x0FC1_9DC6, 0x240C_A1CC, 0x2DE9_2C6F,
    0x4A74_84AA, 0x5CB0_A9DC, 0x76F9_88DA, 0x983E_5152, 0xA831_C66D, 0xB003_27C8, 0xBF59_7FC7,
    0xC6E0_0BF3, 0xD5A7_9147, 0x06CA_6351, 0x1429_2967, 0x27B7_0A85, 0x2E1B_2138, 0x4D2C_6DFC,
    0x5338_0D13, 0x650A_7354, 0x766A_0ABB, 0x81C2_C92E, 0x9272_2C85, 0xA2BF_E8A1, 0xA81A_664B,
    0xC24B_8B70, 0xC76C_51A3, 0xD192_E819, 0xD699_0624, 0xF40E_3585, 0x106A_A070, 0x19A4_C116,
    0x1E37_6C08, 0x2748_774C, 0x34B0_BCB5, 0x391C_0CB3, 0x4ED8_AA4A, 0x5B9C_CA4F, 0x682E_6FF3,
    0x748F_82EE, 0x78A5_636F, 0x84C8_7814, 0x8CC7_0208, 0x90BE_FFFA, 0xA450_6CEB, 0xBEF9_A3F7,
    0xC671_78F2,
  ]
}

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
