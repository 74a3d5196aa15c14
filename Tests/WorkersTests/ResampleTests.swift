import Dispatch
import Synchronization
import TesseraCPixels
import TesseraTestSupport
import Testing

/// The resampler in integers, compared with the textbook in floating point.
@Suite struct ResampleTests {
  private static func noise(_ count: Int, seed: UInt64) -> [UInt8] {
    var generator = SplitMix(seed: seed)
    return (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
  }

  private static func image(
    _ samples: [UInt8], _ bands: Int, _ width: Int, _ height: Int, to size: (Int, Int)
  ) throws -> [UInt8] {
    var result = [UInt8](repeating: 99, count: size.0 * size.1 * bands)
    try result.withUnsafeMutableBufferPointer { result in
      let resampler = try #require(
        tessera_image_resampler_new(
          Int32(width), Int32(height), Int32(bands), Int32(size.0), Int32(size.1),
          result.baseAddress))
      for row in 0..<height {
        Array(samples[row * width * bands..<(row + 1) * width * bands]).withUnsafeBufferPointer {
          tessera_image_resampler_add(resampler, $0.baseAddress, Int32(bands))
        }
      }
      tessera_image_resampler_end(resampler)
    }
    return result
  }

  /// Noise is the hardest content. Half a level is lost to rounding, twice.
  @Test(arguments: [
    (64, 48, 32, 24), (64, 48, 63, 47), (101, 67, 50, 33), (100, 1, 9, 1), (1, 100, 1, 7),
    (3, 3, 1, 1), (130, 90, 9, 7), (31, 200, 29, 13), (7, 5, 7, 3),
    // Weights that repeat: half the size, and twice the size; and all samples as they are.
    (200, 20, 100, 10), (331, 6, 165, 3), (90, 12, 180, 24), (71, 5, 142, 10), (70, 9, 70, 9),
  ])
  func imagesAreAsInTheTextbook(_ width: Int, _ height: Int, _ across: Int, _ down: Int) throws {
    for bands in 1...4 {
      var samples = Self.noise(width * height * bands, seed: UInt64(bands))
      if bands % 2 == 0 {
        // A quarter of the pixels is transparent.
        for pixel in 0..<width * height where pixel % 4 == 0 {
          samples[pixel * bands + bands - 1] = 0
        }
      }
      let made = try Self.image(samples, bands, width, height, to: (across, down))
      let expected = Lanczos.resample(
        samples, bands: bands, Lanczos.Axis(width, to: across), Lanczos.Axis(height, to: down))
      for index in made.indices {
        let alpha = bands % 2 == 0 ? expected[index - index % bands + bands - 1] : 255
        // Colours that hardly show are less exact.
        guard alpha >= 16 else { continue }
        let difference = abs(Int(made[index]) - Int(expected[index]))
        guard difference > (alpha < 128 ? 2 : 1) else { continue }
        Issue.record(
          "\(bands) bands, sample \(index): \(made[index]), not \(expected[index])")
        return
      }
    }
  }

  /// Weights are kept for other images, more than fit: threads that use them at the same time have the right ones.
  @Test func threadsShareWeights() throws {
    let sizes = (0..<60).map { (20 + $0, 40 + $0 % 7) }
    let samples = Self.noise(97 * 31 * 3, seed: 9)
    let expected = try sizes.map { try Self.image(samples, 3, 97, 31, to: $0) }
    let wrong = Mutex(0)
    DispatchQueue.concurrentPerform(iterations: 8) { thread in
      for round in 0..<sizes.count * 3 {
        let index = (round * 7 + thread * 11) % sizes.count
        let made = try? Self.image(samples, 3, 97, 31, to: sizes[index])
        if made != expected[index] { wrong.withLock { $0 += 1 } }
      }
    }
    #expect(wrong.withLock { $0 } == 0)
  }

  /// One colour stays what it is at every size, up to the edges. A colour that is hardly opaque has
  /// fewer steps: 64 for each step of alpha.
  @Test func oneColourStays() throws {
    var generator = SplitMix(seed: 5)
    for _ in 0..<60 {
      let bands = Int.random(in: 1...4, using: &generator)
      var pixel = (0..<bands).map { _ in UInt8.random(in: 0...255, using: &generator) }
      if bands % 2 == 0 { pixel[bands - 1] = max(1, pixel[bands - 1]) }
      let (width, height) = (
        Int.random(in: 1...90, using: &generator), Int.random(in: 1...90, using: &generator)
      )
      let (across, down) = (
        Int.random(in: 1...width, using: &generator), Int.random(in: 1...height, using: &generator)
      )
      let samples = (0..<width * height).flatMap { _ in pixel }
      let made = try Self.image(samples, bands, width, height, to: (across, down))
      let most = bands % 2 == 0 && pixel[bands - 1] < 8 ? 2 : 0
      let wrong = made.indices.first { abs(Int(made[$0]) - Int(pixel[$0 % bands])) > most }
      #expect(wrong == nil, "\(pixel) \(width)x\(height) to \(across)x\(down)")
    }
  }

  /// What is transparent has no colour that could show beside what is not.
  @Test func hiddenColoursDoNotBleed() throws {
    let samples: [UInt8] = (0..<64 * 8).flatMap { pixel -> [UInt8] in
      pixel % 64 < 32 ? [255, 0, 255, 0] : [0, 200, 0, 255]
    }
    let made = try Self.image(samples, 4, 64, 8, to: (20, 3))
    for pixel in 0..<60 where made[pixel * 4 + 3] > 0 {
      #expect(Array(made[pixel * 4..<pixel * 4 + 3]) == [0, 200, 0])
    }
  }

  /// Windows between samples, mirrored ones, and both kinds of samples.
  @Test(arguments: [(0.0, 2.5), (3.25, 1.75), (40.0, -2.5), (39.5, -1.0), (-0.5, 1.0)])
  func planesHaveAnyPlaceInTheirSource(_ start: Double, _ step: Double) throws {
    let (width, height, across, down) = (40, 30, 14, 11)
    let samples = Self.noise(width * height, seed: 9)
    let vertical = (start: step < 0 ? 30.0 : 0, step: step < 0 ? -2.0 : 2.0)
    for isWide in [false, true] {
      var result = [Int16](repeating: 0, count: across * down)
      result.withUnsafeMutableBytes { bytes in
        guard
          let resampler = tessera_resampler_new(
            tessera_axis(source: 40, result: 14, start: start, step: step),
            tessera_axis(source: 30, result: 11, start: vertical.start, step: vertical.step),
            isWide ? 1 : 0, bytes.baseAddress, across, 1)
        else { return }
        for row in 0..<height {
          for column in 0..<width {
            let sample = samples[row * width + column]
            let place = tessera_resampler_row(resampler)!
            if isWide {
              place.storeBytes(
                of: Int16(sample) * 64, toByteOffset: column * 2, as: Int16.self)
            } else {
              place.storeBytes(of: sample, toByteOffset: column, as: UInt8.self)
            }
          }
          tessera_resampler_add(resampler)
        }
        // A row too many is ignored.
        tessera_resampler_add(resampler)
        tessera_resampler_free(resampler)
      }
      let expected = Lanczos.resample(
        samples, bands: 1, .init(source: width, result: across, start: start, step: step),
        .init(source: height, result: down, start: vertical.start, step: vertical.step))
      let made: [Int] =
        isWide
        ? result.map { max(0, min(255, (Int($0) + 32) / 64)) }
        : result.withUnsafeBytes { bytes in bytes.prefix(across * down).map { Int($0) } }
      for (one, other) in zip(made, expected) { #expect(abs(one - Int(other)) <= 1) }
    }
  }
}
