import TesseraTestSupport
import Testing

@testable import TesseraState

/// The checksum of records: FNV-1a with 64 bits, of the key and of each value behind its kind.
@Suite struct RecordMarkTests {
  /// By the definition (draft-eastlake-fnv, section 2).
  private static func fnv(_ bytes: [UInt8]) -> Int {
    var hash: UInt64 = 14_695_981_039_346_656_037
    for byte in bytes {
      hash ^= UInt64(byte)
      hash = hash &* 1_099_511_628_211
    }
    return Int(truncatingIfNeeded: hash)
  }

  /// Its test vectors.
  @Test(
    arguments: [
      ("", 0xCBF2_9CE4_8422_2325), ("a", 0xAF63_DC4C_8601_EC8C), ("foobar", 0x8594_4171_F739_67E8),
    ] as [(String, UInt64)])
  func theKeyIsHashed(_ key: String, _ hash: UInt64) {
    #expect(RecordMark.of(key, []) == Int(truncatingIfNeeded: hash))
    #expect(Self.fnv(Array(key.utf8)) == Int(truncatingIfNeeded: hash))
  }

  private static let digest = String(repeating: "0f", count: 32)
  private static let packedDigest = [3] + [UInt8](repeating: 15, count: 32)

  @Test(
    arguments: [
      ([.null], [0]), ([.text("")], [3]), ([.text("é")], [3, 0xC3, 0xA9]),
      ([.int(0x0102_0304_0506_0708)], [1, 8, 7, 6, 5, 4, 3, 2, 1]),
      ([.int(-2)], [1, 254, 255, 255, 255, 255, 255, 255, 255]),
      // 1.5 is 0x3FF8000000000000.
      ([.double(1.5)], [2, 0, 0, 0, 0, 0, 0, 0xF8, 0x3F]),
      (
        [.text("ab"), .null, .int(1), .text("c")],
        [3, 97, 98, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 3, 99]
      ),
      ([.blob([0, 255])], [3, 0, 255]),
      // As it is stored.
      ([.key(digest)], packedDigest),
    ] as [([Statement.Value], [UInt8])])
  func eachValueIsHashedBehindItsKind(_ values: [Statement.Value], _ bytes: [UInt8]) throws {
    #expect(RecordMark.of("k", values) == Self.fnv(Array("k".utf8) + bytes))
    // A row that is read has the same one.
    let database = try Database("")
    let places = values.map { _ in "?" }.joined(separator: ", ")
    let marked = try database.prepare("SELECT \(places), ?, ?")
    func isSound(_ key: String, _ mark: Int?) throws -> Bool? {
      try marked.first(values + [.optional(mark), .key(key)]) {
        $0.isSound(key: Int32(values.count + 1), columns: values.count)
      }
    }
    let mark = RecordMark("k", values).checksum
    let whole = UInt64(bitPattern: Int64(RecordMark.of("k", values)))
    #expect(Int32(mark) == Int32(truncatingIfNeeded: whole >> 32 ^ whole))
    #expect(try isSound("k", mark) == true)
    #expect(try isSound("k", mark + 1) == false)
    #expect(try isSound("l", mark) == false)
    #expect(try isSound("k", nil) == false)
  }

  @Test func aRowIsTheKeyTheValuesAndTheirMark() {
    let row = RecordMark.row("k", [.text("v"), .int(3)])
    guard row.count == 4, case .key("k") = row[0], case .text("v") = row[1], case .int(3) = row[2],
      case .int(let mark) = row[3]
    else {
      Issue.record("\(row)")
      return
    }
    #expect(mark == RecordMark("k", [.text("v"), .int(3)]).checksum)
  }
}
