import Foundation
import TesseraCatalog
import TesseraPlan
import TesseraSystem
import TesseraTestSupport
import TesseraWorkers
import Testing

@testable import TesseraTranscode

/// `Pipelines/CATALOG.md` has the formulas.
@Suite struct TableRowTests {
  private func row(
    _ pixels: TablePixels, _ samples: [UInt8], bands: Int = 4,
    on background: Colour = Colour(red: 10, green: 20, blue: 30)
  ) -> [UInt8] {
    let count = samples.count / bands
    var target = [UInt8](repeating: 99, count: 2 + count * (pixels.bytesPerPixel ?? 4) + 1)
    samples.withUnsafeBufferPointer {
      TableRow(pixels: pixels, background: background).write(
        $0[...], bands: bands, count: count, to: &target[2..<target.count - 1])
    }
    #expect(target[..<2] == [99, 99] && target.last == 99)
    return Array(target[2..<target.count - 1])
  }

  private let opaque: [UInt8] = [200, 100, 50, 255, 0, 255, 7, 255]
  private let clear: [UInt8] = [200, 100, 50, 0, 200, 100, 50, 128]

  @Test func coloursAreMultipliedByAlpha() {
    #expect(row(.rgba8, opaque) == opaque)
    #expect(row(.bgra8, opaque) == [50, 100, 200, 255, 7, 255, 0, 255])
    // 200 * 128 / 255 = 100.39, 100 * 128 / 255 = 50.2, 50 * 128 / 255 = 25.1.
    #expect(row(.rgba8, clear) == [0, 0, 0, 0, 100, 50, 25, 128])
    #expect(row(.bgra8, clear) == [0, 0, 0, 0, 25, 50, 100, 128])
    // Rounded to the nearest.
    #expect(row(.rgba8, [3, 2, 1, 128]) == [2, 1, 1, 128])
    #expect(row(.rgba8, [1, 2, 3, 127]) == [0, 1, 1, 127])
  }

  @Test func threeBandsAreOpaque() {
    let samples: [UInt8] = [200, 100, 50, 1, 2, 3]
    #expect(row(.rgba8, samples, bands: 3) == [200, 100, 50, 255, 1, 2, 3, 255])
    #expect(row(.bgra8, samples, bands: 3) == [50, 100, 200, 255, 3, 2, 1, 255])
    #expect(row(.webp, samples, bands: 3) == [200, 100, 50, 255, 1, 2, 3, 255])
  }

  @Test func anAtlasKeepsColoursAsTheyAre() {
    #expect(row(.webp, clear) == clear)
  }

  @Test func pixelsWithoutAlphaShowTheBackground() {
    // BT.709: 0.2126, 0.7152, 0.0722 in 256ths.
    #expect(row(.grey8, [255, 0, 0, 255, 0, 255, 0, 255, 0, 0, 255, 255]) == [54, 182, 19])
    #expect(row(.grey8, [255, 255, 255, 255, 0, 0, 0, 255]) == [255, 0])
    #expect(row(.grey8, [9, 9, 9, 0]) == [19])
    // Half of 200, 100, 50 on half of 10, 20, 30 is 105, 60, 40: 17,410 of 256ths.
    #expect(row(.grey8, [200, 100, 50, 128]) == [68])
    // 30,050 of 256ths.
    #expect(row(.grey8, [200, 100, 50], bands: 3) == [117])
  }

  @Test func sixteenBitsAreLittleEndian() {
    func packed(_ samples: [UInt8]) -> [Int] {
      let bytes = row(.rgb565, samples)
      let value = Int(bytes[0]) | Int(bytes[1]) << 8
      return [value >> 11, value >> 5 & 63, value & 31]
    }
    for value in UInt8.min...UInt8.max {
      func level(_ most: Double) -> Int { Int((Double(value) * most / 255).rounded()) }
      #expect(packed([value, 0, 0, 255]) == [level(31), 0, 0])
      #expect(packed([0, value, 0, 255]) == [0, level(63), 0])
      #expect(packed([0, 0, value, 255]) == [0, 0, level(31)])
    }
    #expect(packed([9, 9, 9, 0]) == [1, 5, 4])
    #expect(row(.rgb565, [255, 0, 0, 255, 0, 0, 255, 255]) == [0, 0xF8, 0x1F, 0])
  }
}

extension LibvipsTests {
  @Suite struct TablePainterTests {
    init() throws { try #require(LibvipsTests.isReady) }

    private static let red = png(
      pngHeader(2, 2, colour: 2), [[200, 1, 2, 3, 4, 5], [6, 7, 8, 9, 10, 11]])
    private static let clear = png(
      pngHeader(1, 2, colour: 6), [[8, 9, 10, 0], [11, 12, 13, 255]])

    private func job(
      _ pixels: TablePixels, _ entries: [TableJob.Entry], atlas: TableJob.Atlas? = nil
    )
      -> TableJob
    {
      TableJob(
        pixels: pixels, rowBytes: 12, entryBytes: 30, background: .white,
        atlas: atlas, maximumPixels: 4, entries: entries)
    }

    private static func entry(_ offset: Int, _ file: [UInt8], _ size: Size) -> TableJob.Entry {
      TableJob.Entry(offset: offset, length: file.count, format: "png", size: size)
    }

    private let source = [7, 7] + red + clear
    private let first = entry(2, red, Size(2, 2))
    private let second = entry(2 + red.count, clear, Size(1, 2))

    private func made(_ job: TableJob) throws -> (WorkerReply, [UInt8]) {
      let folder = try TemporaryFolder()
      let memory = try File.temporary(in: folder.path("."))
      let reply = withSource(source) {
        TablePainter.perform(job, of: $0) { bytes throws(TranscodeFailure) in
          try append(bytes, to: memory)
        }
      }
      return (reply, try memory.read(100_000, at: 0))
    }

    private let pixelsOfFirst: [UInt8] =
      [200, 1, 2, 255, 3, 4, 5, 255, 0, 0, 0, 0, 6, 7, 8, 255, 9, 10, 11, 255]
      + [UInt8](repeating: 0, count: 10)

    @Test func entriesFollowOneAnother() throws {
      let (reply, bytes) = try made(job(.rgba8, [first, second]))
      let pixelsOfSecond =
        [UInt8](repeating: 0, count: 12) + [11, 12, 13, 255] + [UInt8](repeating: 0, count: 14)
      #expect(reply == .table(TableResult(length: 60, leftOut: [])))
      #expect(bytes == pixelsOfFirst + pixelsOfSecond)
      let grey = try made(job(.grey8, [second])).1
      #expect(grey[0] == 255 && grey[12] == 12 && grey.count == 30)
    }

    @Test func whatCannotBeDecodedIsLeftOut() throws {
      var entries = [first, first, first, first, first, first, first]
      entries[0].offset = -1
      entries[1].length = 0
      entries[2].size = Size(2, 1)
      entries[3].format = "gif"
      entries[4].format = "none"
      entries[5].length -= 20
      let (reply, bytes) = try made(job(.rgba8, entries))
      #expect(reply == .table(TableResult(length: 210, leftOut: [0, 1, 2, 3, 4, 5])))
      #expect(bytes == [UInt8](repeating: 0, count: 180) + pixelsOfFirst)
    }

    private func isMade(_ job: TableJob) throws -> Bool {
      guard case .table(let result) = try made(job).0 else { return false }
      return result.leftOut.isEmpty
    }

    @Test func anEntryHasRoomForItsImage() throws {
      try expectLeast(8) { bytes in
        var job = job(.rgba8, [first])
        job.rowBytes = bytes
        return try isMade(job)
      }
      try expectLeast(24) { bytes in
        var job = job(.rgba8, [first])
        job.entryBytes = bytes
        return try isMade(job)
      }
      try expectLeast(4) { pixels in
        var job = job(.rgba8, [first])
        job.maximumPixels = pixels
        return try isMade(job)
      }
      for size in [Size(0, 2), Size(2, 0), Size(-2, 2), Size(2, -2), Size(.max, 2), Size(2, .max)] {
        var job = job(.rgba8, [first])
        job.entries[0].size = size
        #expect(try !isMade(job))
      }
    }

    @Test func anEntryIsWithinTheSource() throws {
      for (distance, isWithin) in [(0, true), (1, false), (-1, false)] {
        var job = job(.rgba8, [second])
        job.entries[0].offset += distance
        #expect(try isMade(job) == isWithin)
      }
      var job = job(.rgba8, [second])
      job.entries[0].offset = .max
      #expect(try !isMade(job))
    }

    // MARK: Atlases

    private func atlas(_ size: Size, _ entries: [TableJob.Entry]) throws -> (WorkerReply, [UInt8]) {
      try made(job(.webp, entries, atlas: .init(size: size, quality: 100, effort: 1)))
    }

    private func placed(_ entry: TableJob.Entry, _ x: Int, _ y: Int) -> TableJob.Entry {
      var entry = entry
      (entry.x, entry.y) = (x, y)
      return entry
    }

    @Test func imagesHaveTheirPlacesInAnAtlas() throws {
      let (reply, bytes) = try atlas(Size(5, 3), [placed(second, 0, 1), placed(first, 3, 0)])
      #expect(reply == .table(TableResult(length: bytes.count, leftOut: [])))
      let alphas = try #require(decodedWebP(bytes)).samples.enumerated()
        .filter { $0.offset % 4 == 3 }.map(\.element)
      #expect(alphas == [0, 0, 0, 255, 255, 0, 0, 0, 255, 255, 255, 0, 0, 0, 0])
      let opaque = try #require(decodedWebP(try atlas(Size(5, 3), [first]).1))
      #expect(opaque.channels == 3 && opaque.width == 5 && opaque.height == 3)
      // Alpha is that of all images, not of the last one.
      #expect(
        decodedWebP(try atlas(Size(5, 3), [placed(second, 4, 0), first]).1)?.channels == 4)
    }

    @Test func anAtlasHasRoomForItsImages() throws {
      for (x, y, fits) in [
        (3, 1, true), (4, 1, false), (3, 2, false), (-1, 0, false), (0, -1, false), (0, 0, true),
      ] {
        let (reply, bytes) = try atlas(Size(5, 3), [first, placed(first, x, y)])
        let leftOut = fits ? [] : [1]
        #expect(reply == .table(TableResult(length: bytes.count, leftOut: leftOut)))
        // One more without them will follow.
        #expect(bytes.isEmpty != fits)
      }
    }

    @Test func anAtlasHasAPossibleSize() throws {
      let impossible = WorkerReply.failed(
        TranscodeFailure(.encode, "an atlas of an impossible size"))
      for (size, isPossible) in [
        (Size(0, 3), false), (Size(3, 0), false), (Size(-1, -1), false), (Size(1, 1), true),
        (Size(16_383, 1), true), (Size(16_384, 1), false), (Size(1, 16_384), false),
      ] {
        #expect((try atlas(size, []).0 != impossible) == isPossible, "\(size)")
      }
    }

    @Test func anErrorOfTheMemoryIsAFailure() throws {
      let memory = try File("/dev/full", .append)
      for job in [
        job(.rgba8, [first]),
        job(.webp, [first], atlas: .init(size: Size(5, 3), quality: 80, effort: 1)),
      ] {
        let reply = withSource(source) {
          TablePainter.perform(job, of: $0) { bytes throws(TranscodeFailure) in
            try append(bytes, to: memory)
          }
        }
        guard case .failed(let failure) = reply else {
          Issue.record("\(reply)")
          continue
        }
        #expect(failure.code == .local && failure.message.contains("/dev/full"))
      }
    }
  }
}
