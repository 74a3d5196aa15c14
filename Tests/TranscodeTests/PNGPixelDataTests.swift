import Testing

@testable import TesseraTranscode

@Suite struct PNGPixelDataTests {
  private func isComplete(_ parts: [[UInt8]], _ header: [UInt8]) -> Bool {
    let all = parts.flatMap(\.self)
    return all.withUnsafeBytes { bytes in
      var start = 0
      let slices = parts.map { part in
        defer { start += part.count }
        return bytes[start..<start + part.count]
      }
      return PNGPixelData.isComplete(slices, header: header)
    }
  }

  /// Whether exactly this many bytes of rows are complete.
  private func expect(_ bytes: Int, _ header: [UInt8]) {
    for difference in [-1, 0, 1] where bytes + difference >= 0 {
      let rows = [UInt8](repeating: 0, count: bytes + difference)
      #expect(isComplete([stored(rows)], header) == (difference == 0), "\(header): \(difference)")
    }
  }

  /// A filter byte, and the samples in whole bytes.
  @Test(arguments: [
    (1, 0, 9, 3), (2, 0, 9, 4), (4, 0, 9, 6), (8, 0, 9, 10), (16, 0, 9, 19), (8, 2, 9, 28),
    (16, 2, 9, 55), (1, 3, 8, 2), (2, 3, 4, 2), (4, 3, 3, 3), (8, 3, 3, 4), (8, 4, 3, 7),
    (16, 4, 3, 13), (8, 6, 3, 13), (16, 6, 3, 25),
  ])
  func aRowHasItsLength(_ depth: Int, _ colour: Int, _ width: Int, _ length: Int) {
    expect(length * 3, pngHeader(width, 3, depth: depth, colour: colour))
  }

  /// The passes of the pixels of each square of eight (section 8.2).
  private static let passes = [
    [1, 6, 4, 6, 2, 6, 4, 6], [7, 7, 7, 7, 7, 7, 7, 7], [5, 6, 5, 6, 5, 6, 5, 6],
    [7, 7, 7, 7, 7, 7, 7, 7], [3, 6, 4, 6, 3, 6, 4, 6], [7, 7, 7, 7, 7, 7, 7, 7],
    [5, 6, 5, 6, 5, 6, 5, 6], [7, 7, 7, 7, 7, 7, 7, 7],
  ]

  @Test(arguments: 1...10) func anInterlacedImageHasTheRowsOfItsPasses(_ width: Int) {
    for height in 1...10 {
      for (depth, colour, bits) in [(1, 0, 1), (4, 3, 4), (8, 2, 24)] {
        var sum = 0
        for pass in 1...7 {
          let rows = (0..<height).map { y in
            (0..<width).count { Self.passes[y % 8][$0 % 8] == pass }
          }
          sum += rows.filter { $0 > 0 }.reduce(0) { $0 + 1 + ($1 * bits + 7) / 8 }
        }
        expect(sum, pngHeader(width, height, depth: depth, colour: colour, interlace: 1))
      }
    }
  }

  @Test func theStreamMayBeInAnyParts() {
    let header = pngHeader(3, 2, colour: 2)
    let whole = stored(Array(1...20))
    for split in 0...whole.count {
      #expect(isComplete([Array(whole[..<split]), Array(whole[split...])], header))
      // What is left out is missed.
      #expect(split == whole.count || !isComplete([Array(whole[..<split])], header))
    }
    #expect(isComplete(whole.map { [$0] }, header))
    #expect(isComplete([whole, [], []], header))
    #expect(!isComplete([], header))
  }

  @Test func nothingIsHiddenAfterTheLastRow() {
    let header = pngHeader(3, 2, colour: 2)
    let whole = stored(Array(1...20))
    #expect(isComplete([whole], header))
    #expect(!isComplete([whole + [0]], header))
    #expect(!isComplete([whole, [0]], header))
    #expect(!isComplete([whole, whole], header))
    #expect(!isComplete([stored(Array(1...20) + [UInt8](repeating: 0, count: 200_000))], header))
  }

  @Test func damagedStreamsAreRejected() {
    let header = pngHeader(3, 2, colour: 2)
    var whole = stored(Array(1...20))
    whole[whole.count - 1] ^= 1
    #expect(!isComplete([whole], header))
    #expect(!isComplete([[1, 2, 3, 4, 5]], header))
  }

  /// The buffer has 65,536 bytes: it is filled exactly, also at the end of a part.
  @Test func imagesMayBeLargerThanTheBuffer() {
    for height in 1...3 {
      let header = pngHeader(65_535, height, colour: 0)
      let whole = stored([UInt8](repeating: 7, count: 65_536 * height))
      let full = 2 + 5 + 65_535 + 5 + 1
      #expect(isComplete([whole], header))
      #expect(isComplete([Array(whole[..<full]), Array(whole[full...])], header))
      #expect(!isComplete([whole], pngHeader(65_535, height + 1, colour: 0)))
      #expect(!isComplete([whole], pngHeader(65_534, height, colour: 0)))
    }
  }

  @Test func theHeaderIsValid() {
    let rows = stored([0, 7])
    #expect(isComplete([rows], pngHeader(1, 1, colour: 0)))
    #expect(!isComplete([rows], Array(pngHeader(1, 1, colour: 0).dropLast())))
    #expect(!isComplete([rows], pngHeader(1, 1, colour: 0) + [0]))
    for colour in [1, 5, 7] { #expect(!isComplete([rows], pngHeader(1, 1, colour: colour))) }
    // Sides of more than one byte: four bytes each.
    #expect(isComplete([stored([UInt8](repeating: 0, count: 259))], pngHeader(258, 1, colour: 0)))
    #expect(isComplete([stored([UInt8](repeating: 0, count: 518))], pngHeader(1, 259, colour: 0)))
  }
}
