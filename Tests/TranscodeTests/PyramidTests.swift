import TesseraPlan
import TesseraTestSupport
import Testing

@testable import TesseraTranscode

extension LibvipsTests {
  @Suite struct PyramidTests {
    init() throws { try #require(LibvipsTests.isReady) }

    /// Waves, so that every way to resize them gives other bytes.
    private func image(_ width: Int, _ height: Int, phase: Int = 0) throws -> Raster {
      try .drawn(width, height) { x, y in
        [(x * x + y * 7 + phase) % 256, (x * 3 + y * y) % 256, (x * y + phase * 5) % 256]
      }
    }

    /// - Parameter sizes: one after the other.
    private func resized(_ image: Raster, _ sizes: [Size]) throws -> [UInt8] {
      var image = image
      for size in sizes {
        image = try image.resized(width: size.width, height: size.height).inMemory()
      }
      return try image.bytes
    }

    /// From the smallest level that is at least twice as long, or it is a level itself.
    @Test(arguments: [
      (Size(63, 48), [Size(63, 48)]), (Size(64, 48), []), (Size(33, 25), [Size(33, 25)]),
      (Size(32, 24), [Size(32, 24)]), (Size(32, 23), [Size(32, 23)]),
      (Size(17, 13), [Size(17, 13)]), (Size(16, 12), [Size(32, 24), Size(16, 12)]),
      (Size(16, 11), [Size(32, 24), Size(16, 11)]), (Size(15, 11), [Size(32, 24), Size(15, 11)]),
      (Size(8, 6), [Size(32, 24), Size(16, 12), Size(8, 6)]),
      (Size(7, 5), [Size(32, 24), Size(16, 12), Size(7, 5)]),
      (Size(1, 1), [Size(32, 24), Size(16, 12), Size(8, 6), Size(4, 3), Size(2, 1), Size(1, 1)]),
    ])
    func aFileIsMadeFromTheNearestLevel(_ size: Size, _ chain: [Size]) throws {
      let image = try image(64, 48)
      let expected = try resized(image, chain)
      // The size of the source does not matter here, and neither do the files before.
      for others in [[], [Size(2, 1)], [Size(60, 40)], [Size(32, 24)]] {
        for source in [Size(64, 48), Size(6400, 4800)] {
          var pyramid = Pyramid([image], base: Size(64, 48), source: source)
          for other in others { _ = try pyramid.frames(for: planned(other)) }
          let frames = try pyramid.frames(for: planned(size))
          #expect(frames.map { Size($0.width, $0.height) } == [size])
          #expect(try frames[0].bytes == expected)
        }
      }
    }

    @Test func sidesOfLevelsAreAtLeastOne() throws {
      let image = try image(3, 40)
      var pyramid = Pyramid([image], base: Size(3, 40), source: Size(3, 40))
      let frame = try pyramid.frames(for: planned(Size(1, 5)))[0]
      #expect(try frame.bytes == resized(image, [Size(1, 20), Size(1, 10), Size(1, 5)]))
    }

    @Test func animationsHaveAllFrames() throws {
      let images = try (0..<3).map { try image(64, 48, phase: $0 * 40) }
      var pyramid = Pyramid(images, base: Size(64, 48), source: Size(64, 48))
      func bytes(_ isAnimated: Bool) throws -> [[UInt8]] {
        var file = planned(Size(10, 8))
        file.encoding.isAnimated = isAnimated
        return try pyramid.frames(for: file).map { try $0.bytes }
      }
      let all = try images.map { try resized($0, [Size(32, 24), Size(10, 8)]) }
      for isAnimated in [false, true, true, false] {
        #expect(try bytes(isAnimated) == (isAnimated ? all : [all[0]]))
      }
    }

    // MARK: Crops

    private func cropped(_ crop: Crop, _ size: Size) -> PlannedFile {
      var file = planned(size)
      file.crop = crop
      return file
    }

    /// The source is twice as large as the decoded image.
    @Test(arguments: [
      (10, 20, Size(40, 30), Size(20, 15), 0, 5, 10, 20, 15),
      (11, 21, Size(41, 31), Size(20, 15), 0, 6, 11, 21, 16),
      (0, 0, Size(128, 96), Size(60, 45), 0, 0, 0, 64, 48),
      (100, 80, Size(28, 16), Size(14, 8), 0, 50, 40, 14, 8),
      (127, 95, Size(1, 1), Size(1, 1), 0, 63, 47, 1, 1),
      (40, 20, Size(64, 48), Size(16, 12), 0, 20, 10, 32, 24),
      (40, 20, Size(64, 48), Size(8, 6), 1, 10, 5, 16, 12),
      (40, 20, Size(64, 48), Size(9, 6), 0, 20, 10, 32, 24),
      (40, 20, Size(64, 48), Size(4, 3), 2, 5, 3, 8, 6),
    ])
    func aCropIsAPartOfALevel(
      _ x: Int, _ y: Int, _ part: Size, _ size: Size, _ level: Int, _ left: Int, _ top: Int,
      _ width: Int, _ height: Int
    ) throws {
      let base = try image(64, 48)
      var pyramid = Pyramid([base], base: Size(64, 48), source: Size(128, 96))
      let frame = try pyramid.frames(for: cropped(Crop(x: x, y: y, size: part), size))[0]
      var whole = base
      for number in [1, 2].prefix(level) {
        whole = try whole.resized(width: 64 >> number, height: 48 >> number).inMemory()
      }
      let expected = try whole.extracted(x: left, y: top, width: width, height: height)
        .resized(width: size.width, height: size.height)
      #expect(try frame.bytes == expected.bytes)
    }

    @Test func eachCropAndSizeHasItsOwnPixels() throws {
      let base = try image(64, 48)
      var pyramid = Pyramid([base], base: Size(64, 48), source: Size(64, 48))
      let files = [
        cropped(Crop(x: 0, y: 0, size: Size(20, 20)), Size(20, 20)),
        cropped(Crop(x: 9, y: 0, size: Size(20, 20)), Size(20, 20)),
        cropped(Crop(x: 9, y: 0, size: Size(20, 20)), Size(10, 10)), planned(Size(10, 10)),
      ]
      let made = try files.map { try pyramid.frames(for: $0)[0].bytes }
      #expect(Set(made).count == 4)
      #expect(try files.reversed().map { try pyramid.frames(for: $0)[0].bytes } == made.reversed())
    }

    /// A spot of noise on grey, and where it is in the source, which is twice as large.
    @Test(arguments: [Interest.attention, .entropy], [(30, 70), (200, 10), (330, 130)])
    func aCropIsPlacedWhereTheImageIsInteresting(_ interest: Interest, _ spot: (Int, Int)) throws {
      var dice = SplitMix(seed: 3)
      let noise = (0..<40 * 40).map { _ in Int.random(in: 0...255, using: &dice) }
      let base = try Raster.drawn(400, 200) { x, y in
        let (left, top) = (x - spot.0, y - spot.1)
        guard (0..<40).contains(left), (0..<40).contains(top) else { return [90, 90, 90] }
        return [noise[top * 40 + left], noise[left * 40 + top], 40]
      }
      let source = Size(800, 400)
      var pyramid = Pyramid([base], base: Size(400, 200), source: source)
      let crop = Crop(Size(160, 160), .found(interest))
      let frame = try pyramid.frames(for: cropped(crop, Size(80, 80)))[0]
      // The middle of libvips' part, in the source's pixels, within the source.
      let origin = try base.interestingPart(
        width: 80, height: 80, byEntropy: interest == .entropy)
      let expected = try base.extracted(x: origin.x, y: origin.y, width: 80, height: 80)
      #expect(try frame.bytes == expected.bytes)
      let distance = [abs(origin.x + 40 - spot.0 - 20), abs(origin.y + 40 - spot.1 - 20)]
      #expect(distance.allSatisfy { $0 <= 45 }, "\(origin)")
      // Other sizes show the same part.
      let small = try pyramid.frames(for: cropped(crop, Size(40, 40)))[0]
      let half = try expected.resized(width: 40, height: 40)
      #expect(try small.bytes == half.bytes)
    }

    /// Large images are searched at 256 to 511 pixels.
    @Test(arguments: [(511, 0), (512, 1), (1_023, 1), (1_024, 2)])
    func aPlaceIsSearchedInASmallImage(_ width: Int, _ level: Int) throws {
      let base = try Raster.drawn(width, 64) { x, y in
        x > width * 7 / 10 && x < width * 8 / 10
          ? [(x * 37 + y * 91) % 256, (x * y) % 256, 0] : [9, 9, 9]
      }
      let size = Size(width, 64)
      var pyramid = Pyramid([base], base: size, source: size)
      let crop = Crop(Size(64, 64), .found(.entropy))
      let frame = try pyramid.frames(for: cropped(crop, Size(64, 64)))[0]
      var searched = base
      for number in [1, 2].prefix(level) {
        searched = try searched.resized(width: width >> number, height: 64 >> number).inMemory()
      }
      let origin = try searched.interestingPart(
        width: 64 * searched.width / width, height: searched.height, byEntropy: true)
      let x = Int((Double(origin.x * width) / Double(searched.width)).rounded())
      #expect(try frame.bytes == base.extracted(x: x, y: 0, width: 64, height: 64).bytes)
    }

    @Test func sizesAreReducedByTheLongerSide() throws {
      func size(_ base: Size, _ longest: Int) throws -> Size {
        Pyramid([], base: base, source: base).size(fitting: longest)
      }
      #expect(try size(Size(200, 100), 100) == Size(100, 50))
      #expect(try size(Size(100, 200), 99) == Size(50, 99))
      #expect(try size(Size(101, 51), 100) == Size(100, 50))
      #expect(try size(Size(100, 51), 100) == Size(100, 51))
      #expect(try size(Size(99, 98), 100) == Size(99, 98))
      #expect(try size(Size(3, 3_000), 16) == Size(1, 16))
      // Halves are rounded up.
      #expect(try size(Size(200, 25), 100) == Size(100, 13))
      #expect(try size(Size(200, 24), 99) == Size(99, 12))
    }
  }
}
