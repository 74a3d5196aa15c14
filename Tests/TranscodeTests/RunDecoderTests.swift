import TesseraTestSupport
import Testing

@testable import TesseraTranscode

/// BI_RLE8 and BI_RLE4, by Microsoft's documentation of bitmap compression.
@Suite struct RunDecoderTests {
  /// The indices of the pixels from the lowest row on, or why there are none.
  private func decoded(
    _ runs: [UInt8], width: Int, rows: Int = 1, isFour: Bool = false, colours: Int = 16
  ) -> (String, [Int]) {
    let palette = (0..<colours).flatMap { [0, UInt8($0 * 3), UInt8($0), 0] as [UInt8] }
    let written = WrittenBitmap(
      width: width, rows: rows, bits: isFour ? 4 : 8, compression: isFour ? 2 : 1,
      colours: colours, palette: palette, pixels: runs)
    let (result, samples) = bitmap(written.file())
    let height = abs(rows)
    let indices = (0..<height).flatMap { row in
      (0..<width).map { x -> Int in
        let pixel = ((rows < 0 ? row : height - 1 - row) * width + x) * 3
        guard samples.indices.contains(pixel + 2) else { return -1 }
        let colour = Array(samples[pixel..<pixel + 3])
        return colour == [colour[0], colour[0] * 3, 0] ? Int(colour[0]) : -1
      }
    }
    return (result, samples.isEmpty ? [] : indices)
  }

  /// Pixels one by one take an even number of bytes.
  @Test(arguments: 3...12, [true, false])
  func copiesArePadded(_ count: Int, _ isFour: Bool) {
    let indices = (0..<count).map { $0 % 15 + 1 }
    var bytes = indices.map { UInt8($0) }
    if isFour {
      let padded = bytes + (count % 2 == 1 ? [0] : [])
      bytes = stride(from: 0, to: padded.count, by: 2).map { padded[$0] << 4 | padded[$0 + 1] }
    }
    if bytes.count % 2 == 1 { bytes.append(0) }
    let runs: [UInt8] = [0, UInt8(count)] + bytes + [2, 0x77, 0, 1]
    let after = isFour ? [7, 7] : [-1, -1]
    let expected = indices + (isFour ? after : [0, 0])
    #expect(decoded(runs, width: count + 2, isFour: isFour).1 == expected)
  }

  @Test func runsRepeatAnIndex() {
    #expect(decoded([3, 5, 1, 9, 0, 1], width: 4).1 == [5, 5, 5, 9])
    #expect(decoded([255, 5, 1, 9, 0, 1], width: 256).1 == [Int](repeating: 5, count: 255) + [9])
    // Of four bits, two in turn.
    #expect(
      decoded([5, 0x3A, 2, 0x12, 0, 1], width: 7, isFour: true).1 == [3, 10, 3, 10, 3, 1, 2])
  }

  @Test func rowsEndAndTheImageEnds() {
    let runs: [UInt8] = [2, 1, 0, 0, 1, 2, 0, 0, 3, 3, 0, 1, 3, 4]
    #expect(decoded(runs, width: 3, rows: 3).1 == [1, 1, 0, 2, 0, 0, 3, 3, 3])
    #expect(decoded(runs, width: 3, rows: -3).1 == [1, 1, 0, 2, 0, 0, 3, 3, 3])
  }

  /// As in browsers, and not in the palette's first colour.
  @Test(.faults(.i34)) func whatNoRunCoversIsBlack() {
    let written = WrittenBitmap(
      width: 3, rows: 1, bits: 8, compression: 1, colours: 2, palette: [1, 2, 3, 0, 4, 5, 6, 0],
      pixels: [1, 1, 0, 1])
    #expect(bitmap(written.file()) == ("3 x 1 x 3", [6, 5, 4, 0, 0, 0, 0, 0, 0]))
  }

  @Test func aMoveSkipsPixels() {
    let runs: [UInt8] = [1, 1, 0, 2, 1, 2, 1, 3, 0, 2, 0, 1, 1, 4, 0, 1]
    #expect(
      decoded(runs, width: 4, rows: 4).1 == [1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 4])
  }

  @Test func pixelsOutsideTheImageAreDropped() {
    #expect(decoded([9, 5, 0, 0, 1, 6, 0, 1], width: 2, rows: 2).1 == [5, 5, 6, 0])
    #expect(decoded([0, 0, 0, 0, 4, 6, 0, 1], width: 2, rows: 2).1 == [0, 0, 0, 0])
    #expect(decoded([0, 2, 200, 200, 4, 6, 0, 1], width: 2, rows: 2).1 == [0, 0, 0, 0])
    #expect(decoded([0, 2, 0, 1, 4, 6, 0, 1], width: 2, rows: 2).1 == [0, 0, 6, 6])
  }

  /// Such pixels keep the first colour.
  @Test func anIndexBeyondThePaletteIsDropped() {
    #expect(decoded([2, 3, 2, 4, 0, 1], width: 4, colours: 4).1 == [3, 3, 0, 0])
  }

  @Test func everyByteIsNeeded() {
    for runs in [[2, 1, 0, 2, 0, 0, 0, 3, 1, 2, 3, 0, 0, 1], [2, 1, 0, 0, 0, 1]] as [[UInt8]] {
      #expect(decoded(runs, width: 3).0 == "3 x 1 x 3")
      for count in 0..<runs.count {
        #expect(decoded(Array(runs[..<count]), width: 3).0 == "is truncated", "\(count)")
      }
    }
  }

  /// A run has at most 255 pixels; the file has 54 bytes before its palette.
  @Test func aShortFileCostsLittleMemory() {
    let length = 54 + 4 + 2
    #expect(decoded([0, 1], width: 255 * length, colours: 1).0 == "\(255 * length) x 1 x 3")
    #expect(decoded([0, 1], width: 255 * (length + 1) - 1, colours: 1).0 != "is truncated")
    #expect(decoded([0, 1], width: 255 * (length + 1), colours: 1).0 == "is truncated")
    #expect(decoded([0, 1], width: 255, rows: length + 1, colours: 1).0 == "is truncated")
  }
}
